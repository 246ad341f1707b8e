package placement

// ReasonCode is the stable name of a kind of reason. Wordings has a line for each.
type ReasonCode string

// What refuses the start, in the order in which Proxmox VE comes to it.
const (
	IsTemplate       ReasonCode = "template"
	Locked           ReasonCode = "locked"
	LineRefused      ReasonCode = "line_refused"
	MappingNotFound  ReasonCode = "mapping_not_found"
	MappingNoEntry   ReasonCode = "mapping_no_entry_for_node"
	EntryInvalid     ReasonCode = "mapping_invalid"
	DeviceNotPresent ReasonCode = "device_not_present"
	AssignedTwice    ReasonCode = "assigned_twice"
	NoFreeDevice     ReasonCode = "no_device_left"
	HeldByVM         ReasonCode = "held_by_vm"
	NoneLeft         ReasonCode = "none_left_in_any_case"
	NoIOMMU          ReasonCode = "no_iommu"
	NoGroup          ReasonCode = "no_iommu_group"
	GroupHeldByVM    ReasonCode = "group_held_by_vm"
	KeepUnbound      ReasonCode = "driver_keep_unbound"
	TypeUnknown      ReasonCode = "mdev_type_unknown"
	TypeExhausted    ReasonCode = "mdev_exhausted"
	ParentHeld       ReasonCode = "mdev_parent_held"
	MemoryExceeds    ReasonCode = "memory_exceeds_node"
	ROMMissing       ReasonCode = "romfile_missing"
)

// What is open.
const (
	ConfigUnread     ReasonCode = "config_unread"
	NodeOff          ReasonCode = "node_off"
	DevicesUnread    ReasonCode = "devices_unread"
	MappingInvisible ReasonCode = "mapping_invisible"
	EntryUntold      ReasonCode = "mapping_unchecked"
	GroupUnread      ReasonCode = "group_unread"
	DriverUnread     ReasonCode = "driver_unread"
	TypesUnread      ReasonCode = "mdev_types_unread"
	Sliced           ReasonCode = "mdev_in_use"
	MayBeHeld        ReasonCode = "may_be_held"
	TooManyWays      ReasonCode = "too_many_ways"
	ScopeUnproven    ReasonCode = "vm_scope_unproven"
	VMsUnseen        ReasonCode = "vms_unseen"
	VMUnread         ReasonCode = "vm_unread"
	VMArgs           ReasonCode = "vm_custom_args"
	VMHook           ReasonCode = "vm_hookscript"
	VMMappingGone    ReasonCode = "vm_mapping_gone"
	OwnArgs          ReasonCode = "own_custom_args"
)

// What the start gives and takes, and what is good to know.
const (
	Gets       ReasonCode = "gets"
	MayGet     ReasonCode = "may_get"
	GetsSlice  ReasonCode = "gets_mdev"
	GroupTakes ReasonCode = "group_takes"
	ROMUnseen  ReasonCode = "romfile_unseen"
)
