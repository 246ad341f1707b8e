package cli

import (
	"errors"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// TestNothingRead: where no node is known, nothing is said not to exist.
func TestNothingRead(t *testing.T) {
	snapshot := &facts.Snapshot{}
	report := atlas.Build(snapshot)
	if nodes, err := selectNodes(report, nil); err != nil || len(nodes) != 0 {
		t.Errorf("%v, %v", nodes, err)
	}
	_, unknown := selectNodes(report, []string{"x"})
	for name, err := range map[string]error{
		"device": deviceNotFound(snapshot, nil, pci.Address{}),
		"VM":     vmNotFound(report, snapshot, 100),
		"node":   unknown,
		"scan":   checkNodes(nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "nothing was read about any node") || strings.Contains(err.Error(), "known are") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if exit, ok := errors.AsType[*exitError](checkNodes(nil)); !ok || exit.code != exitFailed {
		t.Error("a scan of nothing does not fail")
	}
}

// TestTableGivesWay: long names of nodes give way after the columns that may
// shrink, and an address never does.
func TestTableGivesWay(t *testing.T) {
	layout := &table{limit: 80, columns: []column{
		{title: "STATE", late: true},
		{title: "ADDRESS"},
		{title: "DEVICE", shrink: true, minWidth: 16},
		{title: "NODE", late: true},
		{title: "REFERENCED BY", shrink: true, minWidth: 16},
		{title: "VIA", shrink: true, minWidth: 10},
		{title: "GROUP", right: true},
	}}
	layout.add(text("No reference found"), text("10000:01:00.0"), text(strings.Repeat("x", 50)), text(strings.Repeat("n", 63)),
		text("100 "+strings.Repeat("y", 40)), text("hostpci0 "+strings.Repeat("z", 40)), text("not told"))
	widths := layout.widths()
	if total := layout.total(widths); total > 80 || widths[1] != len("10000:01:00.0") {
		t.Errorf("%d columns: %v", total, widths)
	}
}
