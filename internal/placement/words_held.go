package placement

import (
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// others gives the VMs whose pools take part in worlds.
func others(worlds []world) []*atlas.VM {
	var vms []*atlas.VM
	for _, w := range worlds {
		for _, vm := range w {
			vms = appendVM(vms, vm)
		}
	}
	sortVMs(vms)
	return vms
}

func (a *attempt) noneLeft(bad []world) Reason {
	first := a.result(bad[0]).refusals[0](a)
	vms := others(bad)
	return a.reason(NoneLeft, Refuses, first.Slot, first.Mapping,
		fmt.Sprintf("Whichever devices %s %s on node %s, none is left that VM %d could start with.",
			vmWords(vms), verb(len(vms), "holds", "hold"), a.node.Name, a.VMID)).about(nil, vms)
}

func (a *attempt) noneLeftOf(slot int, resolved *atlas.StartSlot, pools []*pool) Reason {
	vms := poolVMs(pools)
	return a.reason(NoneLeft, Refuses, slot, via(resolved),
		fmt.Sprintf("Whichever devices %s %s on node %s, none is left for %s.",
			vmWords(vms), verb(len(vms), "holds", "hold"), a.node.Name, pve.SlotKey(slot))).about(nil, vms)
}

func (a *attempt) mayHold(slot int, mapping string, vms []*atlas.VM) Reason {
	return a.reason(MayBeHeld, Open, slot, mapping,
		fmt.Sprintf("Which devices %s %s on node %s is not told; VM %d may find none left.",
			vmWords(vms), verb(len(vms), "holds", "hold"), a.node.Name, a.VMID)).about(nil, vms)
}

func (a *attempt) tooManyWays(slot int, resolved *atlas.StartSlot, pools []*pool) Reason {
	vms := poolVMs(pools)
	return a.reason(TooManyWays, Open, slot, via(resolved),
		fmt.Sprintf("Which devices %s %s on node %s is not told, and there are too many possibilities to look at.",
			vmWords(vms), verb(len(vms), "holds", "hold"), a.node.Name)).about(nil, vms)
}

func poolVMs(pools []*pool) []*atlas.VM {
	var vms []*atlas.VM
	for _, p := range pools {
		vms = appendVM(vms, p.vm)
	}
	sortVMs(vms)
	return vms
}

func (a *attempt) scopeUnproven() Reason {
	return a.reason(ScopeUnproven, Open, atlas.NoSlot, "",
		fmt.Sprintf("Whether all VMs of node %s are visible is not proven; one that is not may hold the devices.", a.node.Name))
}

func (a *attempt) openIssue(issue *atlas.Issue) Reason {
	r := a.reason(VMsUnseen, Open, atlas.NoSlot, "",
		"Not all VMs of node "+a.node.Name+" were seen; one of them may hold the devices: "+issue.Message,
		"issue", string(issue.Code), "message", issue.Message)
	if issue.VMID != 0 {
		r.Params["issue_vmid"] = strconv.Itoa(issue.VMID)
	}
	return r
}

func (a *attempt) hiddenHolder(h *holder) Reason {
	var why string
	switch h.hidden {
	case VMArgs:
		why = "has custom arguments, which are not examined"
	case VMHook:
		why = "has a hook script, which is not examined"
	case VMMappingGone:
		why = "runs with a resource mapping that is not shown now"
	default:
		why = "could not be read"
	}
	return a.reason(h.hidden, Open, atlas.NoSlot, "",
		fmt.Sprintf("VM %d on node %s %s; it may hold the devices.", h.vm.VMID, a.node.Name, why)).about(nil, []*atlas.VM{h.vm})
}

func (a *attempt) gets(slot int, resolved *atlas.StartSlot, got []pci.Address) Reason {
	return a.reason(Gets, Outcome, slot, via(resolved),
		fmt.Sprintf("%s gets %s.", pve.SlotKey(slot), list(got))).about(got, nil)
}

func (a *attempt) mayGet(slot int, resolved *atlas.StartSlot, all []pci.Address) Reason {
	return a.reason(MayGet, Outcome, slot, via(resolved),
		fmt.Sprintf("%s gets one of the choices of its mapping with %s; which, other VMs decide.", pve.SlotKey(slot), list(all))).about(all, nil)
}

func (a *attempt) getsSlice(slot int, resolved *atlas.StartSlot, name string, on []pci.Address) Reason {
	return a.reason(GetsSlice, Outcome, slot, via(resolved),
		fmt.Sprintf("%s gets a mediated device of type %s on %s.", pve.SlotKey(slot), name, list(on)), "type", name).about(on, nil)
}

func (a *attempt) groupTakes(slot int, resolved *atlas.StartSlot, groups []int, lost []pci.Address) Reason {
	texts := make([]string, len(groups))
	for i, group := range groups {
		texts[i] = strconv.Itoa(group)
	}
	return a.reason(GroupTakes, Outcome, slot, via(resolved),
		fmt.Sprintf("With %s node %s loses %s, because they share an IOMMU group; it does not get them back when the VM stops.",
			pve.SlotKey(slot), a.node.Name, list(lost)), "groups", strings.Join(texts, ", ")).about(lost, nil)
}
