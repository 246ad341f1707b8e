package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// Outline is the public JSON object of a Plan. An empty list means none.
type Outline struct {
	Cluster   string           `json:"cluster"`
	ReadAt    *time.Time       `json:"read_at"` // null: not told
	Intent    Intent           `json:"intent"`
	Digest    string           `json:"digest"`  // of what the plan would do, and of what it was made from
	Confirm   string           `json:"confirm"` // to be typed before it is applied
	Stopped   bool             `json:"stopped"`
	Writes    int              `json:"writes"`    // how many steps send something
	RootOnly  bool             `json:"root_only"` // the user root@pam, never a token
	May       *bool            `json:"may"`       // whether the credential that was read with may do all; null: not told
	Steps     []AnswerStep     `json:"steps"`
	Notes     []AnswerNote     `json:"notes"`
	Findings  []AnswerFinding  `json:"findings"`
	Users     []AnswerUser     `json:"users"`
	Snapshots []AnswerSnapshot `json:"snapshots"`
	Commands  string           `json:"commands"` // for a shell of a node
	WayBack   string           `json:"way_back"` // the same, "" if nothing can be taken back
}

// AnswerStep is the public form of a Step.
type AnswerStep struct {
	Action      Action         `json:"action"`
	Mapping     *string        `json:"mapping"`
	Node        *string        `json:"node"`
	VMID        *int           `json:"vmid"`
	VMName      *string        `json:"vm_name"`
	Running     bool           `json:"running"`
	Request     *string        `json:"request"` // method and path; null: for a person to do
	Command     string         `json:"command"`
	UndoCommand *string        `json:"undo_command"`
	Needs       []AnswerNeed   `json:"needs"`
	Guard       GuardKind      `json:"guard"`
	GuardDigest *string        `json:"guard_digest"`
	Before      *AnswerMapping `json:"before"`
	After       *AnswerMapping `json:"after"`
	Lines       []AnswerLine   `json:"lines"`
}

// AnswerMapping is a mapping in a plan.
type AnswerMapping struct {
	ID            string   `json:"id"`
	Description   *string  `json:"description"`
	Mdev          *bool    `json:"mdev"`
	LiveMigration *bool    `json:"live_migration"`
	Map           []string `json:"map"`
}

// AnswerLine is the public form of a LineChange.
type AnswerLine struct {
	Slot      string           `json:"slot"`
	Before    string           `json:"before"`
	After     string           `json:"after"`
	Functions []AnswerFunction `json:"functions"`
}

// AnswerFunction is the public form of a Function.
type AnswerFunction struct {
	Address string `json:"address"`
	Class   string `json:"class"`
}

// AnswerNeed is the public form of a Need.
type AnswerNeed struct {
	Privilege *string     `json:"privilege"`
	Path      *string     `json:"path"`
	RootOnly  *RootReason `json:"root_only"`
	Held      *bool       `json:"held"`
}

// AnswerNote is the public form of a Note.
type AnswerNote struct {
	Code      NoteCode          `json:"code"`
	Sentence  string            `json:"sentence"`
	Params    map[string]string `json:"params"`
	Stops     bool              `json:"stops"`
	Forceable bool              `json:"forceable"`
}

// AnswerFinding is the public form of a Finding, which is that of all findings.
type AnswerFinding struct {
	Code     string            `json:"code"`
	Severity string            `json:"severity"`
	Subject  AnswerSubject     `json:"subject"`
	Sentence string            `json:"sentence"`
	Params   map[string]string `json:"params"`
	Evidence []string          `json:"evidence"`
	Remedy   []string          `json:"remedy"`
}

// AnswerSubject says what a finding is about.
type AnswerSubject struct {
	Node    string `json:"node,omitempty"`
	VMID    int    `json:"vmid,omitempty"`
	Slot    string `json:"slot,omitempty"`
	Mapping string `json:"mapping,omitempty"`
}

// AnswerUser is a line that refers to the mapping of a plan.
type AnswerUser struct {
	VMID     int          `json:"vmid"`
	Name     *string      `json:"name"`
	Node     string       `json:"node"`
	Slot     string       `json:"slot"`
	Phase    atlas.Phase  `json:"phase"`
	Template bool         `json:"template"`
	Status   facts.Status `json:"status"`
}

// AnswerSnapshot is a line of a snapshot that does.
type AnswerSnapshot struct {
	VMID     int     `json:"vmid"`
	Name     *string `json:"name"`
	Node     string  `json:"node"`
	Snapshot string  `json:"snapshot"`
	Slot     string  `json:"slot"`
}

// Digest is a checksum of what the plan would do and of the state that it was made
// from, whoever read it. Two plans of one digest do the same to the same.
func (p *Plan) Digest() string {
	whole := p.answer()
	for i := range whole.Steps {
		for j := range whole.Steps[i].Needs {
			whole.Steps[i].Needs[j].Held = nil
		}
	}
	whole.Notes = slices.DeleteFunc(whole.Notes, func(n AnswerNote) bool { return !n.Stops && !n.Forceable })
	for i := range whole.Notes {
		whole.Notes[i].Sentence = ""
	}
	for i := range whole.Steps {
		whole.Steps[i].VMName = nil // not every way of reading tells it
	}
	text, err := json.Marshal(Outline{
		Intent: whole.Intent, Stopped: whole.Stopped, Steps: whole.Steps, Notes: whole.Notes, Users: withoutNames(whole.Users), Snapshots: whole.Snapshots,
	})
	if err != nil {
		return "" // nothing in it can fail to be written
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

func withoutNames(users []AnswerUser) []AnswerUser {
	for i := range users {
		users[i].Name = nil
	}
	return users
}

// Answer gives the public object.
func (p *Plan) Answer() Outline {
	answer := p.answer()
	answer.Digest = p.Digest()
	return answer
}

func (p *Plan) answer() Outline {
	answer := Outline{
		Cluster: p.Cluster, Intent: p.Intent, Confirm: p.Confirm, Stopped: p.Stopped(), Writes: p.Writes(), RootOnly: p.RootOnly(), May: p.May(),
		Steps: make([]AnswerStep, len(p.Steps)), Notes: make([]AnswerNote, len(p.Notes)), Findings: make([]AnswerFinding, len(p.Findings)),
		Users: make([]AnswerUser, len(p.Users)), Snapshots: make([]AnswerSnapshot, len(p.Snapshots)),
		Commands: p.commands(), WayBack: p.wayBack(),
	}
	if !p.ReadAt.IsZero() {
		at := p.ReadAt.UTC()
		answer.ReadAt = &at
	}
	for i := range p.Steps {
		answer.Steps[i] = p.Steps[i].answer()
	}
	for i, note := range p.Notes {
		answer.Notes[i] = AnswerNote(Note{note.Code, note.Sentence, note.Params, note.Stops, note.Forceable})
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		answer.Findings[i] = AnswerFinding{
			Code: f.Code, Severity: f.Severity, Subject: AnswerSubject{f.Node, f.VMID, f.Slot, f.Mapping},
			Sentence: f.Sentence, Params: f.Params, Evidence: f.Evidence, Remedy: f.Remedy,
		}
	}
	for i := range p.Users {
		user := &p.Users[i]
		answer.Users[i] = AnswerUser{
			VMID: user.VM.VMID, Name: orNil(user.VM.Name), Node: user.VM.Node, Slot: pve.SlotKey(user.Slot),
			Phase: user.Phase, Template: user.VM.Template, Status: user.VM.Status,
		}
	}
	for i, saved := range p.Snapshots {
		answer.Snapshots[i] = AnswerSnapshot{
			VMID: saved.VM.VMID, Name: orNil(saved.VM.Name), Node: saved.VM.Node, Snapshot: saved.Snapshot, Slot: pve.SlotKey(saved.Slot),
		}
	}
	return answer
}

func (s *Step) answer() AnswerStep {
	answer := AnswerStep{
		Action: s.Action, Mapping: orNil(s.Mapping), Node: orNil(s.Node), VMName: orNil(s.VMName), Running: s.Running,
		Command: s.Command, UndoCommand: orNil(s.UndoCommand), Needs: make([]AnswerNeed, len(s.Needs)),
		Guard: s.Guard.Kind, GuardDigest: orNil(s.Guard.Digest), Before: answerMapping(s.Before), After: answerMapping(s.After),
		Lines: make([]AnswerLine, len(s.Lines)),
	}
	if s.VMID != 0 {
		answer.VMID = &s.VMID
	}
	if s.Request != nil {
		answer.Request = orNil(s.Request.Method + " " + s.Request.Path)
	}
	for i, need := range s.Needs {
		answer.Needs[i] = AnswerNeed{Privilege: orNil(need.Privilege), Path: orNil(need.Path), Held: need.Held}
		if reason := need.RootOnly; reason != "" {
			answer.Needs[i].RootOnly = &reason
		}
	}
	for i, line := range s.Lines {
		answer.Lines[i] = AnswerLine{Slot: pve.SlotKey(line.Slot), Before: line.Before, After: line.After, Functions: make([]AnswerFunction, len(line.Functions))}
		for j, function := range line.Functions {
			answer.Lines[i].Functions[j] = AnswerFunction(function)
		}
	}
	return answer
}

func answerMapping(m *pve.Mapping) *AnswerMapping {
	if m == nil {
		return nil
	}
	answer := &AnswerMapping{ID: m.ID, Description: m.Description, Mdev: m.Mdev, LiveMigration: m.LiveMigration, Map: make([]string, len(m.Entries))}
	for i := range m.Entries {
		answer.Map[i] = m.Entries[i].String()
	}
	return answer
}

// commands gives the commands of all steps. What is for a person to do, and on which
// node a command belongs, stands in remarks.
func (p *Plan) commands() string {
	var b strings.Builder
	node := ""
	for i := range p.Steps {
		step := &p.Steps[i]
		if strings.HasPrefix(step.Command, "qm ") && step.Node != node {
			node = step.Node
			b.WriteString("# on node " + comment(node) + ":\n")
		}
		if step.Request == nil {
			b.WriteString("# when it suits: " + comment(step.Command) + "\n")
			continue
		}
		b.WriteString(step.Command + "\n")
	}
	return b.String()
}

// wayBack gives the commands that take the steps back, the last one first.
func (p *Plan) wayBack() string {
	var b strings.Builder
	node := ""
	for i := len(p.Steps) - 1; i >= 0; i-- {
		step := &p.Steps[i]
		if step.Undo == nil {
			continue
		}
		if strings.HasPrefix(step.Command, "qm ") && step.Node != node {
			node = step.Node
			b.WriteString("# on node " + comment(node) + ":\n")
		}
		b.WriteString(step.UndoCommand + "\n")
	}
	return b.String()
}
