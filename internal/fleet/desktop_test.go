package fleet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/fleet"
)

func TestDesktopCheck(t *testing.T) {
	d := fleet.Desktop{Cluster: "lab", VMID: 100, Name: " 设计 01\n", Note: "\tfirst\r\nsecond\rthird\t4 "}
	want := fleet.Desktop{Cluster: "lab", VMID: 100, Name: "设计 01", Note: "first\nsecond\nthird\t4"}
	if err := d.Check(); err != nil || d != want {
		t.Errorf("%v, %+v", err, d)
	}
	for name, c := range map[string]struct {
		desktop fleet.Desktop
		fields  []string // nil: fine
	}{
		"most":          {fleet.Desktop{VMID: 999_999_999, Name: strings.Repeat("文", 100), Note: strings.Repeat("😀", 500)}, nil},
		"nothing":       {fleet.Desktop{}, []string{"vmid", "name"}},
		"low number":    {fleet.Desktop{VMID: 99, Name: "a"}, []string{"vmid"}},
		"high number":   {fleet.Desktop{VMID: 1_000_000_000, Name: "a"}, []string{"vmid"}},
		"blank name":    {fleet.Desktop{VMID: 100, Name: " \t"}, []string{"name"}},
		"long":          {fleet.Desktop{VMID: 100, Name: strings.Repeat("a", 101), Note: strings.Repeat("a", 501)}, []string{"name", "note"}},
		"two lines":     {fleet.Desktop{VMID: 100, Name: "a\nb"}, []string{"name"}},
		"tab":           {fleet.Desktop{VMID: 100, Name: "a\tb"}, []string{"name"}},
		"NUL":           {fleet.Desktop{VMID: 100, Name: "a\x00b", Note: "a\x00"}, []string{"name", "note"}},
		"escape":        {fleet.Desktop{VMID: 100, Name: "a", Note: "\x1b[31mred"}, []string{"note"}},
		"right to left": {fleet.Desktop{VMID: 100, Name: "a\u202eb"}, []string{"name"}},
		"broken UTF-8":  {fleet.Desktop{VMID: 100, Name: "a\xff", Note: "\xff"}, []string{"name", "note"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.desktop.Check()
			var fields []string
			if invalid, ok := errors.AsType[*fleet.InvalidError](err); ok {
				for _, field := range invalid.Fields {
					fields = append(fields, field.Field)
				}
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" || (err == nil) != (c.fields == nil) {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestManagedBy(t *testing.T) {
	desktops := []fleet.Desktop{{VMID: 100, Name: "registered"}, {VMID: 102, Name: "both"}}
	for _, c := range []struct {
		name string
		tag  string
		vmid int
		tags []string
		want fleet.Managed
		ok   bool
	}{
		{"registered", "", 100, nil, fleet.Managed{Name: "registered"}, true},
		{"neither", "vdi", 101, []string{"vdi2", "x"}, fleet.Managed{}, false},
		{"by tag", "vdi", 101, []string{"x", "VDI"}, fleet.Managed{Name: "vm", ByTag: true}, true},
		{"registration wins", "vdi", 102, []string{"vdi"}, fleet.Managed{Name: "both"}, true},
		{"no rule", "", 101, []string{"vdi", ""}, fleet.Managed{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := fleet.ManagedBy(desktops, c.tag, c.vmid, "vm", c.tags); got != c.want || ok != c.ok {
				t.Errorf("ManagedBy: %+v, %v", got, ok)
			}
			if got, ok := fleet.NewIndex(desktops, c.tag).Managed(c.vmid, "vm", c.tags); got != c.want || ok != c.ok {
				t.Errorf("Index: %+v, %v", got, ok)
			}
		})
	}
	if got, ok := (fleet.Index{}).Managed(100, "vm", []string{""}); ok {
		t.Errorf("the zero index knows %+v", got)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " ": false, "\u200b": false, "\u3164\u115f": false, "\u2800": false, "\ufe0f\u034f": false, "\u00ad": false,
		"a": true, "\u200bx": true, "会": true, "1": true, "-": true, "🖥": true,
	} {
		if fleet.Visible(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
	if err := (&fleet.Desktop{VMID: 100, Name: "\u3164"}).Check(); err == nil {
		t.Error("a name that nobody sees is taken")
	}
}

func TestIndexDecides(t *testing.T) {
	desktops := []fleet.Desktop{{VMID: 100, Name: "x"}}
	for _, c := range []struct {
		tag  string
		vmid int
		told bool
		want bool
	}{{"vdi", 100, false, true}, {"vdi", 101, false, false}, {"vdi", 101, true, true}, {"", 101, false, true}} {
		if got := fleet.NewIndex(desktops, c.tag).Decides(c.vmid, c.told); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
