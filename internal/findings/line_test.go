package findings

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// lineWorld is a node "pve-a" with VM 101. The text of its file is config; the
// zero value has all devices and mappings read.
type lineWorld struct {
	config    string
	mapping   string // text of the mapping file
	status    facts.Status
	noDevices bool
	fromAPI   bool // no host facts, no file
	driver    string
	nvidia    bool
	template  bool
}

func lineAddress(t *testing.T, s string) pci.Address {
	t.Helper()
	address, err := pci.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func (l lineWorld) snapshot(t *testing.T) *facts.Snapshot {
	t.Helper()
	config := pve.ParseVMConfig(strings.ReplaceAll(l.config, "|", "\n") + "\n")
	reduced := facts.ReduceVM(config.Items())
	source := facts.SourceAPI
	if !l.fromAPI {
		source = facts.SourceHost
		reduced.Dropped, reduced.Repeated = config.Dropped, config.Repeated
		reduced.Snapshots.State = facts.OK
		for _, section := range config.Snapshots {
			snapshot := facts.VMSnapshot{Name: section.Name}
			for _, line := range section.Section {
				if strings.HasPrefix(line.Key, "hostpci") {
					snapshot.HostPCI = append(snapshot.HostPCI, line)
				}
			}
			reduced.Snapshots.Value = append(reduced.Snapshots.Value, snapshot)
		}
	}
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{
		101: {State: facts.OK, Value: reduced, Stamp: facts.Stamp{Source: source}},
	}}
	if !l.noDevices {
		node.Devices.State = facts.OK
		for _, text := range []string{"0000:00:02.0", "0000:01:00.0", "0000:01:00.1", "0000:02:00.0"} {
			device := facts.Device{Address: lineAddress(t, text), Class: 0x030000, NvidiaVGPU: l.nvidia}
			if !l.fromAPI {
				device.Host = &facts.HostDevice{Driver: l.driver}
			}
			node.Devices.Value = append(node.Devices.Value, device)
		}
	}
	mappings, _ := pve.ParseMappingFile(strings.ReplaceAll(l.mapping, "|", "\n") + "\n")
	status := l.status
	if status == "" {
		status = facts.Stopped
	}
	return &facts.Snapshot{
		Nodes: map[string]*facts.Node{"pve-a": node},
		Guests: facts.Read[[]facts.Guest]{State: facts.OK, Value: []facts.Guest{
			{VMID: 101, Kind: facts.QEMU, Node: "pve-a", Status: status, Template: facts.Told(l.template)},
		}},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK, Value: mappings},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
}

func (l lineWorld) find(t *testing.T) []Finding {
	t.Helper()
	w := newWorld(atlas.Build(l.snapshot(t)))
	var found []Finding
	for _, rule := range lineRules {
		found = append(found, rule(w)...)
	}
	for i := range found {
		if f := &found[i]; f.Sentence == "" || len(f.Evidence) == 0 || f.Subject.Node != "pve-a" || f.Subject.VMID != 101 {
			t.Errorf("%s: incomplete finding %+v", f.Code, f)
		}
	}
	return Looked(found)
}

func lineCodes(found []Finding) []string {
	codes := map[string]bool{}
	for i := range found {
		text := string(found[i].Code) + " " + found[i].Severity.String()
		if found[i].Subject.Slot != atlas.NoSlot {
			text += " " + strconv.Itoa(found[i].Subject.Slot)
		}
		codes[text] = true
	}
	return slices.Sorted(maps.Keys(codes))
}

const (
	lineOne = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:01:00.0|"
	lineTwo = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:01:00.0|\tmap id=10de:2204,node=pve-a,path=0000:02:00.0|"
	lineIGD = "vga: none|hostpci0: 0000:00:02.0,legacy-igd=1"
)

var lineCases = []struct {
	name  string
	world lineWorld
	want  string // joined by ", "
}{
	{"nothing", lineWorld{config: "hostpci0: 01:00|hostpci1: 02:00.0"}, ""},
	{"slot and function", lineWorld{config: "hostpci0: 01:00|hostpci1: 01:00.1"}, "assigned-twice error"},
	{"inside one line", lineWorld{config: "hostpci0: 01:00;01:00.1"}, "assigned-twice error"},
	{"by mapping and address", lineWorld{config: "hostpci0: mapping=gpu|hostpci1: 01:00.0", mapping: lineOne}, "assigned-twice error"},
	{"first of two, then fixed", lineWorld{config: "hostpci0: mapping=gpu|hostpci1: 01:00.0", mapping: lineTwo}, "assigned-twice error"},
	{"fixed, then first of two", lineWorld{config: "hostpci0: 01:00.0|hostpci1: mapping=gpu", mapping: lineTwo}, ""},
	{"two of two", lineWorld{config: "hostpci0: mapping=gpu|hostpci1: mapping=gpu", mapping: lineTwo}, ""},
	{"two mdevs", lineWorld{config: "hostpci0: 01:00.0,mdev=nvidia-63|hostpci1: 01:00.0,mdev=nvidia-63"}, ""},
	{"two NVIDIA vGPUs", lineWorld{config: "hostpci0: 01:00.0,mdev=nvidia-63|hostpci1: 01:00.0,mdev=nvidia-63", nvidia: true}, "assigned-twice error"},
	{"twice, devices unread", lineWorld{config: "hostpci0: 01:00|hostpci1: 01:00.1", noDevices: true}, ""},
	{"twice until pending", lineWorld{config: "hostpci0: 01:00|hostpci1: 01:00.1|[PENDING]|delete: hostpci1", status: facts.Running}, ""},
	{"twice in a template", lineWorld{config: "hostpci0: 01:00.0|hostpci1: 01:00.0", template: true}, "template-reference info 0, template-reference info 1"},
	{"both", lineWorld{config: "hostpci0: 01:00.0,mapping=gpu", mapping: lineOne}, "host-and-mapping error 0"},
	{"q35 missing", lineWorld{config: "hostpci0: 01:00.0,pcie=1"}, "q35-missing error 0"},
	{"q35 refused", lineWorld{config: "machine: q35,kernel_irqchip=on|hostpci0: 01:00.0,pcie=1"}, "q35-missing error 0"},
	{"q35 there", lineWorld{config: "machine: pc-q35-9.0|hostpci0: 01:00.0,pcie=1"}, ""},
	{"q35 pending", lineWorld{config: "hostpci0: 01:00.0,pcie=1|[PENDING]|machine: q35", status: facts.Running}, ""},
	{"legacy", lineWorld{config: lineIGD}, ""},
	{"legacy q35", lineWorld{config: lineIGD + "|machine: q35"}, "legacy-igd-q35 error 0"},
	{"legacy vga", lineWorld{config: "hostpci0: 0000:00:02.0,legacy-igd=1"}, "legacy-igd-vga error 0"},
	{"legacy rombar", lineWorld{config: lineIGD + ",rombar=0"}, "legacy-igd-rombar error 0"},
	{"legacy x-vga", lineWorld{config: lineIGD + ",x-vga=1"}, "legacy-igd-x-vga error 0"},
	{"legacy mdev", lineWorld{config: lineIGD + ",mdev=i915-GVTg_V5_4"}, "legacy-igd-mdev error 0"},
	{"legacy functions", lineWorld{config: "vga: none|hostpci0: 00:02.0;01:00.0,legacy-igd=1"}, "legacy-igd-multifunction error 0"},
	{"legacy functions unread", lineWorld{config: "vga: none|hostpci0: 00:02,legacy-igd=1", noDevices: true}, ""},
	{"legacy address", lineWorld{config: "vga: none|hostpci0: 01:00.0,legacy-igd=1"}, "legacy-igd-address error 0"},
	{"legacy address absent", lineWorld{config: "vga: none|hostpci0: 05:00.0,legacy-igd=1"}, ""},
	{"legacy address unread", lineWorld{config: "vga: none|hostpci0: 01:00.0,legacy-igd=1", noDevices: true}, ""},
	{"legacy entries", lineWorld{config: "vga: none|hostpci0: mapping=gpu,legacy-igd=1", mapping: lineTwo}, "legacy-igd-address error 0, legacy-igd-alternatives error 0"},
	{"legacy mapping unseen", lineWorld{config: "vga: none|hostpci0: mapping=gpu,legacy-igd=1"}, ""},
	{"legacy twice", lineWorld{config: lineIGD + "|hostpci1: 02:00.0,legacy-igd=1"}, "legacy-igd-address error 1, legacy-igd-twice error 1"},
	{"mdev of a slot", lineWorld{config: "hostpci0: 01:00,mdev=nvidia-63"}, "mdev-multifunction error 0"},
	{"mdev of a slot with one function", lineWorld{config: "hostpci0: 02:00,mdev=nvidia-63"}, ""},
	{"mdev, devices unread", lineWorld{config: "hostpci0: 01:00,mdev=nvidia-63", noDevices: true}, ""},
	{"dropped", lineWorld{config: "hostpci0: 0A:00.0"}, "hostpci-line-ignored warning 0"},
	{"dropped, no slot", lineWorld{config: "hostpci16: 01:00.0"}, "hostpci-line-ignored warning"},
	{"dropped in a snapshot", lineWorld{config: "name: x|[snap]|hostpci0: 0A:00.0"}, ""},
	{"dropped, over the API", lineWorld{config: "hostpci0: 0A:00.0", fromAPI: true}, ""},
	{"mapping as host", lineWorld{config: "hostpci0: pcie=0,host=gpu", mapping: lineOne}, "hostpci-host-is-mapping-name error 0, hostpci-line-ignored warning 0"},
	{"no mapping as host", lineWorld{config: "hostpci0: host=gpu"}, "hostpci-line-ignored warning 0"},
	{"repeated", lineWorld{config: "hostpci0: 01:00.0|hostpci0: 01:00.0|hostpci0: 02:00.0"}, "hostpci-line-repeated info 0"},
	{"repeated, over the API", lineWorld{config: "hostpci0: 01:00.0|hostpci0: 02:00.0", fromAPI: true}, ""},
	{"repeated in a snapshot", lineWorld{config: "hostpci0: 01:00.0|[snap]|hostpci0: 01:00.0|hostpci0: 01:00.0"}, ""},
	{"remark", lineWorld{config: "hostpci0: 01:00.0,romfile=card.rom # from the vendor"}, "romfile-remark warning 0"},
	{"number sign in a name", lineWorld{config: "hostpci0: 01:00.0,romfile=card#2 new.rom"}, ""},
	{"keep, bound", lineWorld{config: "hostpci0: 01:00.0,driver=keep", driver: "vfio-pci"}, "driver-keep info 0"},
	{"keep, unbound", lineWorld{config: "hostpci0: 01:00.0,driver=keep", driver: "amdgpu"}, "driver-keep info 0, driver-keep-unbound error 0"},
	{"keep, over the API", lineWorld{config: "hostpci0: 01:00.0,driver=keep", fromAPI: true}, "driver-keep info 0"},
	{"keep, hook", lineWorld{config: "hookscript: local:snippets/x|hostpci0: 01:00.0,driver=keep"}, "driver-keep info 0, hookscript-set info"},
	{"x-vga with OVMF", lineWorld{config: "bios: ovmf|vga: std|hostpci0: 01:00.0,x-vga=1"}, "x-vga-no-effect info 0"},
	{"x-vga with OVMF, no display", lineWorld{config: "bios: ovmf|vga: type=none|hostpci0: 01:00.0,x-vga=1"}, "x-vga-no-effect info 0"},
	{"x-vga with SeaBIOS", lineWorld{config: "vga: std|hostpci0: 01:00.0,x-vga=1"}, ""},
	{"balloon", lineWorld{config: "memory: 8192|balloon: 2048|hostpci0: 01:00.0"}, "memory-pinned warning"},
	{"balloon off", lineWorld{config: "memory: 8192|balloon: 0|hostpci0: 01:00.0"}, ""},
	{"balloon of all", lineWorld{config: "memory: 8192|balloon: 8192|hostpci0: 01:00.0"}, ""},
	{"balloon, mdev", lineWorld{config: "memory: 8192|balloon: 2048|hostpci0: 01:00.0,mdev=nvidia-63"}, ""},
	{"balloon without device", lineWorld{config: "memory: 8192|balloon: 2048"}, ""},
	{"snapshot raw", lineWorld{config: "hostpci0: mapping=gpu|[old]|hostpci0: 01:00.0", mapping: lineOne}, "snapshot-restores-device warning 0"},
	{"snapshot mapping", lineWorld{config: "name: x|[old]|hostpci0: mapping=gpu", mapping: lineOne}, "snapshot-restores-device info 0"},
	{"snapshot mapping gone", lineWorld{config: "name: x|[old]|hostpci0: mapping=gone", mapping: lineOne}, "snapshot-restores-device warning 0"},
	{"snapshot same", lineWorld{config: "hostpci0: 01:00.0|[old]|hostpci1: 0000:01:00.0,pcie=1"}, ""},
	{"snapshot same functions", lineWorld{config: "hostpci0: 01:00|[old]|hostpci0: 01:00.0;01:00.1"}, ""},
	{"snapshot same in two lines", lineWorld{config: "hostpci0: 01:00.0|hostpci1: 01:00.1|[old]|hostpci0: 01:00"}, ""},
	{"snapshot of a part", lineWorld{config: "hostpci0: 01:00|[old]|hostpci0: 01:00.1"}, "snapshot-restores-device warning 0"},
	{"snapshot of more", lineWorld{config: "hostpci0: 01:00.0|[old]|hostpci0: 01:00"}, "snapshot-restores-device warning 0"},
	{"snapshot of a slice", lineWorld{config: "hostpci0: 02:00|[old]|hostpci0: 02:00.0,mdev=nvidia-63"}, "snapshot-restores-device warning 0"},
	{"snapshot of absent", lineWorld{config: "hostpci0: 05:00|[old]|hostpci0: 05:00.0"}, "snapshot-restores-device warning 0"},
	{"snapshot same, devices unread", lineWorld{config: "hostpci0: 01:00|[old]|hostpci0: 01:00.0;01:00.1", noDevices: true}, ""},
	{"snapshot of another slot, devices unread", lineWorld{config: "hostpci0: 01:00|[old]|hostpci0: 01:00.0;02:00", noDevices: true}, "snapshot-restores-device warning 0"},
	{"snapshot unread", lineWorld{config: "name: x|[old]|hostpci0: 01:00.0", fromAPI: true}, ""},
	{"args", lineWorld{config: "args: -device vfio-pci,host=01:00.0"}, "args-passes-device warning"},
	{"other args", lineWorld{config: "args: -set device.hostpci0.addr=02.0"}, ""},
	{"args to go", lineWorld{config: "args: -device vfio-pci,host=01:00.0|[PENDING]|delete: args"}, ""},
	{"hook", lineWorld{config: "hookscript: local:snippets/x.pl"}, "hookscript-set info"},
}

func TestLineRules(t *testing.T) {
	t.Parallel()
	for _, c := range lineCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := c.world.find(t)
			if got := strings.Join(lineCodes(found), ", "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestLineXVGA: x-vga is worth keeping for what it does beside QEMU's option, and
// only a display that is there can be removed.
func TestLineXVGA(t *testing.T) {
	t.Parallel()
	for vga, want := range map[string]struct{ says, do string }{
		"":                       {"gets no virtual display and that the guest does not see KVM", ""},
		"none":                   {"vga leaves out the virtual display", ""},
		"type=none":              {"vga leaves out the virtual display", ""},
		"serial0":                {"vga leaves out the virtual display", ""},
		"memory=16,type=serial3": {"vga leaves out the virtual display", ""},
		"std":                    {"vga still adds a virtual display", "qm set 101 --vga none"},
		"qxl,memory=32":          {"vga still adds a virtual display", "qm set 101 --vga none"},
	} {
		config := "bios: ovmf|hostpci0: 01:00.0,x-vga=1,pcie=0"
		if vga != "" {
			config += "|vga: " + vga
		}
		found := lineWorld{config: config}.find(t)
		if len(found) != 1 || !strings.Contains(found[0].Sentence, want.says) || strings.Join(found[0].Remedy, "|") != want.do {
			t.Errorf("vga %q: %+v", vga, found)
		}
	}
}

// TestLineSecrets looks for the text of custom arguments and hook scripts.
func TestLineSecrets(t *testing.T) {
	t.Parallel()
	found := lineWorld{config: "args: -device vfio-pci,host=01:00.0,id=geheim|hookscript: local:snippets/geheim.pl"}.find(t)
	if len(found) != 2 {
		t.Fatalf("found %v", lineCodes(found))
	}
	for i := range found {
		f := &found[i]
		all := slices.Concat(f.Evidence, f.Remedy, []string{f.Sentence}, slices.Collect(maps.Values(f.Params)))
		if strings.Contains(strings.Join(all, "\n"), "geheim") {
			t.Errorf("%s tells a secret: %v", f.Code, all)
		}
	}
}

// TestLineUnread looks at a VM whose configuration was not read.
func TestLineUnread(t *testing.T) {
	t.Parallel()
	s := lineWorld{config: "hostpci0: 01:00.0,pcie=1|hookscript: local:snippets/x.pl"}.snapshot(t)
	read := s.Nodes["pve-a"].VMs[101]
	read.State = facts.Failed
	s.Nodes["pve-a"].VMs[101] = read
	w := newWorld(atlas.Build(s))
	for _, rule := range lineRules {
		if found := rule(w); len(found) > 0 {
			t.Errorf("found %v", lineCodes(found))
		}
	}
}

// TestLineMessages compares the sentences with those of a VM start.
func TestLineMessages(t *testing.T) {
	t.Parallel()
	for _, c := range lineCases {
		report := atlas.Build(c.world.snapshot(t))
		w := newWorld(report)
		hardware := atlas.Hardware{Node: "pve-a", Devices: w.nodes[0].Devices, Mappings: map[string]*pve.Mapping{}}
		if c.world.template || len(hardware.Devices) == 0 || c.world.mapping != "" {
			continue
		}
		slots, err := hardware.ResolveVM(w.vms[0].future)
		if err == nil {
			_, err = slots.Choose(nil)
		}
		if err == nil || strings.HasPrefix(err.Error(), "no PCI device") || strings.HasPrefix(err.Error(), "PCI device mapping not found") {
			continue
		}
		found := slices.Concat(lineStartRefused(w), lineAssignedTwice(w))
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Params["message"] == err.Error() }) {
			t.Errorf("%s: a start fails with %q, found %v", c.name, err, lineCodes(found))
		}
	}
}
