package pvesim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// version serves GET /version. Its repoid is made up.
func (c *call) version() (any, error) {
	v := c.release
	return map[string]any{
		"version": v.text, "release": strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor), "repoid": "14a22df3f4b5c6d7",
	}, nil
}

// permissions serves GET /access/permissions: what the asking token or another
// user holds, on one path or on all that PVE lists.
func (c *call) permissions() (any, error) {
	subject := c.subject
	if other := c.params["userid"]; other != "" && other != subject {
		if !c.access.has(subject, "/access", "Sys.Audit") {
			return nil, forbidden("/access, Sys.Audit")
		}
		subject = other
	}
	if path := c.params["path"]; path != "" {
		return map[string]any{path: flags(c.access.on(subject, path))}, nil
	}
	tree := map[string]any{}
	for _, path := range c.access.listedPaths() {
		if held := c.access.on(subject, path); len(held) > 0 {
			tree[path] = flags(held)
		}
	}
	return tree, nil
}

// flags writes booleans as PVE does.
func flags(held privileges) map[string]int {
	numbers := make(map[string]int, len(held))
	for name, on := range held {
		numbers[name] = boolNumber(on)
	}
	return numbers
}

// acl serves GET /access/acl: every rule to auditors of /access, to others those
// on paths where they may change rules.
func (c *call) acl() (any, error) {
	auditor := c.access.has(c.subject, "/access", "Sys.Audit")
	rows := []map[string]any{}
	c.access.each(func(path string, node *aclNode) {
		if auditor || c.access.has(c.subject, path, changesRules(path)...) {
			rows = append(rows, node.rows(path)...)
		}
	})
	return shuffle(c, rows), nil
}

// rows gives the rules of one path, sorted.
func (n *aclNode) rows(path string) []map[string]any {
	tables := map[string]map[string]map[string]bool{"user": n.users, "group": n.groups, "token": n.tokens}
	var rows []map[string]any
	for _, kind := range slices.Sorted(maps.Keys(tables)) {
		for _, subject := range slices.Sorted(maps.Keys(tables[kind])) {
			roles := tables[kind][subject]
			for _, role := range slices.Sorted(maps.Keys(roles)) {
				rows = append(rows, map[string]any{
					"path": path, "type": kind, "ugid": subject, "roleid": role, "propagate": boolNumber(roles[role]),
				})
			}
		}
	}
	return rows
}

// changesRules gives the privileges any of which allows to change the rules of a
// path.
func changesRules(path string) []string {
	names := []string{"Permissions.Modify"}
	for prefix, name := range map[string]string{
		"/storage/": "Datastore.Allocate", "/vms/": "VM.Allocate", "/pool/": "Pool.Allocate",
	} {
		if strings.HasPrefix(path, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// nextID serves GET /cluster/nextid: whether a number is free, to any user.
func (c *call) nextID() (any, error) {
	if text, given := c.params["vmid"]; given {
		if c.world.guest(c.vmid()) != nil {
			return nil, badParams(map[string]string{"vmid": "VM " + text + " already exists"})
		}
		return text, nil
	}
	vmid := 100
	for c.world.guest(vmid) != nil {
		vmid++
	}
	return strconv.Itoa(vmid), nil
}
