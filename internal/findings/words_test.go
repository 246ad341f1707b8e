package findings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/facts"
)

// firstOf gives the first finding of a code.
func firstOf(t *testing.T, found []Finding, code Code) Finding {
	t.Helper()
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == code })
	if i < 0 {
		t.Fatalf("no %s in %+v", code, found)
	}
	return found[i]
}

// TestWords: sentences, evidence and remedies agree in number with what they name,
// and say it in the shape that it has in a line or path.
func TestWords(t *testing.T) {
	t.Parallel()
	const vf = "0000:03:10.0 020000 8086:1520 17 vf=0000:03:00.0"
	const nic = "0000:03:00.0 020000 8086:1521 14"
	const twice = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:05:00|\tmap id=10de:2204,node=pve-a,path=0000:05:00"
	const rivals = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:05:00|\tmap id=10de:2204,node=pve-a,path=0000:06:00"
	for _, c := range []struct {
		name  string
		code  Code
		world deviceWorld
		says  string // in the sentence, the evidence or the remedies
	}{
		{
			"one virtual function", PFTakenWithVFs,
			deviceWorld{devices: []string{deviceNIC, vf}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: 03:10.0"}},
			"whose virtual function 0000:03:10.0 is named by VM 102: it vanishes as soon as",
		},
		{
			"one member of the group", GroupTakesHostDevice,
			deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{"101 stopped hostpci0: 01:00.0"}},
			"because it is in IOMMU group 14: 0000:03:00.0 (class 0x020000). Proxmox VE binds it to vfio-pci, and it is not given back",
		},
		{"one function", DeviceNotPresent, deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 04:00.0"}}, "pve-a, 1 function: none"},
		{"no group", NoIOMMU, deviceWorld{devices: []string{"0000:01:00.0 030000 10de:2204 -"}, vms: []string{"101 stopped hostpci0: 01:00.0"}}, "1 function of node pve-a"},
		{
			"two entries look for one device", DeviceMoved,
			deviceWorld{devices: []string{deviceGPU}, mappings: rivals},
			"The only device of these ids that nothing else names is 0000:01:00, and 2 entries look for it",
		},
		{"equal entries look for one device", DeviceMoved, deviceWorld{devices: []string{deviceGPU}, mappings: twice}, "is likely to be at 0000:01:00 now"},
		{"a function moves", DeviceMoved, deviceWorld{devices: []string{deviceGPU}, mappings: deviceMapped}, "Write path=0000:01:00.0 into"},
		{
			"a slot moves", DeviceMoved,
			deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 08:00|hostpci1: 08:00.1"}},
			"is likely to be at 0000:01:00 and 0000:01:00.1 now",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := firstOf(t, c.world.find(t), c.code)
			if texts := strings.Join(append(slices.Concat(f.Evidence, f.Remedy), f.Sentence), "\n"); !strings.Contains(texts, c.says) {
				t.Errorf("want %q in:\n%s", c.says, texts)
			}
		})
	}
}

// TestEqualFindings: two equal lines of a mapping make one finding.
func TestEqualFindings(t *testing.T) {
	t.Parallel()
	world := deviceWorld{devices: []string{deviceOther}, mappings: "gpu|\tmap id=10de:2204,node=pve-a,path=0000:05:00.0|\tmap id=10de:2204,node=pve-a,path=0000:05:00.0"}
	found := world.find(t)
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for i := range found {
		if found[i].Evidence == nil || found[i].Remedy == nil {
			t.Errorf("a list of %s is nil", found[i].Code)
		}
		for j := range found[:i] {
			if compare(&found[i], &found[j]) == 0 {
				t.Errorf("twice: %s: %s", found[i].Code, found[i].Sentence)
			}
		}
	}
}

// TestManyVMs: a hundred VMs that name one device make no endless text, and each of
// them finds what concerns it.
func TestManyVMs(t *testing.T) {
	t.Parallel()
	world := deviceWorld{devices: []string{deviceGPU, "0000:03:00.0 020000 8086:1521 14", deviceOther}}
	for vmid := range 100 {
		world.vms = append(world.vms, fmt.Sprintf("%d stopped onboot: 1|hostpci0: %s", 100+vmid, []string{"01:00.0", "02:00.0"}[vmid%2]))
	}
	world.change = func(s *facts.Snapshot) { s.Backups.State = facts.OK }
	for _, f := range world.find(t) {
		if len(f.Sentence) > 800 || len(f.Evidence) > mostEvidence+1 || len(f.Remedy) > mostRemedies+1 {
			t.Errorf("%s has a sentence of %d bytes, %d lines of evidence, %d remedies: %s",
				f.Code, len(f.Sentence), len(f.Evidence), len(f.Remedy), f.Sentence)
		}
	}
	f := firstOf(t, world.find(t), DeviceShared)
	if !strings.HasPrefix(f.Sentence, "VMs 100, 102, 104, 106, 108 and 45 more on node pve-a") || !strings.Contains(f.Params["vms"], "100, 102") ||
		!strings.HasSuffix(f.Params["vms"], ", 196, 198") || len(f.vms) != 50 {
		t.Errorf("%+v", f)
	}
	if last := f.Evidence[mostEvidence]; last != "and 80 more like these" {
		t.Errorf("the last line of the evidence is %q", last)
	}
}
