package rights_test

import (
	"maps"
	"strconv"
	"strings"
)

// world is a cluster's user.cfg, and an evaluator of what it means that shares no
// code with the package under test. TestEvaluator checks it against PVE's answers.
type world struct {
	users     map[string]bool
	separated map[string]bool            // token → privilege separation
	groups    map[string]map[string]bool // group → users
	pools     map[string][]int           // pool → its own VMs
	storages  map[string][]string        // pool → storages
	roles     map[string][]string        // role → privileges
	// rules: path → subject (@group, user or token) → role → propagate
	rules map[string]map[string]map[string]bool
}

// builtin holds the roles of PVE 9, as far as the product or the tests tell their
// privileges apart.
var builtin = map[string][]string{
	"NoAccess": nil,
	"Administrator": {
		"Sys.Audit", "Sys.Modify", "VM.Audit", "VM.Allocate", "Mapping.Audit", "Mapping.Use", "Mapping.Modify",
		"Pool.Audit", "Pool.Allocate", "Datastore.Audit", "Datastore.Allocate", "Permissions.Modify",
	},
	"PVEAdmin": {
		"Sys.Audit", "VM.Audit", "VM.Allocate", "Mapping.Audit", "Mapping.Use",
		"Pool.Audit", "Pool.Allocate", "Datastore.Audit", "Datastore.Allocate",
	},
	"PVEAuditor":       {"Sys.Audit", "VM.Audit", "Mapping.Audit", "Pool.Audit", "Datastore.Audit"},
	"PVESysAdmin":      {"Sys.Audit"},
	"PVEVMAdmin":       {"VM.Audit", "VM.Allocate"},
	"PVEVMUser":        {"VM.Audit"},
	"PVEMappingAdmin":  {"Mapping.Audit", "Mapping.Use", "Mapping.Modify"},
	"PVEMappingUser":   {"Mapping.Audit", "Mapping.Use"},
	"PVEPoolUser":      {"Pool.Audit"},
	"PVEDatastoreUser": {"Datastore.Audit"},
}

func newWorld() *world {
	return &world{
		users: map[string]bool{"root@pam": true}, separated: map[string]bool{},
		groups: map[string]map[string]bool{}, pools: map[string][]int{}, storages: map[string][]string{},
		roles: maps.Clone(builtin), rules: map[string]map[string]map[string]bool{},
	}
}

// grant adds one rule. PVE drops rules of unknown roles and tokens.
func (w *world) grant(propagate bool, path, subject, role string) {
	_, roleKnown := w.roles[role]
	_, tokenKnown := w.separated[subject]
	if !roleKnown || strings.Contains(subject, "!") && !tokenKnown {
		return
	}
	path = clean(path)
	if w.rules[path] == nil {
		w.rules[path] = map[string]map[string]bool{}
	}
	if w.rules[path][subject] == nil {
		w.rules[path][subject] = map[string]bool{}
	}
	w.rules[path][subject][role] = propagate
}

func clean(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return "/" + strings.Trim(path, "/")
}

// parseWorld reads the text of a user.cfg.
func parseWorld(text string) *world {
	w := newWorld()
	for line := range strings.Lines(text) {
		f := append(strings.Split(strings.TrimSpace(line), ":"), "", "", "", "", "")
		switch f[0] {
		case "user":
			w.users[f[1]] = true
		case "token":
			w.separated[f[1]] = f[3] == "1"
		case "group":
			w.groups[f[1]] = set(words(f[2]))
		case "role":
			w.roles[f[1]] = words(f[2])
		case "pool":
			w.pools[f[1]] = numbers(words(f[3]))
			w.storages[f[1]] = words(f[4])
		case "acl":
			for _, subject := range words(f[3]) {
				for _, role := range words(f[4]) {
					w.grant(f[1] == "1", f[2], subject, role)
				}
			}
		}
	}
	return w
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",; ", r) })
}

func numbers(texts []string) []int {
	var list []int
	for _, text := range texts {
		n, _ := strconv.Atoi(text)
		list = append(list, n)
	}
	return list
}

func set(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}
