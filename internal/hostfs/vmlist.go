package hostfs

import (
	"encoding/json"
	"strconv"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// guestID is a guest, wherever it is. The same number could be a VM and a
// container only in a damaged tree; both are kept then.
type guestID struct {
	vmid int
	kind facts.GuestKind
}

// vmList is what etc/pve/.vmlist says: the node of each guest (pmxcfs,
// cfs_create_vmlist_msg).
type vmList struct {
	nodes   map[guestID]string
	refused int // entries that name no guest
}

// parseVMList reads the text of .vmlist.
func parseVMList(text string) (vmList, error) {
	var file struct {
		IDs map[string]struct {
			Node string `json:"node"`
			Type string `json:"type"`
		} `json:"ids"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return vmList{}, malformed("is not the list of guests that the cluster file system writes")
	}
	list := vmList{nodes: make(map[guestID]string, len(file.IDs))}
	for id, guest := range file.IDs {
		vmid, ok := parseVMID(id)
		kind := facts.GuestKind(guest.Type)
		if !ok || !pve.ValidNodeName(guest.Node) || (kind != facts.QEMU && kind != facts.LXC) {
			list.refused++
			continue
		}
		list.nodes[guestID{vmid, kind}] = guest.Node
	}
	return list, nil
}

// parseVMID reads the number of a guest as PVE::JSONSchema's pve-vmid has it:
// 100 to 999999999, without zeros in front.
func parseVMID(s string) (int, bool) {
	const shortest, longest = 3, 9
	if len(s) < shortest || len(s) > longest || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	vmid, err := strconv.Atoi(s)
	return vmid, err == nil
}
