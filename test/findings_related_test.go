package test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

// TestFindingsAreFoundByWhatTheyName: whoever looks at a VM or a function that a
// finding names, in its sentence or in what was seen, is shown the finding.
func TestFindingsAreFoundByWhatTheyName(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, _ *rand.Rand) {
		t.Helper()
		report := atlas.Build(s)
		for _, f := range findings.Find(report) {
			for _, text := range append([]string{f.Sentence}, f.Evidence...) {
				for _, vmid := range namedVMs(text) {
					if !shownForVM(report, &f, vmid) {
						t.Errorf("%s is not shown for VM %d: %s", f.Code, vmid, text)
					}
				}
				for _, address := range namedAddresses(text) {
					if !shownForDevice(report, &f, text, address) {
						t.Errorf("%s is not shown for %s: %s", f.Code, address, text)
					}
				}
			}
		}
	})
}

var (
	vmList  = regexp.MustCompile(`\bVMs? (\d+(?:(?:, | and )\d+)*)`)
	number  = regexp.MustCompile(`\d+`)
	address = regexp.MustCompile(`\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b`)
)

// namedVMs gives the VMs that a text names as VM 101 or VMs 101, 102 and 103.
func namedVMs(text string) []int {
	var vmids []int
	for _, list := range vmList.FindAllStringSubmatch(text, -1) {
		for _, word := range number.FindAllString(list[1], -1) {
			if vmid, err := strconv.Atoi(word); err == nil {
				vmids = append(vmids, vmid)
			}
		}
	}
	return vmids
}

func namedAddresses(text string) []pci.Address {
	var addresses []pci.Address
	for _, word := range address.FindAllString(text, -1) {
		if parsed, err := pci.ParseAddress(word); err == nil {
			addresses = append(addresses, parsed)
		}
	}
	return addresses
}

// shownForVM also holds for a number that is no VM's.
func shownForVM(report *atlas.Report, f *findings.Finding, vmid int) bool {
	for _, vm := range report.FindVM(vmid) {
		if len(findings.OfVM([]findings.Finding{*f}, report.Node(vm.Node), vm)) == 0 {
			return false
		}
	}
	return true
}

// shownForDevice also holds for an address that the node does not have.
func shownForDevice(report *atlas.Report, f *findings.Finding, text string, address pci.Address) bool {
	for _, node := range meantNodes(report, f, text) {
		device := node.Device(address)
		if device != nil && len(findings.OfDevice([]findings.Finding{*f}, node, device)) == 0 {
			return false
		}
	}
	return true
}

// meantNodes gives the nodes whose functions a text names: those that it names
// itself, else that of the subject.
func meantNodes(report *atlas.Report, f *findings.Finding, text string) []*atlas.Node {
	var named []*atlas.Node
	for i := range report.Nodes {
		node := &report.Nodes[i]
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(node.Name) + `\b`).MatchString(text) {
			named = append(named, node)
		}
	}
	switch {
	case len(named) == 1 || len(named) > 1 && text != f.Sentence:
		return named
	case len(named) > 1:
		return nil // which address is on which node is for people to read
	case f.Subject.Node != "":
		return []*atlas.Node{report.Node(f.Subject.Node)}
	}
	return slices.DeleteFunc(meantByVM(report, f.Subject.VMID), func(n *atlas.Node) bool { return n == nil })
}

func meantByVM(report *atlas.Report, vmid int) []*atlas.Node {
	var nodes []*atlas.Node
	for _, vm := range report.FindVM(vmid) {
		nodes = append(nodes, report.Node(vm.Node))
	}
	return nodes
}

func TestNamedVMs(t *testing.T) {
	t.Parallel()
	got := namedVMs("VM 101 hostpci0: 01:00; VMs 102, 103 and 104 name it")
	if !slices.Equal(got, []int{101, 102, 103, 104}) {
		t.Error(got)
	}
}
