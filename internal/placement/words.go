package placement

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// reason makes a reason about a slot. Its parameters come in pairs of name and value.
func (a *attempt) reason(code ReasonCode, effect Effect, slot int, mapping, sentence string, params ...string) Reason {
	r := Reason{
		Code: code, Effect: effect, Slot: slot, Mapping: mapping, Sentence: sentence,
		Params: map[string]string{"vmid": a.number(), "node": a.node.Name},
	}
	if slot != atlas.NoSlot {
		r.Params["slot"] = pve.SlotKey(slot)
	}
	if mapping != "" {
		r.Params["mapping"] = mapping
	}
	for i := 0; i+1 < len(params); i += 2 {
		r.Params[params[i]] = params[i+1]
	}
	return r
}

// about adds functions and VMs.
func (r Reason) about(devices []pci.Address, vms []*atlas.VM) Reason {
	r.Devices = devices
	if len(devices) > 0 {
		r.Params["devices"] = list(devices)
	}
	for _, vm := range vms {
		r.VMs = append(r.VMs, vm.VMID)
	}
	if len(vms) > 0 {
		r.Params["vms"] = numbers(vms)
	}
	return r
}

func list(addresses []pci.Address) string {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = address.String()
	}
	return strings.Join(texts, ", ")
}

func numbers(vms []*atlas.VM) string {
	texts := make([]string, len(vms))
	for i, vm := range vms {
		texts[i] = strconv.Itoa(vm.VMID)
	}
	return strings.Join(texts, ", ")
}

// vmWords gives VMs as a sentence names them.
func vmWords(vms []*atlas.VM) string {
	if len(vms) == 1 {
		return "VM " + numbers(vms)
	}
	return "VMs " + numbers(vms)
}

func via(slot *atlas.StartSlot) string { return slot.Value.Mapping }

func verb(count int, one, many string) string {
	if count == 1 {
		return one
	}
	return many
}

func (a *attempt) configUnread() Reason {
	return a.reason(ConfigUnread, Open, atlas.NoSlot, "", fmt.Sprintf("The configuration of VM %d could not be read.", a.VMID))
}

func (a *attempt) nodeOff() Reason {
	return a.reason(NodeOff, Open, atlas.NoSlot, "", fmt.Sprintf("Node %s is off or does not answer.", a.node.Name))
}

func (a *attempt) isTemplate() Reason {
	return a.reason(IsTemplate, Refuses, atlas.NoSlot, "", fmt.Sprintf("VM %d is a template, which never starts.", a.VMID))
}

func (a *attempt) locked(lock string) Reason {
	return a.reason(Locked, Refuses, atlas.NoSlot, "", fmt.Sprintf("VM %d is locked (%s).", a.VMID, lock), "lock", lock)
}

func (a *attempt) lineRefused(slot int, err error) Reason {
	message := strings.TrimSuffix(err.Error(), "\n")
	return a.reason(LineRefused, Refuses, slot, "", fmt.Sprintf("Proxmox VE refuses %s: %q.", pve.SlotKey(slot), message), "message", message)
}

func (a *attempt) notPresent(slot int, mapping, message string) Reason {
	return a.reason(DeviceNotPresent, Refuses, slot, mapping,
		fmt.Sprintf("What %s names is not on node %s: %q.", pve.SlotKey(slot), a.node.Name, message), "message", message)
}

func (a *attempt) devicesUnread(slot int, mapping string) Reason {
	return a.reason(DevicesUnread, Open, slot, mapping,
		fmt.Sprintf("The devices of node %s were not all read, so what %s names there is not known.", a.node.Name, pve.SlotKey(slot)))
}

func (a *attempt) noEntry(slot int, mapping, message string) Reason {
	return a.reason(MappingNoEntry, Refuses, slot, mapping,
		fmt.Sprintf("Resource mapping %s of %s has no entry for node %s.", mapping, pve.SlotKey(slot), a.node.Name), "message", message)
}

func (a *attempt) noMapping(slot int, mapping, message string) Reason {
	return a.reason(MappingNotFound, Refuses, slot, mapping,
		fmt.Sprintf("Resource mapping %s of %s does not exist.", mapping, pve.SlotKey(slot)), "message", message)
}

func (a *attempt) mappingInvisible(slot int, mapping string) Reason {
	return a.reason(MappingInvisible, Open, slot, mapping,
		fmt.Sprintf("Resource mapping %s of %s is not visible here; whether it exists is not known.", mapping, pve.SlotKey(slot)))
}

func (a *attempt) entryInvalid(slot int, mapping string, entry *pve.Entry, faults []pve.EntryFault) Reason {
	properties := make([]string, 0, len(faults))
	for _, fault := range faults {
		if fault.Property == "" {
			properties = append(properties, "path")
			continue
		}
		properties = append(properties, fault.Property)
	}
	message := faults[0].StartRefusal()
	r := a.reason(EntryInvalid, Refuses, slot, mapping,
		fmt.Sprintf("Entry %s of resource mapping %s of %s does not fit the hardware of node %s: %q. Proxmox VE checks every entry and stops.",
			entry.Path, mapping, pve.SlotKey(slot), a.node.Name, message),
		"path", entry.Path, "message", message, "properties", strings.Join(slices.Compact(properties), ", "))
	if address, err := pci.ParseAddress(faults[0].Device); err == nil {
		r.Devices = []pci.Address{address}
	}
	return r
}

func (a *attempt) entryUntold(slot int, mapping string) Reason {
	return a.reason(EntryUntold, Open, slot, mapping,
		fmt.Sprintf("Whether the entries of resource mapping %s of %s fit node %s is not known in full: not all of the hardware is told.",
			mapping, pve.SlotKey(slot), a.node.Name))
}

func (a *attempt) assignedTwice(slot int, message string) Reason {
	return a.reason(AssignedTwice, Refuses, slot, "",
		fmt.Sprintf("VM %d would take a function twice: %q.", a.VMID, message), "message", message)
}

func (a *attempt) noFree(slot int, resolved *atlas.StartSlot, message string, w world) Reason {
	var vms []*atlas.VM
	for _, alternative := range resolved.Alternatives {
		for _, address := range alternative {
			if vm := w.holder(a, address); vm != nil {
				vms = appendVM(vms, vm)
			}
		}
	}
	sortVMs(vms)
	sentence, variant := fmt.Sprintf("Nothing is left on node %s for %s: %q.", a.node.Name, pve.SlotKey(slot), message), "nothing"
	if len(vms) > 0 {
		variant = "held"
		sentence = fmt.Sprintf("Nothing is left on node %s for %s, because of %s: %q.", a.node.Name, pve.SlotKey(slot), vmWords(vms), message)
	}
	return a.reason(NoFreeDevice, Refuses, slot, via(resolved), sentence, "message", message, "variant", variant).about(nil, vms)
}

func (a *attempt) heldBy(slot int, resolved *atlas.StartSlot, held []pci.Address, by []*atlas.VM) Reason {
	message := fmt.Sprintf("PCI device '%s' already in use by VMID '%d'", held[0], by[0].VMID)
	return a.reason(HeldByVM, Refuses, slot, via(resolved),
		fmt.Sprintf("%s, which runs on node %s, %s %s: %q.", vmWords(by), a.node.Name, verb(len(by), "holds", "hold"), list(held), message),
		"message", message).about(held, by)
}

func (a *attempt) noIOMMU(slot int, resolved *atlas.StartSlot) Reason {
	return a.reason(NoIOMMU, Refuses, slot, via(resolved),
		fmt.Sprintf("Node %s has no IOMMU, so nothing can be passed to a VM there.", a.node.Name))
}

func (a *attempt) noGroup(slot int, resolved *atlas.StartSlot, lacking []pci.Address) Reason {
	return a.reason(NoGroup, Refuses, slot, via(resolved),
		fmt.Sprintf("%s on node %s %s no IOMMU group, without which nothing can be passed.", list(lacking), a.node.Name, verb(len(lacking), "has", "have"))).
		about(lacking, nil)
}

func (a *attempt) groupUnread(slot int, resolved *atlas.StartSlot, untold []pci.Address) Reason {
	return a.reason(GroupUnread, Open, slot, via(resolved),
		fmt.Sprintf("The IOMMU group of %s on node %s is not told.", list(untold), a.node.Name)).about(untold, nil)
}

func (a *attempt) groupHeldBy(slot int, resolved *atlas.StartSlot, chosen, grouped []pci.Address, by []*atlas.VM) Reason {
	group := ""
	for _, address := range chosen {
		if value := a.device(address).Device.Group.Value; value != nil {
			group = strconv.Itoa(*value)
			break
		}
	}
	message := "failed to open /dev/vfio/" + group + ": Device or resource busy"
	return a.reason(GroupHeldByVM, Refuses, slot, via(resolved),
		fmt.Sprintf("%s %s %s of the same IOMMU group; QEMU fails: %q.", vmWords(by), verb(len(by), "holds", "hold"), list(grouped), message),
		"group", group, "message", message).about(grouped, by)
}

func (a *attempt) keepUnbound(slot int, resolved *atlas.StartSlot, bad []pci.Address) Reason {
	return a.reason(KeepUnbound, Refuses, slot, via(resolved),
		fmt.Sprintf("With driver=keep Proxmox VE binds nothing, and no vfio driver holds %s on node %s.", list(bad), a.node.Name)).about(bad, nil)
}

func (a *attempt) driverUnread(slot int, resolved *atlas.StartSlot, untold []pci.Address) Reason {
	return a.reason(DriverUnread, Open, slot, via(resolved),
		fmt.Sprintf("With driver=keep Proxmox VE binds nothing, and which driver holds %s on node %s is not told.", list(untold), a.node.Name)).
		about(untold, nil)
}

func (a *attempt) sliced(slot int, resolved *atlas.StartSlot, address pci.Address, user *atlas.VM, sure bool) Reason {
	if !sure {
		return a.mayHold(slot, via(resolved), []*atlas.VM{user})
	}
	return a.reason(Sliced, Open, slot, via(resolved),
		fmt.Sprintf("VM %d has a mediated device of %s; what becomes of it when VM %d takes the whole is not known.", user.VMID, address, a.VMID)).
		about([]pci.Address{address}, []*atlas.VM{user})
}

func (a *attempt) typeUnknown(slot int, resolved *atlas.StartSlot, name string, tried []pci.Address) Reason {
	return a.reason(TypeUnknown, Refuses, slot, via(resolved),
		fmt.Sprintf("%s on node %s %s no mediated device of type %s.", list(tried), a.node.Name, verb(len(tried), "offers", "offer"), name), "type", name).
		about(tried, nil)
}

func (a *attempt) typeExhausted(slot int, resolved *atlas.StartSlot, name string, tried []pci.Address) Reason {
	return a.reason(TypeExhausted, Refuses, slot, via(resolved),
		fmt.Sprintf("No mediated device of type %s is left on %s of node %s.", name, list(tried), a.node.Name), "type", name).about(tried, nil)
}

func (a *attempt) parentHeld(slot int, resolved *atlas.StartSlot, name string, tried []pci.Address) Reason {
	var vms []*atlas.VM
	for _, address := range tried {
		if vm := world(nil).holder(a, address); vm != nil {
			vms = appendVM(vms, vm)
		}
	}
	return a.reason(ParentHeld, Refuses, slot, via(resolved),
		fmt.Sprintf("%s %s the whole of %s, so no mediated device of type %s can be made there.", vmWords(vms), verb(len(vms), "holds", "hold"), list(tried), name),
		"type", name).about(tried, vms)
}

func (a *attempt) typesUnread(slot int, resolved *atlas.StartSlot, name string, tried []pci.Address) Reason {
	return a.reason(TypesUnread, Open, slot, via(resolved),
		fmt.Sprintf("Whether %s on node %s %s a mediated device of type %s left was not read.", list(tried), a.node.Name, verb(len(tried), "has", "have"), name),
		"type", name).about(tried, nil)
}

func (a *attempt) memoryExceeds(node int64) Reason {
	memory := strconv.FormatInt(a.memory(), 10)
	has := strconv.FormatInt(node, 10)
	return a.reason(MemoryExceeds, Refuses, atlas.NoSlot, "",
		fmt.Sprintf("VM %d has %s MiB of memory and node %s %s MiB; a passed device pins all of it.", a.VMID, memory, a.node.Name, has),
		"memory", memory, "node_memory", has)
}

func (a *attempt) romMissing(slot int, file string) Reason {
	return a.reason(ROMMissing, Refuses, slot, "",
		fmt.Sprintf("The ROM file %s of %s is not on node %s.", file, pve.SlotKey(slot), a.node.Name), "file", file)
}

func (a *attempt) romUnseen(slot int, file string) Reason {
	return a.reason(ROMUnseen, Remarked, slot, "",
		fmt.Sprintf("Whether the ROM file %s of %s is on node %s cannot be seen from here.", file, pve.SlotKey(slot), a.node.Name), "file", file)
}

func (a *attempt) ownArgs() Reason {
	return a.reason(OwnArgs, Open, atlas.NoSlot, "",
		fmt.Sprintf("VM %d has custom arguments that mention vfio-pci; what they take is not examined.", a.VMID))
}
