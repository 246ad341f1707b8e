package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// HA is what the high-availability manager is told to do.
type HA struct {
	Resources []HAResource `json:"resources"`
	Rules     []HARule     `json:"rules,omitempty"`
}

// HAResource is one guest that HA looks after.
type HAResource struct {
	VMID  int       `json:"vmid"`
	Kind  GuestKind `json:"kind"`
	State string    `json:"state"` // the requested state: started, stopped, disabled, ignored
	Group string    `json:"group,omitempty"`
}

// HARule is one rule on where guests of HA may run: a node affinity of Proxmox VE
// 9, or a group of earlier releases.
type HARule struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // node-affinity, resource-affinity, group
	VMIDs    []int    `json:"vmids,omitempty"`
	Nodes    []string `json:"nodes,omitempty"`
	Strict   bool     `json:"strict,omitempty"` // only these nodes
	Disabled bool     `json:"disabled,omitempty"`
}

// BackupJob is one backup job.
type BackupJob struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
	All     bool   `json:"all,omitempty"` // every guest but those excluded
	VMIDs   []int  `json:"vmids,omitempty"`
	Exclude []int  `json:"exclude,omitempty"`
	Pool    string `json:"pool,omitempty"`
	Node    string `json:"node,omitempty"` // "" for all nodes
	Mode    string `json:"mode,omitempty"`
}

// ReplicationJob is one replication job.
type ReplicationJob struct {
	ID       string `json:"id"`
	VMID     int    `json:"vmid"`
	Target   string `json:"target,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
}

// Mention is a guest's number that was met somewhere while the guest itself is
// not in the list of guests.
type Mention struct {
	VMID int `json:"vmid"`
	// Where says where, in words: "backup job backup-1".
	Where string `json:"where"`
	// Rule: only an access rule, or what a backup job leaves out, names the number.
	// Such lists outlive their guests, so that says little by itself.
	Rule bool `json:"rule,omitempty"`
	// Taken is what GET /cluster/nextid?vmid= says of the number.
	Taken Opt[bool] `json:"taken,omitzero"`
}

// Hidden tells whether the mention proves a guest that is out of sight.
func (m Mention) Hidden() bool {
	if m.Taken.Told {
		return m.Taken.Value
	}
	return !m.Rule
}

// The numbers that Proxmox VE gives to guests.
const (
	MinVMID = 100
	MaxVMID = 999_999_999
)

// FindMentions looks for guests that HA, a backup job, replication or an access
// rule names and that the list of guests lacks. Whether such a number is taken is
// for the reader to ask. Nil without a list of guests.
func FindMentions(s *Snapshot) []Mention {
	if !s.Guests.State.Answered() {
		return nil
	}
	seen := make(map[int]bool, len(s.Guests.Value))
	for _, guest := range s.Guests.Value {
		seen[guest.VMID] = true
	}
	var mentions []Mention
	note := func(vmid int, rule bool, where string) {
		if !seen[vmid] && vmid >= MinVMID && vmid <= MaxVMID {
			seen[vmid] = true
			mentions = append(mentions, Mention{VMID: vmid, Rule: rule, Where: where})
		}
	}
	for _, resource := range s.HA.Value.Resources {
		note(resource.VMID, false, "HA resource")
	}
	for _, rule := range s.HA.Value.Rules {
		for _, vmid := range rule.VMIDs {
			note(vmid, false, "HA rule "+rule.ID)
		}
	}
	for _, job := range s.Backups.Value {
		for _, vmid := range job.VMIDs {
			note(vmid, false, "backup job "+job.ID)
		}
	}
	for _, job := range s.Backups.Value {
		for _, vmid := range job.Exclude {
			note(vmid, true, "backup job "+job.ID)
		}
	}
	for _, job := range s.Replication.Value {
		note(job.VMID, false, "replication job "+job.ID)
	}
	for _, entry := range s.Rights.Value.ACL.Value {
		if digits, ok := strings.CutPrefix(entry.Path, "/vms/"); ok {
			if vmid, err := strconv.Atoi(digits); err == nil {
				note(vmid, true, "access rule on "+entry.Path)
			}
		}
	}
	slices.SortFunc(mentions, func(a, b Mention) int { return cmp.Compare(a.VMID, b.VMID) })
	return mentions
}
