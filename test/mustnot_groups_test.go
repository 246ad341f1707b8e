package test

import (
	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
)

// mustNotOfGroups are wrong conclusions about IOMMU groups, vanished devices, and
// what VMs meet on other nodes.
var mustNotOfGroups = wrongConclusions{
	"FC-075": {
		{"warn about the shared group 20: both members go to the same VM", func(e *evidence) {
			e.wantLines("node-a", 105, "hostpci0 0000:05:00.0", "hostpci1 0000:06:00.0", "hostpci2 0000:0a:00.0")
			e.none(e.all, code(findings.GroupShared, findings.GroupTakesHostDevice, findings.GroupMateBound, findings.DeviceShared))
		}},
	},
	"FC-079": {
		{"mention only the passed device", func(e *evidence) {
			mates := []string{"0000:00:1f.4", "0000:00:1f.5", "0000:00:1f.6"}
			e.together(e.all, mates, code(findings.GroupTakesHostDevice, findings.GroupMateBound), ofSlot(100, 1))
			e.some(e.all, code(findings.GroupTakesHostDevice), ofSlot(100, 1), saying("0000:00:1f.6"))
		}},
		{"leave 00:1f.0 out because it is called a bridge: only PCI bridges are skipped, an ISA bridge is not", func(e *evidence) {
			e.wantTaken("0000:00:1f.3", "0000:00:1f.0")
			e.together(e.all, []string{"0000:00:1f.0"}, code(findings.GroupTakesHostDevice, findings.GroupMateBound), ofSlot(100, 1))
		}},
	},
	"FC-080": {
		{"judge groups on the default list: it hides 00:14.2", func(e *evidence) {
			e.wantTaken("0000:00:14.0", "0000:00:14.2")
			e.together(e.all, []string{"0000:00:14.2"}, code(findings.GroupTakesHostDevice, findings.GroupMateBound), ofSlot(310, 0))
		}},
	},
	"FC-082": {
		{"treat -1 as a group shared by all devices", func(e *evidence) {
			for _, v := range e.on("node-a") {
				node, device := v.report.Node("node-a"), v.device(e.T, "node-a", "0000:01:00.0")
				if device.Device.Group.Value != nil || node.Group(device) != nil {
					e.Errorf("%s: the group has the members %+v", v.way, node.Group(device))
				}
			}
			e.none(e.all, code(findings.GroupShared, findings.GroupTakesHostDevice, findings.GroupMateBound))
			e.none(e.all, saying("group -1"))
			e.some(e.all, code(findings.NoIOMMUGroup), severity(findings.Error), ofSlot(100, 0))
		}},
	},
	"FC-084": {
		{"stop at the first missing line", func(e *evidence) {
			e.wantUnplaced("node-a", 101, "hostpci1 0000:79:00.1 device_not_present",
				"hostpci2 0000:79:00.6 device_not_present", "hostpci3 0000:77:00.0 device_not_present")
			e.together(e.all, []string{"0000:79:00.1", "0000:79:00.6", "0000:77:00.0"},
				code(findings.DeviceNotPresent), severity(findings.Error), ofVM(101))
		}},
		{"call hostpci0 fine because an address matches", func(e *evidence) {
			e.some(e.all, code(findings.DeviceClassUnexpected), severity(findings.Warning), ofSlot(101, 0))
		}},
	},
	"FC-086": {
		{"report igpu as a prefix hit of igpu-audio", func(e *evidence) {
			e.wantLines("node-a", 101, "hostpci0 0000:7a:00.0 igpu", "hostpci1 0000:7a:00.1 igpu-audio")
			e.none(e.all, code(findings.MappingOverlap, findings.AssignedTwice, findings.MappingOversubscribed, findings.MappingUnused))
		}},
		{"reject romfile together with mapping", func(e *evidence) {
			e.nothingRefused(101)
			for _, v := range e.all {
				if line := v.line(e.T, 101, 0); line.Mapping != "igpu" || line.RomFile != "vbios_9950x.bin" {
					e.Errorf("%s: the line is %s", v.way, line)
				}
			}
			e.none(e.all, code(findings.HostAndMapping))
			e.none(e.all, worseThan(findings.Info), saying("romfile"), notCode(findings.ROMFileMissing))
		}},
		{"turn the reset message into an error", func(e *evidence) {
			e.none(e.all, severity(findings.Error), notCode(findings.ROMFileMissing))
			e.none(e.all, worseThan(findings.Info), saying("reset"))
		}},
	},
	"FC-092": {
		{"treat 0000:0a:00.0 of both nodes as one device", func(e *evidence) {
			e.wantUsers("node-a", "0000:0a:00.0", atlas.Referenced, 701)
			e.wantUsers("node-b", "0000:0a:00.0", atlas.Unreferenced)
			e.some(e.api, code(findings.MigrationDeviceDiffers), ofVM(701))
			e.none(e.api, code(findings.MigrationEqualDevice), ofSlot(701, 0))
			e.none(e.api, code(findings.MigrationEqualDevice), ofSlot(701, atlas.NoSlot))
		}},
		{"call the move ready because the addresses exist", func(e *evidence) {
			for _, vmid := range []int{701, 702} {
				e.some(e.on("node-a"), code(findings.MigrationBlockedRaw), severity(findings.Warning), ofVM(vmid))
			}
		}},
	},
	"FC-094": {
		{"resolve the line against node-a", func(e *evidence) {
			e.wantUsers("node-a", "0000:00:02.0", atlas.Unreferenced)
			e.wantLines("node-a", 9004)
			e.wantUnplaced("node-b", 9004, "hostpci0 0000:00:02.0 device_not_present")
			e.some(e.on("node-b"), code(findings.DeviceNotPresent), severity(findings.Error), ofSlot(9004, 0))
		}},
	},
	"FC-096": {
		{"say two lines with one mapping name are 'assigned more than once': with several entries each line takes another device", func(e *evidence) {
			e.wantLines("node-a", 603,
				"hostpci0 0000:01:00.0 gpu candidate", "hostpci0 0000:02:00.0 gpu candidate",
				"hostpci1 0000:01:00.0 gpu candidate", "hostpci1 0000:02:00.0 gpu candidate")
			e.none(e.all, code(findings.AssignedTwice))
		}},
		{"call node-b's entry free because no VM names the mapping there", func(e *evidence) {
			e.wantUsers("node-b", "0000:81:00.0", atlas.Referenced, 602)
			e.some(e.api, code(findings.MappingOversubscribed, findings.MappingOverlap, findings.MigrationStartFails), saying("node-b", "0000:81:00.0"))
		}},
	},
}

// wantTaken checks that a start that names one function of node-a takes another.
func (e *evidence) wantTaken(named, other string) {
	e.Helper()
	for _, v := range e.on("node-a") {
		taken := false
		for _, member := range v.report.Node("node-a").Group(v.device(e.T, "node-a", named)) {
			taken = taken || member.Taken && member.Address == parseAddress(e.T, other)
		}
		if !taken {
			e.Errorf("%s: %s does not take %s", v.way, named, other)
		}
	}
}
