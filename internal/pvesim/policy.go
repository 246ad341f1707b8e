package pvesim

import (
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// haResources serves GET /cluster/ha/resources from ha/resources.cfg.
func (c *call) haResources() (any, error) {
	text := c.world.Files["ha/resources.cfg"]
	rows := []map[string]any{}
	for _, section := range parseSections(text) {
		if kind := c.params["type"]; kind != "" && kind != section.kind {
			continue
		}
		row := section.row()
		row["sid"], row["type"], row["digest"] = section.kind+":"+section.id, section.kind, pve.Digest(text)
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// haState gives the state that HA wants a guest in, "" if it does not manage it.
func (c *call) haState(guest *Guest) string {
	kind := map[GuestKind]string{QEMU: "vm", LXC: "ct"}[guest.Kind]
	for _, section := range parseSections(c.world.Files["ha/resources.cfg"]) {
		if section.kind == kind && section.id == strconv.Itoa(guest.VMID) {
			if state := section.values["state"]; state != "" {
				return state
			}
			return "started"
		}
	}
	return ""
}

// haRuleList serves GET /cluster/ha/rules from ha/rules.cfg.
func (c *call) haRuleList() (any, error) {
	text := c.world.Files["ha/rules.cfg"]
	rows := []map[string]any{}
	for i, section := range parseSections(text) {
		kind, resource := c.params["type"], c.params["resource"]
		if kind != "" && kind != section.kind || resource != "" && !strings.Contains(section.values["resources"], resource) {
			continue
		}
		row := section.row()
		row["rule"], row["type"], row["order"], row["digest"] = section.id, section.kind, i+1, pve.Digest(text)
		rows = append(rows, row)
	}
	return rows, nil
}

// haGroups serves GET /cluster/ha/groups from ha/groups.cfg. PVE 9 has turned
// groups into rules and says so.
func (c *call) haGroups() (any, error) {
	if c.release.haRules() {
		return nil, failure("cannot index groups: ha groups have been migrated to rules")
	}
	text := c.world.Files["ha/groups.cfg"]
	rows := []map[string]any{}
	for _, section := range parseSections(text) {
		row := section.row()
		row["group"], row["type"], row["digest"] = section.id, section.kind, pve.Digest(text)
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// backupJobs serves GET /cluster/backup from jobs.cfg.
func (c *call) backupJobs() (any, error) {
	rows := []map[string]any{}
	for _, section := range parseSections(c.world.Files["jobs.cfg"]) {
		if section.kind != "vzdump" {
			continue
		}
		row := section.row()
		row["id"], row["type"] = section.id, section.kind
		if text, ok := section.values["prune-backups"]; ok {
			row["prune-backups"] = properties(text)
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// properties takes a property string apart.
func properties(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if key, value, ok := strings.Cut(part, "="); ok {
			out[key] = value
		}
	}
	return out
}

// replicationJobs serves GET /cluster/replication from replication.cfg. One job
// of a guest that the token may not see refuses the whole list, as in
// PVE::API2::ReplicationConfig.
func (c *call) replicationJobs() (any, error) {
	rows := []map[string]any{}
	for _, section := range parseSections(c.world.Files["replication.cfg"]) {
		guest, job, _ := strings.Cut(section.id, "-")
		if !c.access.has(c.subject, "/vms/"+guest, "VM.Audit") {
			return nil, forbidden("/vms/" + guest + ", VM.Audit")
		}
		row := section.row()
		row["id"], row["type"], row["guest"], row["jobnum"] = section.id, section.kind, guest, job
		if n, err := strconv.Atoi(guest); err == nil {
			row["guest"] = n
		}
		rows = append(rows, row)
	}
	return rows, nil
}
