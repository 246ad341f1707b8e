package doctor

//go:generate go run pciatlas/scripts/wordings ../../web/src/i18n/placing-wordings.json

import "strings"

// ReadingCode is the stable name of a kind of reading. Wordings has a line for each.
type ReadingCode string

// FixCode is the stable name of what a fix is for.
type FixCode string

// The fixes.
const (
	FixFirmwareIOMMU FixCode = "firmware_iommu" // settings of the firmware, no command
	FixGRUB          FixCode = "grub"           // a line of the file
	FixSystemdBoot   FixCode = "systemd_boot"   // words to add to the only line of the file
	FixRun           FixCode = "run"            // makes the change before it count
	FixVFIO          FixCode = "vfio_ids"
	FixBlacklist     FixCode = "blacklist"
	FixOtherSlot     FixCode = "other_slot" // advice, no command
	FixUnlock        FixCode = "unlock"
)

// FixCodes are all of them.
func FixCodes() []FixCode {
	return []FixCode{FixFirmwareIOMMU, FixGRUB, FixSystemdBoot, FixRun, FixVFIO, FixBlacklist, FixOtherSlot, FixUnlock}
}

// GoodCode is the stable name of what the output of commands should look like.
type GoodCode string

// The good outputs.
const (
	GoodIOMMU   GoodCode = "iommu_on"
	GoodDevice  GoodCode = "device_listed"
	GoodLines   GoodCode = "lines_listed"
	GoodGroup   GoodCode = "group_clean"
	GoodDriver  GoodCode = "vfio_or_none"
	GoodMapping GoodCode = "no_faults"
	GoodConfig  GoodCode = "as_meant"
	GoodHeld    GoodCode = "no_holder"
	GoodReset   GoodCode = "methods"
	GoodBARs    GoodCode = "no_bar_errors"
	GoodSlices  GoodCode = "instances_left"
)

// goodSentences say in English what good output looks like.
var goodSentences = map[GoodCode]string{
	GoodIOMMU:   "DMAR: IOMMU enabled, or AMD-Vi: Interrupt remapping enabled",
	GoodDevice:  "A line with the address and the ids of the device",
	GoodLines:   "Lines hostpci0 and so on",
	GoodGroup:   "The device in a group without anything that the host needs",
	GoodDriver:  "Kernel driver in use: vfio-pci, or no driver",
	GoodMapping: "An empty list of checks for the mapping",
	GoodConfig:  "The lines as you mean them, and nothing pending that you do not expect",
	GoodHeld:    "No running VM with one of these devices",
	GoodReset:   "flr, pm or bus",
	GoodSlices:  "The type, with a number above 0 as available, and no running VM that holds the whole device",
	GoodBARs:    "No line with \"can't assign\" or \"no space for\"",
}

// GoodCodes are all of them.
func GoodCodes() []GoodCode {
	return []GoodCode{GoodIOMMU, GoodDevice, GoodLines, GoodGroup, GoodDriver, GoodMapping, GoodConfig, GoodHeld, GoodReset, GoodBARs, GoodSlices}
}

// Wording is how the sentence of a reading is said.
type Wording struct {
	Code ReadingCode `json:"code"`
	// Params are those that the sentence needs. A reading may have more.
	Params []string `json:"params"`
}

// Wordings gives how all readings are said, in the order of the checks.
func Wordings() []Wording {
	all := make([]Wording, len(wordings))
	for i, text := range wordings {
		code, params, _ := strings.Cut(text, ":")
		all[i] = Wording{Code: ReadingCode(code), Params: strings.Fields(params)}
	}
	return all
}

var wordings = []string{
	"iommu_present: node count",
	"iommu_absent: node",
	"iommu_groups: node count",
	"iommu_no_groups: node",
	"iommu_unseen: node",
	"command_line: words",
	"present: device name class",
	"absent: node selector slot",
	"devices_unread: node selector",
	"nothing_named:",
	"config_unread: vmid",
	"no_device:",
	"no_group: devices",
	"groups_unread: devices",
	"group_takes_used: group devices",
	"group_takes: group devices",
	"group_harmless: group devices",
	"group_alone: group",
	"kept_unbound: device driver",
	"kept_no_driver: device",
	"bound: device driver",
	"unbound: device",
	"boot_display: device driver",
	"host_driver: device driver",
	"driver_unread: devices",
	"mapping_not_found: mapping slot",
	"mapping_invisible: mapping slot",
	"mapping_no_entry: mapping slot node",
	"not_mapped: device",
	"entry_invalid: mapping entry path message",
	"entry_unread: mapping entry path",
	"entry_fits: mapping entry path",
	"refused: slot message",
	"start_refused: message",
	"line_dropped: line key message",
	"locked: vmid lock",
	"template: vmid",
	"custom_args: vmid",
	"hookscript: vmid",
	"config_fine:",
	"runs: vmid",
	"held: vms",
	"group_held: vms",
	"may_be_held: vms",
	"mdev_unread: slot devices type",
	"mdev_exhausted: slot devices type",
	"mdev_type_unknown: slot devices type",
	"unseen: issue message",
	"named_by_others: vms",
	"not_held: checked visible",
	"reset_methods: device methods",
	"reset: device",
	"no_reset: device",
	"reset_unread: devices",
	"firmware: settings",
}
