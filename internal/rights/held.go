package rights

import (
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// Held tells whether a credential holds one of the privileges on a path. told is
// false where that cannot be concluded: Proxmox VE lists no path without rights, so
// an unlisted one may be barred by a rule or a pool that was not shown, and a rule
// that does not propagate may cover one that does.
func Held(r Shown, path string, privileges ...string) (held, told bool) {
	v := viewOf(r)
	path = normal(path)
	if _, listed := v.tree[path]; listed {
		return v.holds(path, privileges...), true
	}
	whole := v.answered && v.holds(accessPath, pve.SysAudit)
	if v.touched[path] {
		return false, whole
	}
	if strings.HasPrefix(path, vmsPath+"/") {
		pools := append([]string{poolPath}, v.below(poolPath)...)
		whole = whole && len(v.notPropagating(pools, privileges...)) == 0
	}
	above := parent(path)
	for above != rootPath && !v.touched[above] {
		above = parent(above)
	}
	if v.propagates(above, privileges...) {
		return true, whole
	}
	covering := slices.ContainsFunc(r.Rules, func(rule pve.ACLEntry) bool {
		return !rule.Propagate && isAbove(normal(rule.Path), path)
	})
	return false, whole && !covering
}

func isAbove(above, path string) bool {
	return above == rootPath || strings.HasPrefix(path, above+"/")
}

func parent(path string) string {
	if at := strings.LastIndexByte(path, '/'); at > 0 {
		return path[:at]
	}
	return rootPath
}
