package findings

// wordings are the ways in which each code is said: the variant and a colon if there
// are several, the parameters, and after a semicolon the words of additions.
var wordings = map[Code][]string{
	AssignedTwice: {
		"one_line: vmid node slot devices message; running",
		"two_lines: vmid node slot other_slot devices message; running",
	},
	HostAndMapping:         lineRefusedWordings,
	Q35Missing:             lineRefusedWordings,
	LegacyIGDQ35:           lineRefusedWordings,
	LegacyIGDVGA:           lineRefusedWordings,
	LegacyIGDROMBar:        lineRefusedWordings,
	LegacyIGDXVGA:          lineRefusedWordings,
	LegacyIGDMdev:          lineRefusedWordings,
	LegacyIGDMultifunction: lineRefusedWordings,
	LegacyIGDAlternatives:  lineRefusedWordings,
	LegacyIGDAddress:       lineRefusedWordings,
	LegacyIGDTwice:         lineRefusedWordings,
	MdevMultifunction:      lineRefusedWordings,
	HostPCILineIgnored: {
		"vmid node key line message; bad_slot white_space unknown_option no_value option_twice not_boolean unknown_value " +
			"bad_mapping_name romfile_semicolon mdev_characters not_hexadecimal remark no_address upper_case not_address_alone said " +
			"another_line named_already",
	},
	HostPCILineRepeated:      {"vmid node slot"},
	HostPCIHostIsMappingName: {"vmid node key line message mapping"},
	ROMFileRemark:            {"vmid node slot file"},
	ROMFileMissing:           {"vmid node slot file"},
	DriverKeep:               {"vmid node slot"},
	DriverKeepUnbound:        {"vmid node slot devices; running"},
	XVGANoEffect: {
		"default_display: vmid node slot",
		"no_display: vmid node slot vga",
		"display: vmid node slot vga",
	},
	MemoryPinned: {
		"balloon: vmid node memory balloon",
		"exceeds: vmid node memory node_memory",
	},
	TemplateReference: {"vmid node slot"},
	SnapshotRestoresDevice: {
		"address: vmid node slot snapshots address",
		"mapping: vmid node slot snapshots mapping",
		"mapping_gone: vmid node slot snapshots mapping",
	},
	ArgsPassesDevice: {"vm: vmid node", "template: vmid node"},
	HookscriptSet:    {"vmid node"},

	DeviceNotPresent: {
		"vm: node vmid slots addresses message; other_spelling other_domain zero_domain same_slot vf_again elsewhere",
		"template: node vmid slots addresses message; other_spelling other_domain zero_domain same_slot vf_again elsewhere",
	},
	DeviceShared: {
		"named: node vms devices; held released by_itself",
		"unread: node vms devices; by_itself",
	},
	DeviceClassUnexpected: {"node vmid slot devices options"},
	DeviceMoved: {
		"shifted: node vmid from to shift",
		"entry: node mapping path id places",
		"entries: node mapping path id places count",
		"devices: node mapping path id places",
	},
	IdenticalDevices:   {"node mapping path id places count"},
	FunctionLeftBehind: {"node vmid slot device left"},
	HostDevicePassed: {
		"in_use: node vmid slot device class; loses_mounts loses_swap loses_network loses_console",
		"storage: node vmid slot device class",
		"network_only: node vmid slot device class",
		"network_last: node vmid slot device class",
		"boot_display: node vmid slot device class",
		"management: node vmid slot device class",
	},
	PFTakenWithVFs: {
		"vfs: node vmid slot device vfs vms",
		"mdev: node vmid slot device slices",
	},
	MdevTypeUnknown: {
		"no_mdev: node vmid slot device type",
		"not_nvidia: node vmid slot device type",
		"no_type: node vmid slot device type",
	},
	MdevExhausted: {"node vmid slot device type wanted available"},
	MdevAndWhole:  {"node device wholes parts"},

	NoIOMMU:      {"node vms"},
	NoIOMMUGroup: {"node vmid slot devices"},
	GroupShared:  {"node group vms uses message; by_itself"},
	GroupTakesHostDevice: {
		"certain: node vmid slot groups taken; loses_mounts loses_swap loses_network loses_console others_pool others_mdev_runs others_mdev",
		"maybe: node vmid slot groups taken; loses_mounts loses_swap loses_network loses_console others_pool others_mdev_runs others_mdev",
	},
	GroupMateBound: {
		"certain: node vmid slot groups taken",
		"maybe: node vmid slot groups taken",
	},
	ACSOverrideActive: {"node parameter"},

	MappingInvalid: {"mapping node path message; entry_no_device entry_differs"},
	MappingNotFound: {
		"vm: vmid slot mapping message",
		"template: vmid slot mapping message",
	},
	MappingNoEntryForNode: {
		"vm: mapping node vmid slot message",
		"vms: mapping node lines message",
		"templates: mapping node lines message",
		"device: mapping node devices",
	},
	MappingEntriesAreAlternatives: {"mapping node devices"},
	MappingGroupUnchecked:         {"mapping node devices"},
	MappingOverlap: {
		"mappings: node device mappings",
		"lines: node device mappings lines",
	},
	MappingOversubscribed: {
		"fewer: mapping node devices wanted vms",
		"single: mapping node devices wanted vms",
		"starting: mapping node devices wanted vms starting",
		"alone: mapping node devices alone; together",
		"elsewhere: mapping vms; elsewhere_entries elsewhere_taken",
	},
	MappingMixed: {
		"by_use: mapping ids",
		"by_node: mapping ids",
	},
	MappingPartialNode:         {"vmid slot mapping nodes; no_entry invalid_entry"},
	MappingRequestRefused:      nil, // no rule gives them yet
	MappingChangedWhileRunning: nil,
	MappingUnused: {
		"proven: mapping",
		"token: mapping",
		"files: mapping",
	},

	LiveFlagBlocksStart: {
		"flag: vmid slot mapping message",
		"viommu: vmid slot mapping viommu",
	},
	MigrationBlockedRaw:     {"vmid node slots message"},
	MigrationMissingMapping: {"vmid slot mapping nodes message; replicated equal_there"},
	MigrationDeviceDiffers: {
		"address: vmid differences",
		"mapping: vmid slot mapping node ids differences",
	},
	MigrationEqualDevice: {"vmid nodes"},
	MigrationStartFails:  {"vmid slot mapping nodes; invalid_entry no_type"},
	HARawAddress:         {"vmid addresses nodes"},
	BootOrderCollision: {
		"named: node device vms starting",
		"pool: node device mapping vmid vms",
	},
	BackupClaimsDevice: {
		"blocks: vmid jobs slots",
		"fails: vmid jobs slots holders",
	},

	ContainerUsesDevice: {
		"certain: node container devices; stopped",
		"maybe: node container devices; stopped every_gpu only_fits which_unknown",
	},
	ContainerSharesDevice: {
		"certain: node container devices vms; stopped",
		"maybe: node container devices vms; stopped every_gpu only_fits which_unknown",
	},
	ContainerDeviceHeldByVM: {"node container devices vms paths; stopped"},
}

// lineRefusedWordings are those of what Proxmox VE refuses at the start of a VM.
var lineRefusedWordings = []string{"vmid node slot message; running"}

// additions are the sentences that may follow, each with its parameters.
var additions = map[string]string{
	"running":   "vmid",
	"by_itself": "",
	"held":      "holder waiting message",
	"released":  "holder",

	// Why Proxmox VE drops a line.
	"bad_slot":          "",
	"white_space":       "",
	"unknown_option":    "unknown_options",
	"no_value":          "",
	"option_twice":      "",
	"not_boolean":       "boolean_options",
	"unknown_value":     "unknown_value_options",
	"bad_mapping_name":  "",
	"romfile_semicolon": "",
	"mdev_characters":   "",
	"not_hexadecimal":   "hexadecimal_options",
	"remark":            "",
	"no_address":        "",
	"upper_case":        "",
	"not_address_alone": "",
	"said":              "message",
	"another_line":      "",
	"named_already":     "named",

	// What resembles an address that names nothing.
	"other_spelling": "spelled",
	"other_domain":   "domain_devices",
	"zero_domain":    "zero_devices",
	"same_slot":      "slot_devices",
	"vf_again":       "virtual",
	"elsewhere":      "nodes",

	// What the host loses.
	"loses_mounts":  "mounts",
	"loses_swap":    "",
	"loses_network": "interfaces",
	"loses_console": "",

	"others_pool":      "pool_lines",
	"others_mdev_runs": "running_lines",
	"others_mdev":      "mdev_lines",

	"entry_no_device":   "missing",
	"entry_differs":     "differences",
	"no_entry":          "lacking",
	"invalid_entry":     "invalid",
	"no_type":           "without_type type",
	"together":          "wanted vms",
	"elsewhere_entries": "nodes",
	"elsewhere_taken":   "taken",
	"replicated":        "replicas",
	"equal_there":       "devices",

	// Why it is not certain which GPU a container uses, or that it is all of them.
	"stopped":       "",
	"every_gpu":     "every_paths",
	"only_fits":     "fitting_paths",
	"which_unknown": "unknown_paths",
}
