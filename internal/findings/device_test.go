package findings

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// deviceWorld is a node pve-a as the API shows it, everything read, unless change
// makes it something else.
type deviceWorld struct {
	// devices are "address class ids group", with - for no group and ? for one that
	// is not told; then words: mdev, nvidia, vf=ADDRESS, sub=IDS, driver=NAME, boot.
	devices []string
	// vms are "number status config"; | separates the lines of the config.
	vms      []string
	mappings string
	change   func(*facts.Snapshot)
}

func (d deviceWorld) find(t *testing.T) []Finding {
	t.Helper()
	return Looked(Find(d.report(t)))
}

func (d deviceWorld) report(t *testing.T) *atlas.Report {
	t.Helper()
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}, MdevTypes: map[string]facts.Read[[]facts.MdevType]{}}
	node.Devices.State = facts.OK
	for _, text := range d.devices {
		node.Devices.Value = append(node.Devices.Value, deviceFact(t, text))
	}
	s := &facts.Snapshot{Nodes: map[string]*facts.Node{"pve-a": node}}
	s.Guests.State, s.HA.State, s.Mappings.State = facts.OK, facts.OK, facts.OK
	for _, text := range d.vms {
		words := strings.SplitN(text, " ", 3)
		number, _ := strconv.Atoi(words[0])
		config := pve.ParseVMConfig(strings.ReplaceAll(words[2], "|", "\n") + "\n")
		node.VMs[number] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM(config.Items())}
		s.Guests.Value = append(s.Guests.Value, facts.Guest{
			VMID: number, Kind: facts.QEMU, Node: "pve-a", Status: facts.Status(words[1]),
		})
	}
	s.Mappings.Value, _ = pve.ParseMappingFile(strings.ReplaceAll(d.mappings, "|", "\n") + "\n")
	if d.change != nil {
		d.change(s)
	}
	return atlas.Build(s)
}

func deviceFact(t *testing.T, text string) facts.Device {
	t.Helper()
	words := strings.Fields(text)
	address, err := pci.ParseAddress(words[0])
	if err != nil {
		t.Fatal(err)
	}
	class, err := pci.ParseClass("0x" + words[1])
	if err != nil {
		t.Fatal(err)
	}
	fact := facts.Device{
		Address: address, Class: class, IDs: pci.IDs{Pair: devicePair(t, words[2])},
		Parent: facts.Told[*pci.Address](nil), Mdev: facts.Told(slices.Contains(words, "mdev")),
		NvidiaVGPU: slices.Contains(words, "nvidia"),
	}
	if number, err := strconv.Atoi(words[3]); err == nil {
		fact.Group = facts.Told(&number)
	} else if words[3] == "-" {
		fact.Group = facts.Told[*int](nil)
	}
	for _, word := range words[4:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "vf":
			parent, err := pci.ParseAddress(value)
			if err != nil {
				t.Fatal(err)
			}
			fact.Parent = facts.Told(&parent)
		case "sub":
			pair := devicePair(t, value)
			fact.IDs.Subsystem = &pair
		case "driver":
			fact.Host = &facts.HostDevice{Driver: value}
		case "boot":
			fact.Host = &facts.HostDevice{BootDisplay: facts.Told(true)}
		}
	}
	return fact
}

func devicePair(t *testing.T, text string) pci.Pair {
	t.Helper()
	vendor, device, _ := strings.Cut(text, ":")
	v, err := pci.ParseID(vendor)
	if err != nil {
		t.Fatal(err)
	}
	d, err := pci.ParseID(device)
	if err != nil {
		t.Fatal(err)
	}
	return pci.Pair{Vendor: v, Device: d}
}

// deviceCase expects the findings of one code, each as "severity subject".
type deviceCase struct {
	name  string
	code  Code
	world deviceWorld
	want  []string
}

func deviceRun(t *testing.T, cases []deviceCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(string(c.code)+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range c.world.find(t) {
				if f.Code != c.code {
					continue
				}
				subject, err := json.Marshal(f.Subject)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.NewReplacer(`"node":"pve-a"`, "", `"`, "", "{", "", "}", "", ",", " ").Replace(string(subject))
				got = append(got, strings.Join(strings.Fields(f.Severity.String()+" "+text), " "))
				if f.Sentence == "" || len(f.Evidence) == 0 || strings.Contains(f.Sentence, "%!") {
					t.Errorf("%+v", f)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

const (
	deviceGPU    = "0000:01:00.0 030000 10de:2204 14"
	deviceSound  = "0000:01:00.1 040300 10de:1aef 14"
	deviceASPEED = "0000:05:00.0 030000 1a03:2000 9"
	deviceOther  = "0000:02:00.0 030000 10de:2204 15"
	deviceNIC    = "0000:03:00.0 020000 8086:1521 16"
	deviceMapped = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:05:00.0,iommugroup=14"
)

func deviceUnread(s *facts.Snapshot) { s.Nodes["pve-a"].Devices.State = facts.Partial }

func TestDevicePlaceRules(t *testing.T) {
	t.Parallel()
	deviceRun(t, []deviceCase{
		{"gone", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 04:00.0"}}, []string{"error vmid:101 slot:hostpci0"}},
		{"several lines", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 04:00.0|hostpci1: 05:00"}}, []string{"error vmid:101"}},
		{"there", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, nil},
		{"template", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped template: 1|hostpci0: 04:00.0"}}, []string{"error vmid:101 slot:hostpci0"}},
		{"template, there", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped template: 1|hostpci0: 01:00.0"}}, nil},
		{"will be replaced", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 running hostpci0: 04:00.0|[PENDING]|hostpci0: 01:00.0"}}, nil},
		{"list not whole", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 04:00.0"}, change: deviceUnread}, nil},

		{"x-vga on a NIC", DeviceClassUnexpected, deviceWorld{devices: []string{deviceNIC}, vms: []string{"101 stopped hostpci0: 03:00.0,x-vga=1"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:03:00.0"}},
		{"ROM of a NIC", DeviceClassUnexpected, deviceWorld{devices: []string{deviceNIC}, vms: []string{"101 stopped hostpci0: 03:00.0,romfile=a.rom"}}, nil},
		{"running", DeviceClassUnexpected, deviceWorld{devices: []string{deviceNIC}, vms: []string{"101 running hostpci0: 03:00.0,x-vga=1"}}, nil},
		{"mdev not told", DeviceClassUnexpected, deviceWorld{
			devices: []string{deviceNIC}, vms: []string{"101 stopped hostpci0: 03:00.0,mdev=a"},
			change: func(s *facts.Snapshot) { s.Nodes["pve-a"].Devices.Value[0].Mdev = facts.Opt[bool]{} },
		}, nil},

		{"shifted", DeviceMoved, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 08:00.0|hostpci1: 08:00.1"}}, []string{"info vmid:101"}},
		{"one address proves nothing", DeviceMoved, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 08:00.0"}}, nil},
		{"shifted onto another VM's", DeviceMoved, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 08:00.0|hostpci1: 08:00.1", "102 stopped hostpci0: 01:00"}}, nil},
		{"entry", DeviceMoved, deviceWorld{devices: []string{deviceGPU}, mappings: deviceMapped}, []string{"info mapping:gpu"}},
		{"physical function is no substitute", DeviceMoved, deviceWorld{
			devices: []string{deviceGPU}, mappings: "vf|\tmap id=10de:2204,node=pve-a,path=0000:01:00.1",
		}, nil},
		{"entry, list not whole", DeviceMoved, deviceWorld{devices: []string{deviceGPU}, mappings: deviceMapped, change: deviceUnread}, nil},
		{"several", DeviceMoved, deviceWorld{devices: []string{deviceGPU, deviceOther}, mappings: deviceMapped}, []string{"info mapping:gpu"}},
		{"several", IdenticalDevices, deviceWorld{devices: []string{deviceGPU, deviceOther}, mappings: deviceMapped}, []string{"warning mapping:gpu"}},
		{"one of two is claimed", IdenticalDevices, deviceWorld{devices: []string{deviceGPU, deviceOther}, mappings: deviceMapped, vms: []string{"101 stopped hostpci0: 02:00.0"}}, nil},
		{"list not whole", IdenticalDevices, deviceWorld{devices: []string{deviceGPU, deviceOther}, mappings: deviceMapped, change: deviceUnread}, nil},
	})
}

func TestDeviceShared(t *testing.T) {
	t.Parallel()
	devices := []string{deviceGPU, deviceSound}
	found := []string{"warning device:0000:01:00.0"}
	raised := []string{"error device:0000:01:00.0"}
	deviceRun(t, []deviceCase{
		{"one finding for a set", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped hostpci0: 01:00"}}, found},
		{"two sets", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped hostpci0: 01:00.0", "103 stopped hostpci0: 01:00.1"}}, []string{"warning device:0000:01:00.0", "warning device:0000:01:00.1"}},
		{"both start", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 stopped onboot: 1|hostpci0: 01:00", "102 stopped onboot: 1|hostpci0: 01:00"}}, raised},
		{"one runs, one starts", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped onboot: 1|hostpci0: 01:00"}}, raised},
		{"HA not read", DeviceShared, deviceWorld{
			devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped onboot: 1|hostpci0: 01:00"},
			change: func(s *facts.Snapshot) { s.HA.State = facts.Failed },
		}, found},
		{"HA keeps it stopped", DeviceShared, deviceWorld{
			devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped onboot: 1|hostpci0: 01:00"},
			change: func(s *facts.Snapshot) {
				s.HA.Value.Resources = []facts.HAResource{{VMID: 102, Kind: facts.QEMU, State: "stopped"}}
			},
		}, found},
		{"template", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 running hostpci0: 01:00", "102 stopped template: 1|hostpci0: 01:00"}}, nil},
		{"removal pending", DeviceShared, deviceWorld{devices: devices, vms: []string{"101 running hostpci0: 01:00|[PENDING]|delete: hostpci0", "102 stopped hostpci0: 01:00"}}, found},
		{"slices", DeviceShared, deviceWorld{devices: []string{deviceGPU + " mdev"}, vms: []string{"101 running hostpci0: 01:00.0,mdev=nvidia-63", "102 stopped hostpci0: 01:00.0,mdev=nvidia-63"}}, nil},
		{"vGPUs of newer kernels", DeviceShared, deviceWorld{devices: []string{deviceGPU + " mdev nvidia"}, vms: []string{"101 running hostpci0: 01:00.0,mdev=nvidia-63", "102 stopped hostpci0: 01:00.0,mdev=nvidia-63"}}, found},
		{"list not read", DeviceShared, deviceWorld{
			vms:    []string{"101 running hostpci0: 01:00", "102 stopped hostpci0: 01:00"},
			change: func(s *facts.Snapshot) { s.Nodes["pve-a"].Devices = facts.Read[[]facts.Device]{} },
		}, found},
	})
}

func TestDeviceHostRules(t *testing.T) {
	t.Parallel()
	const disk = "0000:04:00.0 010601 8086:7ae2 9"
	const second = "0000:03:00.1 020000 8086:1521 17"
	const vf = "0000:03:10.0 020000 8086:1520 17"
	deviceRun(t, []deviceCase{
		{"storage", HostDevicePassed, deviceWorld{devices: []string{disk}, vms: []string{"101 stopped hostpci0: 04:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:04:00.0"}},
		{"waits for VMs", HostDevicePassed, deviceWorld{devices: []string{disk + " driver=vfio-pci"}, vms: []string{"101 stopped hostpci0: 04:00.0"}}, nil},
		{"a running VM has it", HostDevicePassed, deviceWorld{devices: []string{disk}, vms: []string{"101 running hostpci0: 04:00.0"}}, nil},
		{"only NIC", HostDevicePassed, deviceWorld{devices: []string{deviceNIC}, vms: []string{"101 stopped hostpci0: 03:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:03:00.0"}},
		{"last of the NICs", HostDevicePassed, deviceWorld{devices: []string{deviceNIC, second}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: 03:00.1"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:03:00.0", "warning vmid:102 slot:hostpci0 device:0000:03:00.1"}},
		{"both NICs in one slot", HostDevicePassed, deviceWorld{devices: []string{deviceNIC, second}, vms: []string{"101 stopped hostpci0: 03:00"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:03:00.0", "warning vmid:101 slot:hostpci0 device:0000:03:00.1"}},
		{"a running VM has the other NIC", HostDevicePassed, deviceWorld{devices: []string{deviceNIC, second}, vms: []string{"101 running hostpci0: 03:00.0", "102 stopped hostpci0: 03:00.1"}}, []string{"warning vmid:102 slot:hostpci0 device:0000:03:00.1"}},
		{"one NIC stays", HostDevicePassed, deviceWorld{devices: []string{deviceNIC, second}, vms: []string{"101 stopped hostpci0: 03:00.0"}}, nil},
		{"a template takes no NIC", HostDevicePassed, deviceWorld{devices: []string{deviceNIC, second}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped template: 1|hostpci0: 03:00.1"}}, nil},
		{"NICs not all known", HostDevicePassed, deviceWorld{devices: []string{deviceNIC}, vms: []string{"101 stopped hostpci0: 03:00.0"}, change: deviceUnread}, nil},
		{"console", HostDevicePassed, deviceWorld{devices: []string{deviceGPU + " boot"}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:01:00.0"}},
		{"management controller", HostDevicePassed, deviceWorld{devices: []string{deviceASPEED}, vms: []string{"101 stopped hostpci0: 05:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:05:00.0"}},
		{"management controller, read on the node", HostDevicePassed, deviceWorld{devices: []string{deviceASPEED + " driver=ast"}, vms: []string{"101 stopped hostpci0: 05:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:05:00.0"}},
		{"Matrox of a server", HostDevicePassed, deviceWorld{devices: []string{"0000:05:00.0 030000 102b:0536 9"}, vms: []string{"101 stopped hostpci0: 05:00.0"}}, []string{"warning vmid:101 slot:hostpci0 device:0000:05:00.0"}},
		{"Matrox card", HostDevicePassed, deviceWorld{devices: []string{"0000:05:00.0 030000 102b:0525 9"}, vms: []string{"101 stopped hostpci0: 05:00.0"}}, nil},
		{"console not told", HostDevicePassed, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, nil},

		{"sound", FunctionLeftBehind, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, []string{"info vmid:101 slot:hostpci0 device:0000:01:00.0"}},
		{"whole slot", FunctionLeftBehind, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 01:00"}}, nil},
		{"another maker", FunctionLeftBehind, deviceWorld{devices: []string{deviceGPU, "0000:01:00.3 0c0330 1022:15b6 14"}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, nil},
		{"next bus", FunctionLeftBehind, deviceWorld{
			devices: []string{"0000:53:00.0 030000 8086:e223 9 sub=1849:6025", "0000:54:00.0 040300 8086:e2f7 10 sub=1849:6025"},
			vms:     []string{"101 stopped hostpci0: 53:00.0"},
		}, []string{"info vmid:101 slot:hostpci0 device:0000:53:00.0"}},
		{"next bus, where another card is", FunctionLeftBehind, deviceWorld{
			devices: []string{deviceGPU + " sub=1043:87b5", deviceSound + " sub=1043:87b5", deviceOther + " sub=1043:87b5", "0000:02:00.1 040300 10de:1aef 15 sub=1043:87b5"},
			vms:     []string{"101 stopped hostpci0: 01:00"},
		}, nil},
		{"next bus of two cards", FunctionLeftBehind, deviceWorld{
			devices: []string{"0000:53:00.0 030000 8086:e223 9 sub=1849:6025", "0000:53:01.0 030000 8086:e223 9 sub=1849:6025", "0000:54:00.0 040300 8086:e2f7 10 sub=1849:6025"},
			vms:     []string{"101 stopped hostpci0: 53:00.0"},
		}, nil},
		{"next bus, subsystem not told", FunctionLeftBehind, deviceWorld{
			devices: []string{"0000:53:00.0 030000 8086:e223 9", "0000:54:00.0 040300 8086:e2f7 10"},
			vms:     []string{"101 stopped hostpci0: 53:00.0"},
		}, nil},

		{"taken", PFTakenWithVFs, deviceWorld{devices: []string{deviceNIC, vf + " vf=0000:03:00.0"}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: 03:10.0"}}, []string{"error vmid:101 slot:hostpci0 device:0000:03:00.0"}},
		{"whole and slice of one VM", PFTakenWithVFs, deviceWorld{devices: []string{deviceGPU + " mdev"}, vms: []string{"101 stopped hostpci0: 01:00.0|hostpci1: 01:00.0,mdev=nvidia-63"}}, []string{"error vmid:101 slot:hostpci0 device:0000:01:00.0"}},
		{"whole and slice of two VMs", PFTakenWithVFs, deviceWorld{devices: []string{deviceGPU + " mdev"}, vms: []string{"101 stopped hostpci0: 01:00.0", "102 stopped hostpci0: 01:00.0,mdev=nvidia-63"}}, nil},
		{"whole and vGPU of newer kernels", PFTakenWithVFs, deviceWorld{devices: []string{deviceGPU + " mdev nvidia"}, vms: []string{"101 stopped hostpci0: 01:00.0|hostpci1: 01:00.0,mdev=nvidia-63"}}, nil},
		{"slice until the next start only", PFTakenWithVFs, deviceWorld{devices: []string{deviceGPU + " mdev"}, vms: []string{"101 running hostpci0: 01:00.0,mdev=nvidia-63|[PENDING]|hostpci0: 01:00.0"}}, nil},
		{"nobody names the VF", PFTakenWithVFs, deviceWorld{devices: []string{deviceNIC, vf + " vf=0000:03:00.0"}, vms: []string{"101 stopped hostpci0: 03:00.0"}}, nil},
		{"not told", PFTakenWithVFs, deviceWorld{devices: []string{deviceNIC, vf}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: 03:10.0"}}, nil},
	})
}

// deviceTypes tells the types of mediated device of the GPU.
func deviceTypes(types ...facts.MdevType) func(*facts.Snapshot) {
	return func(s *facts.Snapshot) {
		s.Nodes["pve-a"].MdevTypes["0000:01:00.0"] = facts.Read[[]facts.MdevType]{State: facts.OK, Value: types}
	}
}

func TestDeviceMdevRules(t *testing.T) {
	t.Parallel()
	gpu := []string{deviceGPU + " mdev"}
	nvidia := []string{deviceGPU + " mdev nvidia"}
	about := "vmid:101 slot:hostpci0 device:0000:01:00.0"
	one := []string{"101 stopped hostpci0: 01:00.0,mdev=nvidia-63"}
	whole := "102 stopped hostpci0: 01:00.0"
	deviceRun(t, []deviceCase{
		{"no such type", MdevTypeUnknown, deviceWorld{devices: gpu, vms: one, change: deviceTypes(facts.MdevType{Type: "nvidia-50", Available: 4})}, []string{"error " + about}},
		{"offered", MdevTypeUnknown, deviceWorld{devices: gpu, vms: one, change: deviceTypes(facts.MdevType{Type: "nvidia-63", Available: 4})}, nil},
		{"not asked", MdevTypeUnknown, deviceWorld{devices: gpu, vms: one}, nil},
		{"no mediated devices", MdevTypeUnknown, deviceWorld{devices: []string{deviceGPU}, vms: one}, []string{"error " + about}},
		{"NVIDIA's form", MdevTypeUnknown, deviceWorld{devices: nvidia, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=grid"}}, []string{"error " + about}},
		{"NVIDIA, not creatable", MdevTypeUnknown, deviceWorld{devices: nvidia, vms: one, change: deviceTypes(facts.MdevType{Type: "nvidia-50", Available: 1})}, nil},

		{"none left", MdevExhausted, deviceWorld{devices: gpu, vms: one, change: deviceTypes(facts.MdevType{Type: "nvidia-63"})}, []string{"warning " + about}},
		{"two wanted, one left", MdevExhausted, deviceWorld{
			devices: gpu, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=nvidia-63|hostpci1: 01:00.0,mdev=nvidia-63"},
			change: deviceTypes(facts.MdevType{Type: "nvidia-63", Available: 1}),
		}, []string{"warning " + about}},
		{"assigned twice", MdevExhausted, deviceWorld{
			devices: nvidia, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=nvidia-63|hostpci1: 01:00.0,mdev=nvidia-63"},
			change: deviceTypes(facts.MdevType{Type: "nvidia-63", Available: 1}),
		}, nil},
		{"NVIDIA, none left", MdevExhausted, deviceWorld{devices: nvidia, vms: one, change: deviceTypes(facts.MdevType{Type: "nvidia-50", Available: 1})}, []string{"warning " + about}},
		{"running", MdevExhausted, deviceWorld{devices: gpu, vms: []string{"101 running hostpci0: 01:00.0,mdev=nvidia-63"}, change: deviceTypes(facts.MdevType{Type: "nvidia-63"})}, nil},
		{"not asked", MdevExhausted, deviceWorld{devices: gpu, vms: one}, nil},

		{"two VMs", MdevAndWhole, deviceWorld{devices: gpu, vms: append(one, whole)}, []string{"warning device:0000:01:00.0"}},
		{"two slices", MdevAndWhole, deviceWorld{devices: gpu, vms: append(one, "102 stopped hostpci0: 01:00.0,mdev=nvidia-63")}, nil},
	})
}
