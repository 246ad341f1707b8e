package pci_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/pci"
)

func TestParseAddress(t *testing.T) {
	for text, ok := range map[string]bool{
		"0000:01:00.0": true, "10000:e1:00.0": true, "ffffffff:ff:ff.f": true, "0000:00:1f.7": true,
		"": false, "01:00.0": false, "0000:01:00": false, "00000:01:00.0": false, "0000:0A:00.0": false,
		"0000:01:00.10": false, "0000:01:00.0\t": false, "100000000:01:00.0": false, "000:01:00.0": false,
	} {
		address, err := pci.ParseAddress(text)
		if (err == nil) != ok {
			t.Errorf("%q: error %v, want accepted %v", text, err, ok)
		}
		if ok && address.String() != text {
			t.Errorf("%q comes back as %q", text, address)
		}
	}
}

func TestAddressOrderIsNumeric(t *testing.T) {
	sorted := []string{"0000:02:00.0", "0000:0a:00.0", "0000:0a:00.1", "0000:10:00.0", "ffff:00:00.0", "10000:00:00.0"}
	for i := 1; i < len(sorted); i++ {
		a, b := mustAddress(t, sorted[i-1]), mustAddress(t, sorted[i])
		if a.Compare(b) >= 0 || b.Compare(a) <= 0 {
			t.Errorf("%s and %s are in the wrong order", a, b)
		}
	}
}

func mustAddress(t testing.TB, s string) pci.Address {
	t.Helper()
	address, err := pci.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func drawAddress(t *rapid.T) pci.Address {
	return pci.Address{
		Domain:   rapid.OneOf(rapid.Just(uint32(0)), rapid.Uint32()).Draw(t, "domain"),
		Bus:      rapid.Uint8().Draw(t, "bus"),
		Device:   rapid.Uint8().Draw(t, "device"),
		Function: rapid.Uint8Range(0, 15).Draw(t, "function"),
	}
}

func TestAddressRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := drawAddress(t)
		again, err := pci.ParseAddress(address.String())
		if err != nil || again != address {
			t.Fatalf("%s comes back as %s, %v", address, again, err)
		}
		encoded, err := json.Marshal(map[pci.Address]pci.Address{address: address})
		if err != nil {
			t.Fatal(err)
		}
		var decoded map[pci.Address]pci.Address
		if err := json.Unmarshal(encoded, &decoded); err != nil || decoded[address] != address {
			t.Fatalf("%s comes back as %v, %v", encoded, decoded, err)
		}
	})
}

// TestSelectorNamesLikeProxmoxVE compares with the rule of lspci in
// PVE::SysFSTools: an id is found if it begins with the text, or with 0000: and
// the text.
func TestSelectorNamesLikeProxmoxVE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := drawAddress(t)
		near := drawAddress(t)
		if rapid.Bool().Draw(t, "near") {
			near = address
			near.Function = rapid.Uint8Range(0, 15).Draw(t, "other function")
		}
		text := near.String()
		if rapid.Bool().Draw(t, "short") && near.Domain == 0 {
			text = near.Short()
		}
		if rapid.Bool().Draw(t, "slot") {
			text, _, _ = strings.Cut(text, ".")
		}
		if rapid.IntRange(0, 9).Draw(t, "zeros") == 0 {
			text = "0" + text
		}
		selector, ok := pci.ParseSelector(text)
		if !ok {
			return
		}
		id := address.String()
		want := strings.HasPrefix(id, text) || strings.HasPrefix(id, "0000:"+text)
		if got := selector.Names(address); got != want {
			t.Fatalf("%q names %s: got %v, Proxmox VE says %v", text, id, got, want)
		}
	})
}

func TestFindSelectors(t *testing.T) {
	for text, want := range map[string]string{
		"0A:00.0":                   "0a:00.0",
		"01:00.0 # was 02:00":       "01:00.0 02:00",
		"0000:01:00.0;x":            "0000:01:00.0",
		"pci-0000:01:00.0":          "",
		"/sys/bus/pci/0000:01:00.0": "0000:01:00.0",
		"00:11:22:33:44:55":         "",
		"BC:24:11:00:01:00":         "",
		"nothing":                   "",
		"01:00.0é":                  "01:00.0",
		"(01:00)":                   "01:00",
		"01:00.00":                  "",
		"10000:E1:00.0 0000:E1:00":  "10000:e1:00.0 0000:e1:00",
	} {
		var words []string
		for _, selector := range pci.FindSelectors(text) {
			words = append(words, selector.String())
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestClass(t *testing.T) {
	for text, kind := range map[string]pci.Kind{
		"0x030000": pci.Display, "0x030200": pci.Display, "0x038000": pci.Display, "0x120000": pci.Accelerator,
		"0x040300": pci.Other, "0x060400": pci.Other,
	} {
		class, err := pci.ParseClass(text)
		if err != nil || class.Kind() != kind || class.String() != text {
			t.Errorf("%s: got %s %s, %v", text, class, class.Kind(), err)
		}
	}
	for _, text := range []string{"", "030000", "0x", "0x1030000", "0xzz0000", "0x-30000"} {
		if class, err := pci.ParseClass(text); err == nil {
			t.Errorf("%q is accepted as %s", text, class)
		}
	}
	for text, bus := range map[string]bool{"0x060400": true, "0x060700": true, "0x060940": true, "0x060000": false, "0x060100": false} {
		if class, _ := pci.ParseClass(text); class.HasBusBelow() != bus {
			t.Errorf("%s: bus below is %v", text, class.HasBusBelow())
		}
	}
}

func TestBuiltinNames(t *testing.T) {
	ids := pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x1427}, Subsystem: &pci.Pair{Vendor: 0x1462, Device: 0x115a}}
	got := pci.BuiltinNames.Lookup(ids, 0x030000)
	if got.Vendor != "NVIDIA Corporation" || got.Device != "GM206M [GeForce GTX 965M]" || got.Class != "VGA compatible controller" {
		t.Errorf("got %+v", got)
	}
	if got := pci.BuiltinNames.Lookup(pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2b85}}, 0x120000); got.Device != "GB202 [GeForce RTX 5090]" ||
		got.Class != "Processing accelerators" {
		t.Errorf("got %+v", got)
	}
	if got := pci.BuiltinNames.Lookup(pci.IDs{Pair: pci.Pair{Vendor: 0xfffe, Device: 0xffff}}, 0xee0000); got.Device != "" || got.Class != "" {
		t.Errorf("got %+v for what does not exist", got)
	}
	if day := pci.BuiltinNames.Date(); len(day) != 10 {
		t.Errorf("date of the list is %q", day)
	}
}

func TestNamesOfOddLists(t *testing.T) {
	for _, list := range []string{"", "\n\n", "1\n\t2\n\t\t3", "10de  NVIDIA", "10de  NVIDIA\n\t1427", "C 03  Display\n\t00  VGA", "C 03", "\x00\xff"} {
		d := pci.NewDatabase(list)
		_ = d.Lookup(pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x1427}}, 0x030000)
		_ = d.Date()
	}
	newer := pci.NewDatabase("#\tDate:    2999-01-01 00:00:00\n10de  Newer\n\t1427  Name\n")
	if got := pci.BuiltinNames.Newer(newer).Lookup(pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x1427}}, 0); got.Vendor != "Newer" {
		t.Errorf("the newer list is not used: %+v", got)
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{"01:00.0", "0000:01:00", "10000:e1:00.0", "00000:01:00.0", "", ";", "01:00.0;01:00.1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		selector, ok := pci.ParseSelector(s)
		if ok && selector.String() != s {
			t.Fatalf("%q comes back as %q", s, selector)
		}
		if ok && !selector.NamesNothing() && !selector.Names(selector.First()) {
			t.Fatalf("%q does not name its first address %s", s, selector.First())
		}
		list, ok := pci.ParseSelectors(s)
		if ok != pci.ValidSelectors(s) || ok && len(list) == 0 {
			t.Fatalf("%q: ParseSelectors and ValidSelectors disagree", s)
		}
		for _, found := range pci.FindSelectors(s) {
			if _, ok := pci.ParseSelector(found.String()); !ok {
				t.Fatalf("%q: found %q, which is none", s, found)
			}
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add("10de  NVIDIA\n\t1427  GM206M\n\t\t1462 115a  Sub\nC 03  Display\n\t00  VGA\n")
	f.Fuzz(func(_ *testing.T, list string) {
		d := pci.NewDatabase(list)
		ids := pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x1427}, Subsystem: &pci.Pair{Vendor: 0x1462, Device: 0x115a}}
		_ = d.Lookup(ids, 0x030000)
		_ = d.Date()
	})
}

func BenchmarkLookup(b *testing.B) {
	ids := pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2b85}}
	for b.Loop() {
		_ = pci.BuiltinNames.Lookup(ids, 0x030000)
	}
}

func BenchmarkFirstLookup(b *testing.B) {
	ids := pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2b85}}
	for b.Loop() {
		_ = pci.NewDatabase(pci.BuiltinText()).Lookup(ids, 0x030000)
	}
}
