package pveapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readRights asks what the credential may see.
func (r *reader) readRights(ctx context.Context) {
	from := r.client.options.Now()
	rights := facts.Rights{User: r.client.options.Token.ID}
	tree, err := r.askPermissions(ctx)
	read := facts.Read[facts.Rights]{State: facts.OK}
	if err != nil {
		read = failedRead[facts.Rights](r, from, "GET /access/permissions", err)
	}
	rights.Permissions = tree
	rights.ACL = r.askACL(ctx, tree)
	read.Value = rights
	read.Stamp = r.stamp(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Rights = read
}

func (r *reader) askPermissions(ctx context.Context) (pve.PermissionTree, error) {
	const request = "GET /access/permissions"
	data, err := r.cluster(ctx, "/access/permissions", nil)
	if err != nil {
		return nil, err
	}
	var answer map[string]map[string]scalar
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, malformed(request, errors.New(plainJSON(err)))
	}
	tree := make(pve.PermissionTree, len(answer))
	for path, privileges := range answer {
		tree[path] = make(map[string]bool, len(privileges))
		for privilege, propagate := range privileges {
			tree[path][privilege] = propagate.flag()
		}
	}
	return tree, nil
}

// askACL asks for the access rules. They are whole only with Sys.Audit on
// /access.
func (r *reader) askACL(ctx context.Context, tree pve.PermissionTree) facts.Read[[]pve.ACLEntry] {
	const request = "GET /access/acl"
	from := r.client.options.Now()
	data, err := r.cluster(ctx, "/access/acl", nil)
	if err != nil {
		return failedRead[[]pve.ACLEntry](r, from, request, err)
	}
	entries, problems, err := decodeRows(request, data, aclRow)
	if err != nil {
		return failedRead[[]pve.ACLEntry](r, from, request, err)
	}
	slices.SortFunc(entries, func(a, b pve.ACLEntry) int { // Proxmox VE gives them in any order
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Role, b.Role))
	})
	read := facts.Read[[]pve.ACLEntry]{State: rowState(problems), Value: entries, Stamp: r.stamp(from), Problems: problems}
	if read.State == facts.OK && !tree.Holds("/access", pve.SysAudit) {
		read.State = facts.Filtered
	}
	return read
}

func aclRow(row json.RawMessage) (pve.ACLEntry, error) {
	var wire struct {
		Path, Type, UGID, RoleID, Propagate scalar
	}
	if err := json.Unmarshal(row, &wire); err != nil {
		return pve.ACLEntry{}, err
	}
	if wire.Path.text == "" {
		return pve.ACLEntry{}, errors.New("it names no path")
	}
	return pve.ACLEntry{
		Path: wire.Path.text, Type: wire.Type.text, Subject: wire.UGID.text, Role: wire.RoleID.text,
		Propagate: wire.Propagate.flag(),
	}, nil
}
