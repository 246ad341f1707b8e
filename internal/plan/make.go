package plan

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

// Make makes the plan of an intent. What stands in the way is a note of the plan; the
// error, an *IntentError, is for an intent that asks for nothing that can be planned.
func Make(report *atlas.Report, intent Intent) (*Plan, error) {
	if err := intent.check(); err != nil {
		return nil, &IntentError{err}
	}
	m := &maker{report: report, plan: Plan{Intent: intent, Cluster: report.Cluster, ReadAt: readAt(report), Confirm: intent.Mapping}}
	if !report.MappingsRead.Answered() {
		m.stop(NoteMappingsUnread, false, params(), "The resource mappings could not be read, so nothing can be planned.")
		return &m.plan, nil
	}
	switch intent.Kind {
	case Create:
		m.create()
	case Change:
		m.change()
	case Delete:
		m.remove()
	case Convert:
		m.convert()
	case Fix:
		m.fix()
	}
	if lost := len(report.MappingLines); lost > 0 && m.writesMappings() {
		m.note(NoteLosesLines, params("count", decimal(lost)),
			"With any change Proxmox VE writes the file of all mappings anew, without %d %s that it cannot read.", lost, plural(lost, "line", "lines"))
	}
	m.commandsFromOneNode()
	if len(m.plan.Steps) == 0 && !m.plan.Stopped() {
		m.note(NoteNothing, params(), "There is nothing to do.")
	}
	return &m.plan, nil
}

// maker makes one plan.
type maker struct {
	report *atlas.Report
	plan   Plan
	// made are the mappings that earlier steps of the plan create.
	made []pve.Mapping
}

func readAt(report *atlas.Report) time.Time {
	var oldest time.Time
	for i := range report.Nodes {
		if at := report.Nodes[i].ReadAt; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}

// params makes the parameters of a note from names and values.
func params(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func (m *maker) note(code NoteCode, p map[string]string, format string, args ...any) {
	m.plan.Notes = append(m.plan.Notes, Note{Code: code, Params: p, Sentence: fmt.Sprintf(format, args...)})
}

// stop adds a note that keeps the plan from being applied; with Force, one that is
// forceable does not.
func (m *maker) stop(code NoteCode, forceable bool, p map[string]string, format string, args ...any) {
	m.plan.Notes = append(m.plan.Notes, Note{
		Code: code, Params: p, Sentence: fmt.Sprintf(format, args...), Stops: !forceable || !m.plan.Intent.Force, Forceable: forceable,
	})
}

// refused says that Proxmox VE would refuse a request, with its sentence.
func (m *maker) refused(mapping, sentence string) {
	m.stop(NoteRefused, false, params("mapping", mapping, "message", sentence), "Proxmox VE would refuse this: %s", sentence)
	m.plan.Findings = append(m.plan.Findings, Finding{
		Code: FindingRequestRefused, Severity: "error", Mapping: mapping,
		Sentence: "Proxmox VE would refuse the request: " + sentence,
		Params:   params("mapping", mapping, "message", sentence),
		Evidence: []string{sentence}, Remedy: []string{"Change the request."},
	})
}

// mapping gives a mapping that is there, or that an earlier step makes.
func (m *maker) mapping(id string) *pve.Mapping {
	for i := range m.made {
		if m.made[i].ID == id {
			return &m.made[i]
		}
	}
	for i := range m.report.Mappings {
		if m.report.Mappings[i].ID == id {
			return &m.report.Mappings[i]
		}
	}
	return nil
}

// fileDigest is that of the mapping file, "" if there is no mapping that tells it.
func (m *maker) fileDigest() string {
	for i := range m.report.Mappings {
		return m.report.Mappings[i].Digest
	}
	return ""
}

// writesMappings tells whether an earlier step changes the mapping file.
func (m *maker) writesMappings() bool {
	return slices.ContainsFunc(m.plan.Steps, func(s Step) bool { return s.Mapping != "" })
}

// need tells whether the credential of the facts has a privilege.
func (m *maker) need(path, privilege string) Need {
	need := Need{Privilege: privilege, Path: path}
	switch read := &m.report.Facts.Rights; {
	case read.State == facts.NotAsked && m.report.Facts.Files.State != facts.NotAsked:
		need.Held = new(true) // who reads the files of a node is root there
	case read.State == facts.OK:
		if held, told := rights.Held(atlas.ShownRights(&read.Value), path, privilege); told || held {
			need.Held = &held
		}
	}
	return need
}

// rootOnly says that only root@pam may do it: files are read by root, and whoever
// comes with a token is not.
func (m *maker) rootOnly(reason RootReason) Need {
	need := Need{RootOnly: reason}
	switch read := &m.report.Facts.Rights; {
	case read.State == facts.NotAsked && m.report.Facts.Files.State != facts.NotAsked:
		need.Held = new(true)
	case read.State == facts.OK && read.Value.User != "":
		need.Held = new(read.Value.User == "root@pam")
	}
	return need
}

// commandsFromOneNode writes the commands of a plan that goes over several nodes so
// that all of them work on each: qm knows the VMs of its own node alone.
func (m *maker) commandsFromOneNode() {
	nodes := map[string]bool{}
	for i := range m.plan.Steps {
		if m.plan.Steps[i].Action == SetVM {
			nodes[m.plan.Steps[i].Node] = true
		}
	}
	if len(nodes) < 2 {
		return
	}
	for i := range m.plan.Steps {
		if step := &m.plan.Steps[i]; step.Action == SetVM {
			step.Command, step.UndoCommand = step.Request.anywhere(step.Guard.Digest), step.Undo.anywhere("")
		}
	}
}

// add adds a step, with its commands.
func (m *maker) add(step Step) {
	if step.Request != nil {
		step.Command = step.Request.command(step.Guard.Digest)
	}
	if step.Undo != nil {
		step.UndoCommand = step.Undo.command("")
	}
	m.plan.Steps = append(m.plan.Steps, step)
}

func decimal(n int) string { return strconv.Itoa(n) }
