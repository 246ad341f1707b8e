package pvesim

import "slices"

// privilegeFamily holds the privileges of one kind of object by the kind of
// user that they are meant for. PVE makes its predefined roles from them
// (PVE::AccessControl).
type privilegeFamily struct {
	name                     string
	root, admin, user, audit []string
}

func privilegeFamilies(r release) []privilegeFamily {
	families := []privilegeFamily{
		vmPrivileges(r),
		{
			name: "Sys", root: []string{"Permissions.Modify", "Sys.AccessNetwork", "Sys.Incoming", "Sys.Modify", "Sys.PowerMgmt"},
			admin: []string{"Sys.Console", "Sys.Syslog"}, audit: []string{"Sys.Audit"},
		},
		{
			name: "Datastore", admin: []string{"Datastore.Allocate", "Datastore.AllocateTemplate"},
			user: []string{"Datastore.AllocateSpace"}, audit: []string{"Datastore.Audit"},
		},
		{name: "SDN", admin: []string{"SDN.Allocate"}, user: []string{"SDN.Use"}, audit: []string{"SDN.Audit"}},
		{
			name: "User", root: []string{"Realm.Allocate"},
			admin: []string{"Group.Allocate", "Realm.AllocateUser", "User.Modify"},
		},
		{name: "Pool", admin: []string{"Pool.Allocate"}, audit: []string{"Pool.Audit"}},
	}
	if r.mappings() {
		families = append(families, privilegeFamily{
			name: "Mapping", admin: []string{"Mapping.Modify"}, user: []string{"Mapping.Use"}, audit: []string{"Mapping.Audit"},
		})
	}
	return families
}

func vmPrivileges(r release) privilegeFamily {
	family := privilegeFamily{
		name: "VM",
		admin: []string{
			"VM.Allocate", "VM.Clone", "VM.Config.CPU", "VM.Config.Disk", "VM.Config.HWType", "VM.Config.Memory",
			"VM.Config.Network", "VM.Config.Options", "VM.Migrate", "VM.Snapshot", "VM.Snapshot.Rollback",
		},
		user:  []string{"VM.Backup", "VM.Config.CDROM", "VM.Config.Cloudinit", "VM.Console", "VM.PowerMgmt"},
		audit: []string{"VM.Audit"},
	}
	if !r.guestAgentPrivileges() {
		family.admin = append(family.admin, "VM.Monitor")
		return family
	}
	family.admin = append(family.admin, "VM.GuestAgent.Unrestricted", "VM.Replicate")
	family.user = append(family.user, "VM.GuestAgent.FileRead", "VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.FileWrite")
	family.audit = append(family.audit, "VM.GuestAgent.Audit")
	return family
}

// privilegeSet is a set of privileges.
type privilegeSet map[string]bool

func (s privilegeSet) add(names ...string) {
	for _, name := range names {
		s[name] = true
	}
}

// predefinedRoles gives the roles that every installation has.
func predefinedRoles(r release) map[string]privilegeSet {
	all, admin, audit := privilegeSet{}, privilegeSet{}, privilegeSet{}
	roles := map[string]privilegeSet{
		"Administrator": all, "PVEAdmin": admin, "PVEAuditor": audit, "NoAccess": {},
		"PVETemplateUser": {"VM.Audit": true, "VM.Clone": true},
	}
	for _, family := range privilegeFamilies(r) {
		all.add(slices.Concat(family.root, family.admin, family.user, family.audit)...)
		audit.add(family.audit...)
		admin.add(slices.Concat(family.user, family.audit)...)
		if family.name != "Mapping" { // PVEAdmin may use mappings and not change them
			admin.add(family.admin...)
		}
		roles[roleName(family.name)+"Admin"] = setOf(slices.Concat(family.admin, family.user, family.audit))
		if len(family.user) > 0 {
			roles[roleName(family.name)+"User"] = setOf(slices.Concat(family.user, family.audit))
		}
	}
	return roles
}

func roleName(family string) string { return "PVE" + family }

func setOf(names []string) privilegeSet {
	set := privilegeSet{}
	set.add(names...)
	return set
}
