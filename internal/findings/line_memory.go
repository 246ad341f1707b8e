package findings

import (
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// lineDefaultMemory is what Proxmox VE gives a VM without a memory line, in MiB.
const lineDefaultMemory = 512

// lineMemoryPinned finds VMs that are to give back memory which passthrough pins,
// and those with more memory to pin than their node has.
func lineMemoryPinned(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if len(lineSlots(v)) == 0 {
			continue
		}
		memory := lineMemory(v)
		balloon := lineBalloon(v)
		node, told := v.node.memory()
		shrinks, exceeds := balloon > 0 && balloon < memory, told && int64(memory) > node>>lineMiB
		if !shrinks && !exceeds {
			continue
		}
		evidence := linePinning(v)
		if len(evidence) == 0 {
			continue
		}
		if shrinks {
			found = append(found, lineShrinks(v, memory, balloon, evidence))
		}
		if exceeds {
			found = append(found, lineExceeds(v, memory, node, evidence))
		}
	}
	return found
}

// lineMiB is how far bytes are shifted to make MiB of them.
const lineMiB = 20

// memory gives the memory of the node in bytes, if it is told.
func (n *node) memory() (bytes int64, told bool) {
	read := n.world.facts.Nodes[n.Name]
	if read == nil || read.Memory.State != facts.OK {
		return 0, false
	}
	return read.Memory.Value, true
}

// linePinning is what shows that the VM passes whole functions; none if it does not.
func linePinning(v *vm) []string {
	var evidence []string
	for _, s := range lineSlots(v) {
		if s.value.Mdev == "" && s.value.Source() != pve.SourceNone {
			evidence = append(evidence, s.evidence())
		}
	}
	return evidence
}

func lineShrinks(v *vm, memory, balloon int, evidence []string) Finding {
	params := lineParams(v)
	params["variant"] = "balloon"
	params["balloon"], params["memory"] = strconv.Itoa(balloon), strconv.Itoa(memory)
	return Finding{
		Code: MemoryPinned, Severity: Warning, Subject: v.subject(), Params: params,
		Sentence: fmt.Sprintf("VM %d on %s may shrink from %d to %d MiB, but a passed device pins all memory of its VM: "+
			"the balloon frees nothing on the host.", v.VMID, v.Node, memory, balloon),
		Evidence: append([]string{lineKey(v, "memory"), lineKey(v, "balloon")}, evidence...),
		Remedy:   []string{fmt.Sprintf("qm set %d --balloon 0", v.VMID)},
	}
}

func lineExceeds(v *vm, memory int, node int64, evidence []string) Finding {
	has := strconv.FormatInt(node>>lineMiB, 10)
	params := lineParams(v)
	params["variant"] = "exceeds"
	params["memory"], params["node_memory"] = strconv.Itoa(memory), has
	return Finding{
		Code: MemoryPinned, Severity: Warning, Subject: v.subject(), Params: params,
		Sentence: fmt.Sprintf("VM %d has %d MiB of memory and node %s %s MiB: a passed device pins all memory of its VM, so it does not start there.",
			v.VMID, memory, v.Node, has),
		Evidence: append([]string{lineKey(v, "memory"), "memory of node " + v.Node + ": " + has + " MiB"}, evidence...),
		Remedy:   []string{fmt.Sprintf("Give VM %d less memory than the node has, and leave some to the host: qm set %d --memory MIB", v.VMID, v.VMID)},
	}
}

// lineBalloon gives the least memory that the VM may shrink to in MiB; 0 if it may
// not, or if its value cannot be read.
func lineBalloon(v *vm) int {
	text := v.future("balloon")
	if text == "" {
		return 0 // Atoi would make an error of it
	}
	balloon, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return balloon
}

// lineMemory gives the memory of a VM in MiB; 0 if its value cannot be read.
func lineMemory(v *vm) int {
	text := v.future("memory")
	if text == "" {
		return lineDefaultMemory
	}
	memory, err := strconv.Atoi(strings.TrimPrefix(text, "current="))
	if err != nil {
		return 0
	}
	return memory
}
