package test

import (
	"errors"
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// mustNotOfLines are wrong conclusions from single lines and their options.
var mustNotOfLines = wrongConclusions{
	"FC-001": {
		{"treat the list as 'the first free one'", func(e *evidence) {
			e.wantLines("node-a", 101, "hostpci0 0000:01:00.0", "hostpci0 0000:01:00.1")
			e.wantUsers("node-a", "0000:01:00.0", atlas.Referenced, 101)
			e.wantUsers("node-a", "0000:01:00.1", atlas.Referenced, 101)
		}},
		{"read ';' as a separator between options", func(e *evidence) {
			e.nothingRefused(101)
			for _, v := range e.all {
				if line := v.line(e.T, 101, 0); line.Host != "01:00.0;01:00.1" || len(line.Options()) != 1 {
					e.Errorf("%s: the line has the options %v", v.way, line.Options())
				}
			}
		}},
		{"lose the missing 0000: domain", func(e *evidence) {
			e.wantUnplaced("node-a", 101)
			e.wantLines("node-a", 101, "hostpci0 0000:01:00.0", "hostpci0 0000:01:00.1")
			e.none(e.all, code(findings.DeviceNotPresent))
		}},
	},
	"FC-003": {
		{"count 0000:09:00.0 twice and call it assigned more than once", func(e *evidence) {
			e.wantLines("node-a", 108, "hostpci0 0000:09:00.0", "hostpci0 0000:09:00.1")
			e.wantUsers("node-a", "0000:09:00.0", atlas.Referenced, 108)
			e.none(e.all, code(findings.AssignedTwice, findings.DeviceShared))
		}},
		{"take the # line as a setting: PVE stores it as the VM's notes", func(e *evidence) {
			e.nothingRefused(108)
			e.none(e.all, saying("for multiple ones"))
			e.some(e.files, code(findings.HostPCILineRepeated), ofSlot(108, 0))
		}},
	},
	"FC-005": {
		{"reject driver=vfio", func(e *evidence) {
			e.nothingRefused(100)
			e.wantLines("node-a", 100, "hostpci0 0000:01:00.0", "hostpci0 0000:01:00.1")
		}},
		{"mix it up with driver=keep", func(e *evidence) {
			e.none(e.all, code(findings.DriverKeep, findings.DriverKeepUnbound))
			for _, v := range e.all {
				if line := v.line(e.T, 100, 0); line.Driver != "vfio" {
					e.Errorf("%s: the driver is %q", v.way, line.Driver)
				}
			}
		}},
	},
	"FC-006": {
		{"advise only to delete the option: hostpci0 without a function already contains .1", func(e *evidence) {
			// Whoever repairs the line has to be told that hostpci1 is in it then.
			e.together(e.files, []string{"multifunction", "hostpci1"}, code(findings.HostPCILineIgnored), ofSlot(120, 0))
		}},
	},
	"FC-007": {
		{"resolve host=p40 through the mapping table", func(e *evidence) {
			e.wantLines("node-a", 103)
			e.wantUnplaced("node-a", 103)
			for _, v := range e.on("node-a") {
				if device := v.device(e.T, "node-a", "0000:03:00.0"); len(device.References) > 0 || device.State == atlas.Referenced {
					e.Errorf("%s: the card is %s by %+v", v.way, device.State, device.References)
				}
			}
			e.some(e.files, code(findings.HostPCIHostIsMappingName), severity(findings.Error), ofSlot(103, 0))
		}},
	},
	"FC-011": {
		{"tell the user to switch the machine type and leave it at that", func(e *evidence) {
			// Without q35 the next start fails because of hostpci1 with pcie=1.
			e.together(e.all, []string{"hostpci1", "pcie"}, code(findings.LegacyIGDQ35), ofSlot(105, 0))
		}},
	},
	"FC-013": {
		{"look for the letters q35 in the file text", func(e *evidence) {
			e.some(e.all, code(findings.Q35Missing), severity(findings.Error), ofSlot(244, 0))
		}},
		{"take cpu hidden=1 for a hostpci option", func(e *evidence) {
			want := []pve.Option{{Name: "host", Value: "0a:00"}, {Name: "pcie", Value: "1"}}
			for _, v := range e.all {
				if got := v.line(e.T, 244, 0).Options(); !slices.Equal(got, want) {
					e.Errorf("%s: the line has the options %v", v.way, got)
				}
				for _, issue := range v.report.Nodes[0].Issues {
					e.Errorf("%s: %s", v.way, issue.Message)
				}
			}
			e.none(e.all, code(findings.HostPCILineIgnored))
		}},
	},
	"FC-015": {
		{"complain about the graphics line", func(e *evidence) {
			e.wantLines("node-a", 102, "hostpci0 0000:00:02.0", "hostpci1 0000:00:1f.3", "hostpci2 0000:04:00.0", "hostpci3 0000:00:17.0")
			e.none(e.all, ofSlot(102, 0), notCode(findings.ROMFileMissing))
			e.none(e.all, worseThan(findings.Info), saying("hostpci0"), notCode(findings.ROMFileMissing, findings.BackupClaimsDevice))
		}},
		{"read 'hostpci0' inside args as another reference", func(e *evidence) {
			e.wantUsers("node-a", "0000:00:02.0", atlas.Referenced, 102)
			e.wantLines("node-a", 102, "hostpci0 0000:00:02.0", "hostpci1 0000:00:1f.3", "hostpci2 0000:04:00.0", "hostpci3 0000:00:17.0")
			e.none(e.all, code(findings.ArgsPassesDevice, findings.AssignedTwice))
		}},
	},
	"FC-017": {
		{"say 'three places free, can start'", func(e *evidence) {
			for _, address := range []string{"0000:00:02.1", "0000:00:02.2", "0000:00:02.3"} {
				e.wantUsers("node-a", address, atlas.NeedsReview, 201)
			}
			for _, v := range e.on("node-a") {
				refusedAtStart(e.T, v, "node-a", "mapping=igpu")
			}
			gone := []string{"0000:00:02.4", "0000:00:02.5", "0000:00:02.6", "0000:00:02.7"}
			e.together(e.all, gone, code(findings.MappingInvalid), severity(findings.Error), ofMapping("igpu"))
		}},
	},
}

// refusedAtStart checks that Proxmox VE would refuse the line on the node.
func refusedAtStart(t *testing.T, v *view, node, value string) {
	t.Helper()
	mappings := map[string]*pve.Mapping{}
	for i := range v.report.Mappings {
		mappings[v.report.Mappings[i].ID] = &v.report.Mappings[i]
	}
	hardware := atlas.Hardware{Node: node, Devices: v.report.Node(node).Devices, Mappings: mappings}
	_, err := hardware.ResolveSlot(value)
	if refusal, ok := errors.AsType[*atlas.RefusalError](err); !ok || refusal.Code != atlas.RefusedMapping {
		t.Errorf("%s: the start with %s ends with %v", v.way, value, err)
	}
}
