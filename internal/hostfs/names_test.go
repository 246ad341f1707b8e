package hostfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

func TestNames(t *testing.T) {
	list := func(date string) string {
		return "#\tDate:    " + date + " 03:15:02\n10de  Green Company\n\t2504  Card \xff\n\nC 03  Pictures\n\t00  Screen\n"
	}
	builtin := pci.Names{Vendor: "NVIDIA Corporation", Class: "VGA compatible controller"}
	node := pci.Names{Vendor: "Green Company", Device: "Card \uFFFD", Class: "Screen"}
	for name, c := range map[string]struct {
		tree  tree
		limit int
		given *pci.Database
		want  pci.Names
	}{
		"built in":     {node2504(), 0, nil, builtin},
		"newer":        {node2504().add(map[string]string{namesFile: list("2999-01-01")}), 0, nil, node},
		"older":        {node2504().add(map[string]string{namesFile: list("2001-01-01")}), 0, nil, builtin},
		"not dated":    {node2504().add(map[string]string{namesFile: "10de  Green Company\n"}), 0, nil, builtin},
		"too large":    {node2504().add(map[string]string{namesFile: list("2999-01-01")}), 10, nil, builtin},
		"outside":      {node2504().link(namesFile, "/usr/share/misc/pci.ids"), 0, nil, builtin},
		"given anyway": {node2504().add(map[string]string{namesFile: list("2999-01-01")}), 0, pci.NewDatabase("10de  Given\n"), pci.Names{Vendor: "Given"}},
	} {
		t.Run(name, func(t *testing.T) {
			read := devicesOf(t, c.tree.write(t), func(o *Options) { o.Names, o.Limits.NamesFile = c.given, c.limit })
			got := read.Value[0].Names
			if c.want == builtin {
				got.Device = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" || read.State != facts.OK {
				t.Error(diff, read.Problems)
			}
		})
	}
}

func node2504() tree {
	return tree{Files: function("0000:01:00.0", "0x10de", "0x2504", "0x030000", nil)}
}
