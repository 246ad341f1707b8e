package pve_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pciatlas/internal/pve"
)

// TestWithMapping compares what stays of a line.
func TestWithMapping(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"0000:17:00,pcie=1,x-vga=1", "mapping=gpu,pcie=1,x-vga=1"},
		{"host=0000:17:00,pcie=1", "mapping=gpu,pcie=1"},
		{"pcie=1,host=01:00.0;01:00.1,x-vga=on", "pcie=1,mapping=gpu,x-vga=on"},
		{",01:00.0,,", ",mapping=gpu,,"},
		{"01:00.0,newer-option=x,romfile=a b.rom", "mapping=gpu,newer-option=x,romfile=a b.rom"},
		{"host=0,01:00.0", ""},
		{"mapping=a", ""},
		{"01:00.0,mapping=a", ""},
		{"pcie=1", ""},
		{"", ""},
	} {
		got, ok := pve.WithMapping(c.value, "gpu")
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %t; want %q", c.value, got, ok, c.want)
		}
	}
	if got, _ := pve.WithHost("pcie=1,host=01:00.0", "02:00.0"); got != "pcie=1,host=02:00.0" {
		t.Error(got)
	}
	if got, _ := pve.WithHost("01:00.0,pcie=1", "02:00.0"); got != "02:00.0,pcie=1" {
		t.Error(got)
	}
}

// TestWithMappingKeepsOptions goes over all accepted values of the vectors: what
// differs between a line and its converted form is the address and nothing else, and
// the way back gives the first line.
func TestWithMappingKeepsOptions(t *testing.T) {
	data, err := os.ReadFile("../../testdata/vectors/hostpci.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Values []struct {
			Value string `json:"input"`
		} `json:"values"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	converted := 0
	for _, v := range vectors.Values {
		before, err := pve.ParseHostPCI(v.Value)
		if err != nil || before.Source() != pve.SourceHost {
			continue
		}
		value, ok := pve.WithMapping(v.Value, "gpu")
		if !ok {
			if strings.Count(v.Value, "host=") == 1 && !strings.Contains(v.Value, "host=0,") {
				t.Errorf("%q is not converted", v.Value)
			}
			continue
		}
		converted++
		after, err := pve.ParseHostPCI(value)
		if err != nil {
			t.Errorf("%q became %q: %v", v.Value, value, err)
			continue
		}
		after.Host, after.Mapping, after.Selectors = before.Host, "", before.Selectors
		if a, b := before.Options(), after.Options(); len(a) != len(b) {
			t.Errorf("%q became %q", v.Value, value)
		} else {
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("%q became %q", v.Value, value)
				}
			}
		}
		if strings.Count(value, ",") != strings.Count(v.Value, ",") {
			t.Errorf("%q became %q", v.Value, value)
		}
	}
	if converted < 20 {
		t.Fatalf("only %d lines were converted", converted)
	}
}
