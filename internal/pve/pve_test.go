package pve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pciatlas/internal/pve"
)

func TestHostPCIPrintsWhatItReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := []string{}
		for _, option := range []string{
			"pcie=1", "x-vga=on", "rombar=0", "romfile=a b.rom", "mdev=nvidia-63", "driver=keep", "legacy-igd=no",
			"vendor-id=0x10DE", "device-id=0x1234", "sub-vendor-id=0xabcd", "sub-device-id=0x0000", "mapping=gpu-a",
			"host=0000:01:00.0;02:00",
		} {
			if rapid.Bool().Draw(t, option) {
				options = append(options, option)
			}
		}
		value := strings.Join(rapid.Permutation(options).Draw(t, "order"), ",")
		first, err := pve.ParseHostPCI(value)
		if err != nil {
			t.Fatalf("%q is refused: %v", value, err)
		}
		again, err := pve.ParseHostPCI(first.String())
		if err != nil {
			t.Fatalf("%q printed as %q is refused: %v", value, first, err)
		}
		if diff := cmp.Diff(first.Options(), again.Options()); diff != "" {
			t.Fatalf("%q printed as %q:\n%s", value, first, diff)
		}
	})
}

func TestSlotKeys(t *testing.T) {
	for key, want := range map[string]int{"hostpci0": 0, "hostpci9": 9, "hostpci15": 15} {
		if slot, ok := pve.ParseSlotKey(key); !ok || slot != want || pve.SlotKey(slot) != key {
			t.Errorf("%s: got %d, %v", key, slot, ok)
		}
	}
	for _, key := range []string{"hostpci", "hostpci16", "hostpci00", "hostpci01", "hostpci-1", "hostpci1 ", "Hostpci1", "hostpci999999999999"} {
		if slot, ok := pve.ParseSlotKey(key); ok {
			t.Errorf("%q is taken for slot %d", key, slot)
		}
	}
}

func TestReadRefused(t *testing.T) {
	for value, want := range map[string]string{
		"0000:0a:00,pcie=1,multifunction=on": "0000:0a:00|",
		"0A:00.0":                            "0a:00.0|",
		"pcie=0,host=p40,rombar=1":           "|",
		"mapping=gpu-a,foo=1":                "|gpu-a",
		"01:00.0,mapping=gpu-a":              "01:00.0|gpu-a",
		"romfile=01:00.0":                    "|",
		"01:00.0 # comment":                  "01:00.0|",
		"HOST=01:00.0":                       "01:00.0|",
		"":                                   "|",
	} {
		readable := pve.ReadRefused(value)
		var words []string
		for _, selector := range readable.Selectors {
			words = append(words, selector.String())
		}
		if got := strings.Join(words, " ") + "|" + strings.Join(readable.Mappings, " "); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

// TestDroppedLinesKeepNoSecrets: only lines about hostpci keep their text.
func TestDroppedLinesKeepNoSecrets(t *testing.T) {
	const canary = "CANARY-4711"
	config := pve.ParseVMConfig(strings.Join([]string{
		"onboot: " + canary, " args: -device " + canary, "cipassword " + canary, "nosuchkey: " + canary,
		"hookscript: " + canary, "memory: " + canary, canary, "args " + canary, "[PENDING", "balloon: " + canary,
		"delete: " + canary,
	}, "\n"))
	if len(config.Dropped) != 11 {
		t.Errorf("got %d dropped lines: %+v", len(config.Dropped), config.Dropped)
	}
	for _, dropped := range config.Dropped {
		if strings.Contains(dropped.Key+dropped.Text+dropped.Reason, canary) {
			t.Errorf("a dropped line keeps foreign text: %+v", dropped)
		}
	}
	hostpci := pve.ParseVMConfig(" HostPCI3: 0A:00.0 \nhostpci1 : x\nhostpci4 01:00.0\nhostpci17: 01:00.0\nhostpci2: 01:00.0 # remark\n")
	want := []pve.DroppedLine{
		{Line: 1, Key: "hostpci3", Text: "0A:00.0", Reason: "unable to parse config"},
		{Line: 2, Key: "hostpci1", Text: "x", Reason: "unable to parse config"},
		{Line: 3, Key: "hostpci4", Text: "01:00.0", Reason: "unable to parse config"},
		{Line: 4, Key: "hostpci17", Text: "01:00.0", Reason: "unknown setting 'hostpci17'"},
		{Line: 5, Key: "hostpci2", Text: "01:00.0 # remark", Reason: "host: value does not match the regex pattern"},
	}
	if diff := cmp.Diff(want, hostpci.Dropped); diff != "" {
		t.Errorf("dropped lines (-want +got):\n%s", diff)
	}
}

func TestRepeatedKeys(t *testing.T) {
	config := pve.ParseVMConfig("hostpci0: 01:00.0\n# note\nhostpci0: 02:00.0\n[PENDING]\nhostpci0: 03:00.0\nhostpci0: 04:00.0\n")
	want := []pve.RepeatedKey{{Line: 3, Key: "hostpci0"}, {Line: 6, Section: "pending", Key: "hostpci0"}}
	if diff := cmp.Diff(want, config.Repeated); diff != "" {
		t.Errorf("repeated keys (-want +got):\n%s", diff)
	}
	if value, _ := config.Main.Get("hostpci0"); value != "02:00.0" {
		t.Errorf("the last line does not win: %q", value)
	}
}

func TestMachine(t *testing.T) {
	for value, q35 := range map[string]bool{
		"q35": true, "pc-q35-9.2": true, "pc-q35-9.2+pve1": true, "type=q35,viommu=intel": true, "viommu=virtio,q35": true,
		"pc": false, "pc-i440fx-8.1": false, "": false, "q35,kernel_irqchip=on": false, "Q35": false, "virt": false,
		"pc-q35-9": false, "pc-8.1.pxe": false, "pc-q35-10.0.pxe": true,
	} {
		if got := pve.IsQ35(value); got != q35 {
			t.Errorf("%q: q35 is %v, want %v", value, got, q35)
		}
	}
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]pve.Version{
		"9.2.11": {Major: 9, Minor: 2, Patch: 11}, "7.4-16": {Major: 7, Minor: 4, Patch: 16}, "8.0.0~beta1": {Major: 8},
		"9": {Major: 9},
	} {
		if got, err := pve.ParseVersion(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "pve", "-1", ".."} {
		if got, err := pve.ParseVersion(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	v := pve.Version{Major: 8, Minor: 3, Patch: 6}
	if !v.AtLeast(8, 3, 6) || !v.AtLeast(7, 9, 9) || v.AtLeast(8, 3, 7) || v.AtLeast(9, 0, 0) {
		t.Errorf("versions compare wrongly")
	}
}

// TestMappingFileStructure covers how sections begin and end.
func TestMappingFileStructure(t *testing.T) {
	const entry = "id=10de:2204,node=pve-a,path=0000:01:00.0"
	for name, test := range map[string]struct {
		content string
		ids     string
		dropped int
	}{
		"plain":                          {"gpu\n\tmap " + entry + "\n", "gpu", 0},
		"no end of line":                 {"gpu\n\tmap " + entry, "gpu", 0},
		"blanks instead of a tab":        {"gpu\n   map   " + entry + "\n", "gpu", 0},
		"comments anywhere":              {"# a\ngpu\n  # b\n\tmap " + entry + "\n", "gpu", 0},
		"a header inside is no header":   {"gpu\n\tmap " + entry + "\nother\n\tmap " + entry + "\n", "gpu", 1},
		"a line of blanks does not end":  {"gpu\n\tmap " + entry + "\n  \n\tmdev 1\n", "gpu", 1},
		"an empty line ends":             {"gpu\n\tmap " + entry + "\n\n\tmdev 1\n", "gpu", 1},
		"a bad id":                       {"1gpu\n\tmap " + entry + "\n\nok-1\n\tmap " + entry + "\n", "ok-1", 1},
		"the last of two of one id wins": {"gpu\n\tmap " + entry + "\n\tmdev 1\n\ngpu\n\tmap " + entry + "\n", "gpu", 0},
		"a later one without entries":    {"gpu\n\tmap " + entry + "\n\ngpu\n\tmdev 1\n", "", 1},
		"two attributes of one name":     {"gpu\n\tmdev 1\n\tmdev 0\n\tmap " + entry + "\n", "gpu", 1},
		"unknown attribute":              {"gpu\n\tfoo 1\n\tmap " + entry + "\n", "gpu", 1},
		"carriage returns":               {"gpu\r\n\tmap " + entry + "\r\n", "gpu", 0},
		"binary":                         {"\x00\xff\n\t\x00 \xff\n", "", 1},
		"empty":                          {"", "", 0},
	} {
		mappings, dropped := pve.ParseMappingFile(test.content)
		var ids []string
		for _, mapping := range mappings {
			ids = append(ids, mapping.ID)
		}
		if strings.Join(ids, " ") != test.ids || len(dropped) != test.dropped {
			t.Errorf("%s: got %q and dropped %+v", name, ids, dropped)
		}
	}
}

func FuzzHostPCI(f *testing.F) {
	for _, seed := range []string{"01:00.0", "0000:01:00,pcie=1", "mapping=gpu-a", "host=0,01:00.0", ",,", "pcie=", "=", "01:00.0,foo=1,foo=2", " "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		_ = pve.ReadRefused(value)
		parsed, err := pve.ParseHostPCI(value)
		if err != nil {
			if err.Error() == "" {
				t.Fatalf("%q is refused without a reason", value)
			}
			return
		}
		again, err := pve.ParseHostPCI(parsed.String())
		if err != nil || !cmp.Equal(parsed.Options(), again.Options()) {
			t.Fatalf("%q printed as %q reads as %q, %v", value, parsed, again.Options(), err)
		}
	})
}

func FuzzEntry(f *testing.F) {
	f.Add("id=10de:2204,iommugroup=1,node=pve-a,path=0000:01:00.0;0000:01:00.1,subsystem-id=1458:403b,description=x")
	f.Add("node=a,path=0000:01:00x0,id=10DE:2204")
	f.Fuzz(func(t *testing.T, value string) {
		entry, err := pve.ParseEntry(value)
		if err != nil {
			return
		}
		if entry.String() != value {
			t.Fatalf("%q comes back as %q", value, entry)
		}
		for _, part := range entry.Paths() {
			_, _ = pve.PathSelector(part)
		}
	})
}

func FuzzMappingFile(f *testing.F) {
	f.Add("gpu\n\tdescription a b\n\tmdev 1\n\tmap id=10de:2204,node=pve-a,path=0000:01:00.0\n\n")
	f.Fuzz(func(t *testing.T, content string) {
		mappings, _ := pve.ParseMappingFile(content)
		for i, mapping := range mappings {
			if len(mapping.Entries) == 0 || i > 0 && mappings[i-1].ID >= mapping.ID {
				t.Fatalf("mappings without entry or out of order: %+v", mappings)
			}
		}
	})
}

func FuzzVMConfig(f *testing.F) {
	f.Add("#note\nhostpci0: 01:00.0\n[PENDING]\ndelete: hostpci0,!net0\n\n[snap1]\nhostpci0: 02:00.0\n")
	f.Add("hostpci0:  \nargs: x\n[special:cloudinit]\nname: a\n[1bad]\nfoo\n")
	f.Fuzz(func(t *testing.T, content string) {
		config := pve.ParseVMConfig(content)
		items := config.Items()
		for i := range items {
			if i > 0 && items[i-1].Key > items[i].Key {
				t.Fatalf("items out of order: %+v", items)
			}
			_, _ = items[i].Future()
			if strings.HasPrefix(items[i].Key, "hostpci") && items[i].Current != nil {
				if _, err := pve.ParseHostPCI(*items[i].Current); err != nil {
					t.Fatalf("a refused value is taken: %q: %v", *items[i].Current, err)
				}
			}
		}
	})
}

func FuzzVersion(f *testing.F) {
	f.Add("9.2.11")
	f.Fuzz(func(_ *testing.T, s string) { _, _ = pve.ParseVersion(s) })
}

func BenchmarkParseHostPCI(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pve.ParseHostPCI("0000:01:00,pcie=1,x-vga=1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseVMConfig(b *testing.B) {
	content := "boot: order=scsi0\ncores: 4\nmachine: q35\nmemory: 8192\nname: vm\nnet0: virtio=BC:24:11:AA:00:01,bridge=vmbr0\n" +
		"numa: 0\nostype: l26\nscsi0: local-lvm:vm-900-disk-0,size=32G\nscsihw: virtio-scsi-single\nsockets: 1\nhostpci0: 0000:01:00.0,pcie=1\n"
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		_ = pve.ParseVMConfig(content)
	}
}

func TestParseSectionFile(t *testing.T) {
	sections, refused := pve.ParseSectionFile("# by hand\nvzdump: backup-1\n\tvmid 100,101\n\n\tlost 1\nlocal:100-0\n  disable\n  # note\n  comment a  b \n\njunk\n\tmore\n: x\nkind:\n")
	want := []pve.FileSection{
		{Type: "vzdump", ID: "backup-1", Properties: map[string]string{"vmid": "100,101"}},
		{Type: "local", ID: "100-0", Properties: map[string]string{"disable": "", "comment": "a  b"}},
	}
	if diff := cmp.Diff(want, sections); diff != "" || refused != 5 {
		t.Errorf("%d refused, %s", refused, diff)
	}
	if !sections[1].Flag("disable", false) || sections[0].Flag("disable", false) || !sections[0].Flag("enabled", true) {
		t.Error("flags are read wrongly")
	}
}

func FuzzSectionFile(f *testing.F) {
	f.Add("vm: 100\n\tstate started\n\nct: 101\n")
	f.Add("local: 100-0\n  disable\n\x00\n: \n")
	f.Fuzz(func(t *testing.T, content string) {
		sections, refused := pve.ParseSectionFile(content)
		if len(sections)+refused > strings.Count(content, "\n")+1 {
			t.Fatalf("%d sections and %d refused lines of %q", len(sections), refused, content)
		}
		for _, section := range sections {
			if section.Type == "" || section.ID == "" || section.Properties == nil {
				t.Fatalf("%+v", section)
			}
		}
	})
}
