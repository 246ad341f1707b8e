package pve

// PermissionTree is the answer of GET /access/permissions: for each path the
// privileges that are held on it, with their propagate flag. False means granted
// on exactly this path, not denied. Paths without any right are left out of the
// answer.
type PermissionTree map[string]map[string]bool

// Holds tells whether a privilege is held on a path that the tree lists, with or
// without propagation.
func (t PermissionTree) Holds(path, privilege string) bool {
	_, held := t[path][privilege]
	return held
}

// Propagates tells whether a privilege is held on a path and everything below.
func (t PermissionTree) Propagates(path, privilege string) bool { return t[path][privilege] }

// ACLEntry is one line of GET /access/acl.
type ACLEntry struct {
	Path      string `json:"path"`
	Type      string `json:"type"` // user, group or token
	Subject   string `json:"ugid"`
	Role      string `json:"roleid"`
	Propagate bool   `json:"propagate"`
}

// The privileges that this product reads with.
const (
	SysAudit      = "Sys.Audit"
	SysModify     = "Sys.Modify"
	VMAudit       = "VM.Audit"
	MappingAudit  = "Mapping.Audit"
	MappingUse    = "Mapping.Use"
	MappingModify = "Mapping.Modify"
)

// VMConfigHWType is what a change of a hostpci line with a mapping takes.
const VMConfigHWType = "VM.Config.HWType"
