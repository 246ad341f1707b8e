package pvesim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// access is a user.cfg as PVE reads it. It is the simulator's own evaluator of
// PVE's access rules and shares nothing with package rights.
type access struct {
	users  map[string]*account // by USER@REALM
	groups map[string]map[string]bool
	roles  map[string]privilegeSet
	pools  map[string]*pool
	poolOf map[string]string // of a guest's number
	root   *aclNode

	mu    sync.Mutex
	cache map[[2]string]privileges // by subject and path
}

// account is a user with its tokens by their short id.
type account struct {
	enabled bool
	expire  int64
	tokens  map[string]*apiToken
}

type apiToken struct {
	expire    int64
	separated bool
}

type pool struct{ guests, storages []string }

// aclNode is one path with the roles of its subjects. The flag of a role is
// whether it propagates.
type aclNode struct {
	children              map[string]*aclNode
	users, groups, tokens map[string]map[string]bool
}

var (
	userPattern  = regexp.MustCompile(`^[^\s:/!]+@[A-Za-z][A-Za-z0-9._-]+$`)
	tokenPattern = regexp.MustCompile(`^([^\s:/!]+@[A-Za-z][A-Za-z0-9._-]+)!([A-Za-z][A-Za-z0-9._-]+)$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	poolPattern  = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+){0,2}$`)
	pathPattern  = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)
)

// parseAccess reads a user.cfg as PVE::AccessControl::parse_user_config does:
// what it does not understand is skipped.
func parseAccess(text string, r release) *access {
	a := &access{
		users: map[string]*account{}, groups: map[string]map[string]bool{}, roles: predefinedRoles(r),
		pools: map[string]*pool{}, poolOf: map[string]string{}, root: &aclNode{}, cache: map[[2]string]privileges{},
	}
	a.users["root@pam"] = &account{enabled: true, tokens: map[string]*apiToken{}}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		fields = append(fields, make([]string, 5)...)
		switch kind, data := fields[0], fields[1:]; kind {
		case "user":
			a.addUser(data)
		case "token":
			a.addToken(data)
		case "group":
			a.addGroup(data)
		case "role":
			a.addRole(data)
		case "pool":
			a.addPool(data)
		case "acl":
			a.addRule(data)
		}
	}
	return a
}

func (a *access) addUser(data []string) {
	expire, ok := parseExpire(data[2])
	if !userPattern.MatchString(data[0]) || !ok {
		return
	}
	a.users[data[0]] = &account{enabled: data[1] != "" && data[1] != "0", expire: expire, tokens: map[string]*apiToken{}}
}

func parseExpire(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	expire, err := strconv.ParseInt(text, 10, 64)
	return expire, err == nil && expire >= 0
}

func (a *access) addToken(data []string) {
	id := tokenPattern.FindStringSubmatch(data[0])
	expire, ok := parseExpire(data[1])
	if len(id) == 0 || !ok || a.users[id[1]] == nil {
		return
	}
	a.users[id[1]].tokens[id[2]] = &apiToken{expire: expire, separated: data[2] != "" && data[2] != "0"}
}

func (a *access) addGroup(data []string) {
	if !namePattern.MatchString(data[0]) {
		return
	}
	if a.groups[data[0]] == nil {
		a.groups[data[0]] = map[string]bool{}
	}
	for _, user := range splitList(data[1]) {
		a.groups[data[0]][user] = true
	}
}

func (a *access) addRole(data []string) {
	if !namePattern.MatchString(data[0]) {
		return
	}
	if a.roles[data[0]] == nil {
		a.roles[data[0]] = privilegeSet{}
	}
	for _, privilege := range splitList(data[1]) {
		if a.roles["Administrator"][privilege] {
			a.roles[data[0]][privilege] = true
		}
	}
}

func (a *access) addPool(data []string) {
	if !poolPattern.MatchString(data[0]) {
		return
	}
	if a.pools[data[0]] == nil {
		a.pools[data[0]] = &pool{}
	}
	for _, guest := range splitList(data[2]) {
		number, err := strconv.Atoi(guest)
		if id := strconv.Itoa(number); err == nil && a.poolOf[id] == "" {
			a.pools[data[0]].guests = append(a.pools[data[0]].guests, id)
			a.poolOf[id] = data[0]
		}
	}
	a.pools[data[0]].storages = append(a.pools[data[0]].storages, splitList(data[3])...)
}

func (a *access) addRule(data []string) {
	propagate := data[0] != "" && data[0] != "0"
	path, ok := normalizePath(data[1])
	if !ok {
		return
	}
	for _, role := range splitList(data[3]) {
		if a.roles[role] == nil {
			continue
		}
		for _, subject := range splitList(data[2]) {
			a.grant(path, subject, role, propagate)
		}
	}
}

func (a *access) grant(path, subject, role string, propagate bool) {
	if group, ok := strings.CutPrefix(subject, "@"); ok {
		if namePattern.MatchString(group) {
			node := a.node(path)
			node.groups = with(node.groups, group, role, propagate)
		}
		return
	}
	if userPattern.MatchString(subject) {
		node := a.node(path)
		node.users = with(node.users, subject, role, propagate)
		return
	}
	if _, token := a.token(subject); token != nil {
		node := a.node(path)
		node.tokens = with(node.tokens, subject, role, propagate)
	}
}

// with adds one role of a subject to a table, which may be nil.
func with(table map[string]map[string]bool, subject, role string, propagate bool) map[string]map[string]bool {
	if table == nil {
		table = map[string]map[string]bool{}
	}
	if table[subject] == nil {
		table[subject] = map[string]bool{}
	}
	table[subject][role] = propagate
	return table
}

// node gives the node of a normal path and makes it if need be.
func (a *access) node(path string) *aclNode {
	node := a.root
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		if node.children == nil {
			node.children = map[string]*aclNode{}
		}
		if node.children[part] == nil {
			node.children[part] = &aclNode{}
		}
		node = node.children[part]
	}
	return node
}

// each calls for every path that access rules touch, those above them included.
func (a *access) each(visit func(path string, node *aclNode)) { a.root.each("/", visit) }

func (n *aclNode) each(path string, visit func(string, *aclNode)) {
	visit(path, n)
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		n.children[name].each(strings.TrimSuffix(path, "/")+"/"+name, visit)
	}
}

// token gives the owner and the settings of a token; nil if there is none.
func (a *access) token(id string) (owner string, token *apiToken) {
	parts := tokenPattern.FindStringSubmatch(id)
	if len(parts) == 0 || a.users[parts[1]] == nil {
		return "", nil
	}
	return parts[1], a.users[parts[1]].tokens[parts[2]]
}

// usable tells whether a token and its owner are neither disabled nor expired.
func (a *access) usable(id string, now time.Time) bool {
	owner, token := a.token(id)
	if token == nil {
		return false
	}
	return a.enabled(owner, now) && !expired(token.expire, now)
}

// enabled tells whether there is a user that is neither disabled nor expired.
func (a *access) enabled(name string, now time.Time) bool {
	user := a.users[name]
	return user != nil && user.enabled && !expired(user.expire, now)
}

func expired(at int64, now time.Time) bool { return at != 0 && at <= now.Unix() }

// normalizePath mirrors PVE::AccessControl::normalize_path.
func normalizePath(path string) (string, bool) {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	path = strings.TrimSuffix(path, "/")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path, pathPattern.MatchString(path)
}

// splitList splits as PVE::Tools::split_list does.
func splitList(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(c rune) bool {
		return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\n' || c == 0
	}), func(s string) bool { return s == "" })
}
