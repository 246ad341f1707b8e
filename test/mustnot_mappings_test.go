package test

import (
	"regexp"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

// mustNotOfMappings are wrong conclusions from mappings, and about who shares a
// device.
var mustNotOfMappings = wrongConclusions{
	"FC-018": {
		{"report that VM 300 gets both functions", func(e *evidence) {
			e.wantLines("node-a", 300, "hostpci0 0000:3c:00.0 rtx-3090 candidate", "hostpci0 0000:3c:00.1 rtx-3090 candidate")
			e.wantUsers("node-a", "0000:3c:00.0", atlas.NeedsReview, 300)
			e.wantUsers("node-a", "0000:3c:00.1", atlas.NeedsReview, 300)
			e.some(e.all, code(findings.MappingEntriesAreAlternatives), severity(findings.Warning), ofMapping("rtx-3090"))
		}},
		{"count two GPUs", func(e *evidence) {
			e.wantDefaultList("node-a", "0000:3c:00.0")
			e.none(e.all, saying("2 GPUs"))
			e.none(e.all, saying("two GPUs"))
		}},
	},
	"FC-021": {
		{"count 0000:54:00.0 as passed", func(e *evidence) {
			e.wantLines("node-a", 105, "hostpci0 0000:53:00.0 arc-b70")
			e.wantUsers("node-a", "0000:54:00.0", atlas.Unreferenced)
		}},
		{"report an error: leaving it out is allowed", func(e *evidence) {
			e.none(e.all, severity(findings.Error))
			e.none(e.all, worseThan(findings.Info), code(findings.FunctionLeftBehind))
			e.none(e.all, worseThan(findings.Info), saying("0000:54:00.0"))
		}},
	},
	"FC-023": {
		{"believe the field help and say that one port is still free for 109", func(e *evidence) {
			e.wantLines("node-a", 109, "hostpci0 0000:09:00.0 nic", "hostpci0 0000:09:00.1 nic")
			e.wantUsers("node-a", "0000:09:00.0", atlas.MultiReferenced, 108, 109)
			e.wantUsers("node-a", "0000:09:00.1", atlas.MultiReferenced, 108, 109)
			e.together(e.all, []string{"0000:09:00.0", "0000:09:00.1", "109"}, code(findings.DeviceShared))
		}},
	},
	"FC-025": {
		{"take group 0 as 'no group'", func(e *evidence) {
			for _, v := range e.on("node-a") {
				device := v.device(e.T, "node-a", "0000:00:02.0")
				if group := device.Device.Group.Value; group == nil || *group != 0 || len(v.report.Node("node-a").Group(device)) != 1 {
					e.Errorf("%s: the group is %v", v.way, group)
				}
			}
			e.none(e.all, code(findings.NoIOMMU, findings.NoIOMMUGroup))
			e.some(e.all, code(findings.MappingInvalid), ofMapping("igpu-a"), saying("iommugroup"))
		}},
		{"suggest a value other than 0", func(e *evidence) {
			group := regexp.MustCompile(`iommugroup[= ]+(-?\w+)`)
			for _, f := range e.some(e.all, code(findings.MappingInvalid), ofMapping("igpu-a")) {
				values := group.FindAllStringSubmatch(strings.Join(f.Remedy, "\n"), -1)
				if len(values) == 0 {
					e.Errorf("the remedy %q gives no group", f.Remedy)
				}
				for _, value := range values {
					if value[1] != "0" {
						e.Errorf("the remedy %q gives group %s", f.Remedy, value[1])
					}
				}
			}
		}},
	},
	"FC-027": {
		{"print the two numbers the wrong way round: the device's value comes first", func(e *evidence) {
			e.some(e.all, code(findings.MappingInvalid), ofMapping("nvidia_rtx_a4000"), saying("100 != 97"))
			e.none(e.all, saying("97 != 100"))
		}},
		{"say the card is gone", func(e *evidence) {
			e.wantLines("node-a", 201, "hostpci0 0000:01:00.0 nvidia_rtx_a4000")
			e.wantUnplaced("node-a", 201)
			e.none(e.all, code(findings.DeviceNotPresent, findings.DeviceMoved))
			e.none(e.all, code(findings.MappingInvalid), saying("not found"))
		}},
	},
	"FC-029": {
		{"stay silent because no VM uses the mapping yet", func(e *evidence) {
			e.some(e.all, code(findings.MappingInvalid), severity(findings.Error), ofMapping("gpu"))
		}},
		{"print the path without .0 as the device", func(e *evidence) {
			for _, f := range e.some(e.all, code(findings.MappingInvalid), ofMapping("gpu")) {
				if !strings.Contains(wording(f), "'0000:0b:00.0'") || strings.Contains(wording(f), "'0000:0b:00'") ||
					f.Subject.Device != nil && *f.Subject.Device != parseAddress(e.T, "0000:0b:00.0") {
					e.Errorf("the device is %v in %q", f.Subject.Device, wording(f))
				}
			}
		}},
	},
	"FC-031": {
		{"check only the fields inside the map line", func(e *evidence) {
			e.some(e.all, code(findings.MappingInvalid), severity(findings.Error), ofMapping("example"), saying("mdev"))
		}},
		{"trip over blanks in description", func(e *evidence) {
			for _, v := range e.all {
				if len(v.report.MappingLines) > 0 || len(v.report.Mappings) != 1 {
					e.Fatalf("%s: mappings %+v, dropped %+v", v.way, v.report.Mappings, v.report.MappingLines)
				}
				mapping := &v.report.Mappings[0]
				entries := mapping.On("node-a")
				if mapping.Description == nil || *mapping.Description != "This is a comment" || len(entries) != 1 ||
					entries[0].Description != "This is a device specific comment" || entries[0].ID != "8086:5916" {
					e.Errorf("%s: the mapping is %+v", v.way, mapping)
				}
			}
			e.wantLines("node-a", 130, "hostpci0 0000:00:02.0 example")
		}},
	},
	"FC-033": {
		{"warn about the group: both members belong to the slot", func(e *evidence) {
			e.wantLines("node-c", 500, "hostpci0 0000:43:00.0 rtx5090", "hostpci0 0000:43:00.1 rtx5090")
			e.none(e.all, code(findings.GroupShared, findings.GroupTakesHostDevice, findings.GroupMateBound, findings.MappingGroupUnchecked))
		}},
	},
	"FC-034": {
		{"fold case before comparing and call cap-id valid", func(e *evidence) {
			e.some(e.all, code(findings.MappingInvalid), severity(findings.Error), ofMapping("cap-id"), saying("10de:22bb", "10DE:22BB"))
			for _, v := range e.on("node-a") {
				refusedAtStart(e.T, v, "node-a", "mapping=cap-id")
			}
		}},
	},
	"FC-035": {
		{"guess that the only GPU is meant", func(e *evidence) {
			e.wantLines("node-a", 301)
			e.wantUnplaced("node-a", 301, "hostpci0 gpu mapping_not_found")
			e.wantReview("node-a", "0000:0b:00.0", atlas.IssueMappingNotFound)
			e.none(e.all, code(findings.MappingNotFound), saying("0000:0b:00"))
		}},
	},
	"FC-037": {
		{"call it an error: sharing among VMs of which one runs is a common, allowed setup", func(e *evidence) {
			e.some(e.all, code(findings.DeviceShared), severity(findings.Warning))
			e.none(e.all, severity(findings.Error))
		}},
	},
	"FC-039": {
		{"compare the written strings 0000:01:00 / 0000:01:00.0 / 01:00.1", func(e *evidence) {
			e.wantUsers("node-a", "0000:01:00.0", atlas.MultiReferenced, 107, 500)
			e.wantUsers("node-a", "0000:01:00.1", atlas.MultiReferenced, 107, 502)
			e.together(e.all, []string{"107", "500", "502", "0000:01:00.0", "0000:01:00.1"}, code(findings.DeviceShared))
		}},
	},
	"FC-041": {
		{"show one free and one used controller", func(e *evidence) {
			e.wantUsers("node-a", "0000:81:00.0", atlas.MultiReferenced, 200, 210)
			e.some(e.all, code(findings.DeviceShared), saying("200", "210"))
			e.some(e.all, code(findings.MappingOverlap), saying("broadcom_24e", "broadcom_24i"))
			e.none(e.all, code(findings.MappingUnused))
		}},
	},
	"FC-043": {
		{"say there is no suitable device on node-b", func(e *evidence) {
			moves := code(findings.MigrationMissingMapping, findings.MigrationEqualDevice)
			e.some(e.api, moves, ofVM(401), saying("0000:01:00.0", "node-b"))
			e.none(e.api, moves, saying("no equal"))
			e.none(e.api, moves, saying("no suitable"))
		}},
		{"mix the equal addresses of the two nodes", func(e *evidence) {
			e.wantUsers("node-a", "0000:01:00.0", atlas.MultiReferenced, 401, 9200)
			e.wantUsers("node-b", "0000:01:00.0", atlas.Unreferenced)
		}},
	},
	"FC-044": {
		{"call broadcom_24e unused", func(e *evidence) {
			e.none(e.all, code(findings.MappingUnused))
			e.some(e.all, code(findings.SnapshotRestoresDevice), ofSlot(200, 0), saying("broadcom_24e"))
		}},
		{"count the snapshot as a running user or as a second VM", func(e *evidence) {
			e.wantLines("node-a", 200, "hostpci0 0000:81:00.0 broadcom_24i")
			e.wantUsers("node-a", "0000:81:00.0", atlas.Referenced, 200)
			e.none(e.all, code(findings.DeviceShared, findings.AssignedTwice, findings.MappingOversubscribed))
			for _, v := range e.all {
				if vms := v.report.VMs; len(vms) != 1 || vms[0].Status != facts.Running {
					e.Errorf("%s: the VMs are %+v", v.way, vms)
				}
			}
		}},
	},
}
