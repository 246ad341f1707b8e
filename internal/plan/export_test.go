package plan_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

var drawnTexts = []string{
	"", "two cards", "it's \"quoted\" \\ $HOME `id` $(id)", "${path.module} %{ if true }x%{ endif }", "line\nbreak\ttab", "日本 é", "$${", "%%{", "end $", "# no comment",
}

// drawExported makes mappings whose texts try to break out of every notation.
func drawExported(t *rapid.T) []plan.Exported {
	var list []plan.Exported
	for n := range rapid.IntRange(1, 3).Draw(t, "mappings") {
		m := pve.Mapping{ID: "map-" + strconv.Itoa(n)}
		if text := rapid.SampledFrom(drawnTexts).Draw(t, "description"); text != "" {
			m.Description = &text
		}
		m.Mdev = rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "mdev")
		m.LiveMigration = rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "live")
		for range rapid.IntRange(1, 3).Draw(t, "entries") {
			entry := pve.Entry{
				Node: rapid.SampledFrom([]string{"pve-a", "pve-b"}).Draw(t, "node"), ID: "10de:2204",
				Path:      rapid.SampledFrom([]string{"0000:01:00", "0000:01:00.0;0000:01:00.1", "10000:e1:00.0"}).Draw(t, "path"),
				Group:     rapid.SampledFrom([]string{"", "0", "14", "01"}).Draw(t, "group"),
				Subsystem: rapid.SampledFrom([]string{"", "1458:403b"}).Draw(t, "subsystem"),
			}
			if text := rapid.SampledFrom(drawnTexts).Draw(t, "comment"); !strings.ContainsAny(text, ",\n=") {
				entry.Description = text
			}
			m.Entries = append(m.Entries, entry)
		}
		list = append(list, plan.Exported{Mapping: &m, Exists: rapid.Bool().Draw(t, "exists")})
	}
	return list
}

// TestTerraform reads what was written with the parser of Terraform and compares it.
func TestTerraform(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawExported(rt)
		text, err := plan.Export(plan.Terraform, list)
		if err != nil {
			rt.Fatal(err)
		}
		file, problems := hclsyntax.ParseConfig([]byte(text), "mappings.tf", hcl.InitialPos)
		if problems.HasErrors() {
			rt.Fatalf("%v\n%s", problems, text)
		}
		body, ok := file.Body.(*hclsyntax.Body)
		if !ok {
			rt.Fatal("no body")
		}
		resources, imports := map[string]*hclsyntax.Body{}, map[string]string{}
		for _, block := range body.Blocks {
			switch block.Type {
			case "resource":
				if block.Labels[0] != "proxmox_hardware_mapping_pci" {
					rt.Fatal(block.Labels)
				}
				resources[block.Labels[1]] = block.Body
			case "import":
				traversal, problems := hcl.AbsTraversalForExpr(block.Body.Attributes["to"].Expr)
				if problems.HasErrors() || len(traversal) != 2 {
					rt.Fatal(problems)
				}
				step, ok := traversal[1].(hcl.TraverseAttr)
				if !ok || traversal.RootName() != "proxmox_hardware_mapping_pci" {
					rt.Fatal(traversal)
				}
				imports[step.Name] = valueOf(rt, block.Body, "id").AsString()
			default:
				rt.Fatal(block.Type)
			}
		}
		for _, m := range list {
			if _, imported := imports[m.ID]; imported != m.Exists || imported && imports[m.ID] != m.ID {
				rt.Fatalf("import of %s: %t", m.ID, imported)
			}
			compareResource(rt, m.Mapping, resources[m.ID])
			if m.LiveMigration != nil && !strings.Contains(text, "live-migration-capable") {
				rt.Fatal("the flag got lost")
			}
		}
		if len(resources) != len(list) {
			rt.Fatalf("%d resources of %d mappings", len(resources), len(list))
		}
	})
}

func valueOf(t *rapid.T, body *hclsyntax.Body, name string) cty.Value {
	attribute := body.Attributes[name]
	if attribute == nil {
		return cty.NilVal
	}
	value, problems := attribute.Expr.Value(nil) // no variable and no function is known
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return value
}

func compareResource(t *rapid.T, m *pve.Mapping, body *hclsyntax.Body) {
	if body == nil || valueOf(t, body, "name").AsString() != m.ID {
		t.Fatalf("no resource %s", m.ID)
	}
	comment := valueOf(t, body, "comment")
	if (comment == cty.NilVal) != (m.Description == nil) || m.Description != nil && comment.AsString() != *m.Description {
		t.Fatalf("comment %#v of %v", comment, m.Description)
	}
	mediated := valueOf(t, body, "mediated_devices")
	if (mediated == cty.NilVal) != (m.Mdev == nil) || m.Mdev != nil && mediated.True() != *m.Mdev {
		t.Fatalf("mediated_devices %#v", mediated)
	}
	entries := valueOf(t, body, "map").AsValueSlice()
	if len(entries) != len(m.Entries) {
		t.Fatalf("%d entries of %d", len(entries), len(m.Entries))
	}
	for i, e := range m.Entries {
		got := map[string]string{}
		for name, value := range entries[i].AsValueMap() {
			if value.Type() == cty.Number {
				number, _ := value.AsBigFloat().Int64()
				got[name] = strconv.FormatInt(number, 10)
				continue
			}
			got[name] = value.AsString()
		}
		want := map[string]string{"id": e.ID, "node": e.Node, "path": e.Path}
		for name, value := range map[string]string{"subsystem_id": e.Subsystem, "comment": e.Description} {
			if value != "" {
				want[name] = value
			}
		}
		if e.Group != "" && e.Group != "01" {
			want["iommu_group"] = e.Group
		}
		if !maps.Equal(got, want) {
			t.Fatalf("entry %v, want %v", got, want)
		}
	}
}

// TestCommands lets a shell take the commands apart and puts the mappings together
// again.
func TestCommands(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		list := drawExported(rt)
		text, err := plan.Export(plan.Commands, list)
		if err != nil {
			rt.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), shell, "-c", "pvesh() { printf '%s\\0' \"$@\"; printf '\\0'; }\n"+text).Output()
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		calls := strings.Split(strings.TrimSuffix(string(out), "\x00\x00"), "\x00\x00")
		if len(calls) != len(list) {
			rt.Fatalf("%d calls of %d", len(calls), len(list))
		}
		for i, m := range list {
			want := []string{"create", "/cluster/mapping/pci", "--id", m.ID}
			if m.Exists {
				want = []string{"set", "/cluster/mapping/pci/" + m.ID}
			}
			for _, e := range m.Entries {
				want = append(want, "--map", e.String())
			}
			if m.Description != nil {
				want = append(want, "--description", *m.Description)
			}
			if m.Mdev != nil {
				want = append(want, "--mdev", map[bool]string{true: "1", false: "0"}[*m.Mdev])
			}
			if m.LiveMigration != nil {
				want = append(want, "--live-migration-capable", map[bool]string{true: "1", false: "0"}[*m.LiveMigration])
			}
			if got := strings.Split(calls[i], "\x00"); !slices.Equal(got, want) {
				rt.Fatalf("got  %q\nwant %q", got, want)
			}
		}
	})
}

// TestJSON reads the mappings again.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawExported(rt)
		text, err := plan.Export(plan.JSON, list)
		if err != nil {
			rt.Fatal(err)
		}
		var read []struct {
			ID          string
			Map         []string
			Description *string
			Mdev        *int
		}
		if err := json.Unmarshal([]byte(text), &read); err != nil || len(read) != len(list) {
			rt.Fatalf("%v\n%s", err, text)
		}
		for i, m := range list {
			if read[i].ID != m.ID || (read[i].Mdev == nil) != (m.Mdev == nil) || len(read[i].Map) != len(m.Entries) || (read[i].Description == nil) != (m.Description == nil) ||
				m.Description != nil && *read[i].Description != *m.Description {
				rt.Fatalf("%+v of %+v", read[i], m.Mapping)
			}
			for j := range m.Entries {
				if read[i].Map[j] != m.Entries[j].String() {
					rt.Fatalf("%q of %q", read[i].Map[j], m.Entries[j])
				}
			}
		}
	})
}
