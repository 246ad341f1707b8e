package plan

import (
	"errors"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

const mappingsPath = "/cluster/mapping/pci"

func mappingPath(id string) string { return mappingsPath + "/" + id }

// create plans a mapping that is not there.
func (m *maker) create() {
	intent := &m.plan.Intent
	m.checkDescription()
	wanted := pve.Mapping{ID: intent.Mapping, Description: trimmed(intent.Description), Mdev: intent.Mdev, LiveMigration: intent.LiveMigration}
	ok := m.entries(&wanted)
	if !pve.ValidMappingID(intent.Mapping) {
		m.refused(intent.Mapping, "id: invalid format - invalid configuration ID '"+intent.Mapping+"'")
		return
	}
	if m.mapping(intent.Mapping) != nil {
		m.refused(intent.Mapping, "create hardware mapping failed: pci ID '"+intent.Mapping+"' already defined")
		return
	}
	if len(wanted.Entries) == 0 && ok {
		m.refused(intent.Mapping, "map: property is missing and it is not optional")
		return
	}
	if !ok {
		return
	}
	m.checkNew(&wanted)
	m.addCreate(wanted)
}

// checkDescription says what Proxmox VE refuses in a description.
func (m *maker) checkDescription() {
	const longest = 4096
	switch text := m.plan.Intent.Description; {
	case text == nil:
	case strings.ContainsAny(*text, "\n\r"):
		m.refused(m.plan.Intent.Mapping, "description: property contains a line feed")
	case len(*text) > longest:
		m.refused(m.plan.Intent.Mapping, "description: value may only be 4096 characters long")
	}
}

// trimmed gives a text as it is read back: Proxmox VE keeps no blanks at its ends.
func trimmed(text *string) *string {
	if text == nil {
		return nil
	}
	short := strings.Trim(*text, " \t")
	return &short
}

// addCreate adds the step that creates a mapping.
func (m *maker) addCreate(wanted pve.Mapping) {
	m.hiddenMappings(wanted.ID)
	m.add(Step{
		Action: CreateMapping, Mapping: wanted.ID, After: &wanted,
		Request: createRequest(&wanted), Undo: deleteRequest(wanted.ID),
		Needs: []Need{m.need(mappingsPathOf(""), pve.MappingModify)}, Guard: m.readBackGuard(),
	})
	m.made = append(m.made, wanted)
}

// hiddenMappings says that a mapping of the name may be there, and hidden.
func (m *maker) hiddenMappings(id string) {
	if !m.report.MappingsShown() {
		m.note(NoteMappingsHidden, params("mapping", id),
			"Whether all mappings are shown is not proven; if a mapping %s is hidden, Proxmox VE refuses to create it.", id)
	}
}

// mappingsPathOf gives the path of the permission tree for one mapping, or for all.
func mappingsPathOf(id string) string {
	if id == "" {
		return "/mapping/pci"
	}
	return "/mapping/pci/" + id
}

// entries takes the entries of the intent, and tells whether all can be read.
func (m *maker) entries(wanted *pve.Mapping) bool {
	ok := true
	for _, text := range m.plan.Intent.Entries {
		entry, err := pve.ParseEntry(text)
		if err != nil {
			m.refused(wanted.ID, "map: invalid format - "+formatMessage(err))
			ok = false
			continue
		}
		wanted.Entries = append(wanted.Entries, entry)
	}
	return ok
}

// formatMessage gives the sentences of a format's faults.
func formatMessage(err error) string {
	format, ok := errors.AsType[*pve.FormatError](err)
	if !ok {
		return err.Error()
	}
	var texts []string
	for _, fault := range format.Faults {
		if fault.Option != "" {
			texts = append(texts, fault.Option+": "+fault.Message)
			continue
		}
		texts = append(texts, fault.Message)
	}
	return strings.Join(texts, "; ")
}

// checkNew compares the entries of a mapping with the hardware.
func (m *maker) checkNew(wanted *pve.Mapping) {
	for i := range wanted.Entries {
		m.checkEntry(wanted, i)
	}
}

// checkEntry compares one entry. What does not fit stops, unless it is meant.
func (m *maker) checkEntry(mapping *pve.Mapping, i int) {
	entry := &mapping.Entries[i]
	about := params("mapping", mapping.ID, "node", entry.Node, "entry", decimal(i+1), "path", entry.Path)
	node := m.report.Node(entry.Node)
	if node == nil || !node.DevicesRead {
		m.note(NoteEntryUntold, about, "Entry %d of %s cannot be compared with node %s: its devices were not read.", i+1, mapping.ID, entry.Node)
		return
	}
	check := m.report.CheckEntry(node, mapping, entry)
	switch {
	case len(check.Faults) > 0:
		about["message"] = check.Faults[0].Message
		m.stop(NoteEntryFaulty, true, about, "Entry %d of %s does not fit node %s, so no VM with the mapping would start there: %s.",
			i+1, mapping.ID, entry.Node, check.Faults[0].Message)
	case check.Untold:
		m.note(NoteEntryUntold, about, "Entry %d of %s could not be compared with all of node %s.", i+1, mapping.ID, entry.Node)
	}
}

// change plans other entries or properties of a mapping.
func (m *maker) change() {
	before := m.existing(m.plan.Intent.Mapping)
	if before == nil {
		return
	}
	after, ok := m.changed(before)
	if !ok {
		return
	}
	m.addChange(before, after)
}

// existing gives a mapping that is there, or says that it is not.
func (m *maker) existing(id string) *pve.Mapping {
	found := m.mapping(id)
	switch {
	case found != nil:
	case m.report.MappingsShown():
		m.stop(NoteNoMapping, false, params("mapping", id), "There is no mapping %s; names are case-sensitive.", id)
	default:
		m.stop(NoteNoMapping, false, params("mapping", id), "No mapping %s is visible; whether it exists is not known.", id)
	}
	return found
}

// changed applies the intent to a mapping.
func (m *maker) changed(before *pve.Mapping) (pve.Mapping, bool) {
	intent := &m.plan.Intent
	after := pve.Mapping{ID: before.ID, Description: before.Description, Mdev: before.Mdev, LiveMigration: before.LiveMigration}
	if intent.Entries == nil {
		after.Entries = before.Entries
	} else if !m.entries(&after) {
		return after, false
	}
	if len(after.Entries) == 0 {
		m.refused(before.ID, "update hardware mapping failed: missing value for required option 'map'")
		return after, false
	}
	for _, name := range intent.Unset {
		switch name {
		case UnsetDescription:
			after.Description = nil
		case UnsetMdev:
			after.Mdev = nil
		case UnsetLiveMigration:
			after.LiveMigration = nil
		}
	}
	m.checkDescription()
	if intent.Description != nil {
		after.Description = trimmed(intent.Description)
	}
	if intent.Mdev != nil {
		after.Mdev = intent.Mdev
	}
	if intent.LiveMigration != nil {
		after.LiveMigration = intent.LiveMigration
	}
	return after, true
}

// addChange adds the step that changes a mapping.
func (m *maker) addChange(before *pve.Mapping, after pve.Mapping) {
	if SameMapping(before, &after) {
		return
	}
	if !sameDevices(before, &after) {
		m.users(before.ID)
		m.running(before, &after)
	}
	for i := range after.Entries {
		if !slices.ContainsFunc(before.Entries, func(e pve.Entry) bool { return sameEntry(e, after.Entries[i]) }) || before.HasMdev() != after.HasMdev() {
			m.checkEntry(&after, i)
		}
	}
	m.add(Step{
		Action: ChangeMapping, Mapping: after.ID, Before: before, After: &after,
		Request: changeRequest(before, &after), Undo: changeRequest(&after, before),
		Needs: []Need{m.need(mappingsPathOf(after.ID), pve.MappingModify)}, Guard: m.fileGuard(),
	})
}

// readBackGuard guards a request that takes no digest: the one of the mapping file is
// compared right before.
func (m *maker) readBackGuard() Guard {
	guard := m.fileGuard()
	guard.Kind = GuardReadBack
	return guard
}

// fileGuard guards by the digest of the mapping file. After a step of the plan that
// changes the file, that is the digest which is read back then.
func (m *maker) fileGuard() Guard {
	if m.writesMappings() {
		return Guard{Kind: GuardFileDigest}
	}
	return Guard{Kind: GuardFileDigest, Digest: m.fileDigest()}
}

// remove plans that a mapping goes.
func (m *maker) remove() {
	before := m.existing(m.plan.Intent.Mapping)
	if before == nil {
		return
	}
	m.users(before.ID)
	m.running(before, nil)
	m.add(Step{
		Action: DeleteMapping, Mapping: before.ID, Before: before,
		Request: deleteRequest(before.ID), Undo: createRequest(before),
		Needs: []Need{m.need(mappingsPathOf(""), pve.MappingModify)}, Guard: m.readBackGuard(),
	})
}

// users lists what refers to a mapping. It stops a plan that is not forced, as does
// that something which may refer to it was not read; but not a fix, before which
// nothing starts with the entry anyway.
func (m *maker) users(id string) {
	matrix := m.report.Matrix()
	row := matrix.Row(id)
	m.plan.Users, m.plan.Snapshots = row.Users, row.Snapshots
	if m.plan.Intent.Kind == Fix {
		return
	}
	if count := len(row.Users) + len(row.Snapshots); count > 0 {
		m.stop(NoteInUse, true, params("mapping", id, "count", decimal(count)),
			"%d %s of VMs, templates and snapshots refer to mapping %s.", count, plural(count, "line", "lines"), id)
	}
	if why := m.unreadUsers(row); why != "" {
		m.stop(NoteUsersUntold, true, params("mapping", id),
			"Whether more refers to mapping %s is not known: %s", id, why)
		return
	}
	for i := range m.report.Nodes {
		if m.report.Nodes[i].Scope.State == atlas.Assumed {
			m.note(NoteUsersUntold, params("mapping", id), "Whether more refers to mapping %s is not proven: that all VMs are visible is only assumed.", id)
			return
		}
	}
}

// unreadUsers says what of the VMs that may refer to a mapping was not read.
func (m *maker) unreadUsers(row *atlas.MatrixRow) string {
	for i := range m.report.Nodes {
		if node := &m.report.Nodes[i]; node.Scope.State == atlas.Unproven {
			return "not all VMs of node " + node.Name + " may have been visible."
		}
	}
	if m.report.Facts.Guests.State != facts.OK {
		return "the list of VMs was not read whole."
	}
	if !row.SnapshotsRead {
		return "not all configurations and snapshots of VMs were read."
	}
	return ""
}

// running finds the running VMs whose clean-up at their stop would find another
// mapping than their start did.
func (m *maker) running(before, after *pve.Mapping) {
	for i := range m.plan.Users {
		user := &m.plan.Users[i]
		if user.VM.Template || user.VM.Status == facts.Stopped || user.Phase == atlas.Pending {
			continue
		}
		if after != nil && before.HasMdev() == after.HasMdev() && slices.EqualFunc(before.On(user.VM.Node), after.On(user.VM.Node), sameEntry) {
			continue
		}
		verb := "changes"
		if after == nil {
			verb = "deletes"
		}
		slot := pve.SlotKey(user.Slot)
		m.plan.Findings = append(m.plan.Findings, Finding{
			Code: FindingChangedWhileRunning, Severity: "warning", Node: user.VM.Node, VMID: user.VM.VMID, Slot: slot, Mapping: before.ID,
			Sentence: "The plan " + verb + " mapping " + before.ID + " while VM " + decimal(user.VM.VMID) + " may be running with it (" + slot +
				"): at its stop Proxmox VE cleans up by what the mapping says then, so that a reservation or a mediated device may stay behind.",
			Params:   params("verb", verb, "mapping", before.ID, "vmid", decimal(user.VM.VMID), "slot", slot, "node", user.VM.Node),
			Evidence: []string{slot + " of VM " + decimal(user.VM.VMID) + " on " + user.VM.Node + " names mapping " + before.ID},
			Remedy:   []string{"qm shutdown " + decimal(user.VM.VMID)},
		})
	}
}

func plural(count int, one, many string) string {
	if count == 1 {
		return one
	}
	return many
}
