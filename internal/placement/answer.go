package placement

import (
	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Answer is the public JSON object of a placement. Null means not told or not
// applicable, an empty list means told and none.
type Answer struct {
	Cluster  string       `json:"cluster"`
	VMID     int          `json:"vmid"`
	Name     *string      `json:"name"`
	Node     string       `json:"node"`
	Status   facts.Status `json:"status"`
	Template bool         `json:"template"`
	// Slots are those that are set at the next start.
	Slots []string     `json:"slots"`
	Nodes []AnswerNode `json:"nodes"`
	// Suggested is what would be with the mappings that are suggested; null: none of them
	// is about its lines, or the mappings were not read.
	Suggested *AnswerSupposed `json:"suggested"`
}

// AnswerNode is the public form of a NodeVerdict.
type AnswerNode struct {
	Node    string         `json:"node"`
	Here    bool           `json:"here"`
	Verdict Verdict        `json:"verdict"`
	Reasons []AnswerReason `json:"reasons"`
	Swap    []AnswerSwap   `json:"swap"` // null: nothing to change, or no order helps
	// MoveOff and MoveLive are null for the VM's own node.
	MoveOff  *AnswerMove `json:"move_powered_off"`
	MoveLive *AnswerMove `json:"move_running"`
}

// AnswerReason is the public form of a Reason.
type AnswerReason struct {
	Code     ReasonCode        `json:"code"`
	Effect   Effect            `json:"effect"`
	First    bool              `json:"first"`
	Slot     *string           `json:"slot"`
	Mapping  *string           `json:"mapping"`
	Devices  []pci.Address     `json:"devices"`
	VMs      []int             `json:"vms"`
	Sentence string            `json:"sentence"`
	Params   map[string]string `json:"params"`
}

// AnswerSwap is the public form of a Swap.
type AnswerSwap struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// AnswerMove is the public form of a Move.
type AnswerMove struct {
	Verdict MoveVerdict `json:"verdict"`
	Code    *MoveCode   `json:"code"`
	Slots   []string    `json:"slots"`
	Mapping *string     `json:"mapping"`
	HA      *bool       `json:"ha"` // null: not told, or not asked for a move while running
}

// EvacuationAnswer is the public JSON object of an Evacuation.
type EvacuationAnswer struct {
	Cluster string          `json:"cluster"`
	Node    string          `json:"node"`
	VMs     int             `json:"visible_vms"`
	Unbound int             `json:"without_devices"`
	Whole   bool            `json:"complete"`
	Stay    []AnswerLeaving `json:"stay"`
	Leave   []AnswerLeaving `json:"leave"`
	// Together is an arrangement in which they start elsewhere at the same time.
	Together AnswerTogether `json:"together"`
}

// AnswerTogether is the public form of a Together.
type AnswerTogether struct {
	VMs []AnswerSettled `json:"vms"`
	Cut bool            `json:"cut"` // not all arrangements were looked at
}

// AnswerSettled is the public form of a Settled.
type AnswerSettled struct {
	VMID    int           `json:"vmid"`
	Name    *string       `json:"name"`
	Node    *string       `json:"node"`  // null: no place beside the others
	Alone   bool          `json:"alone"` // it could start somewhere without the others
	Devices []pci.Address `json:"devices"`
}

// AnswerLeaving is one VM of an evacuation.
type AnswerLeaving struct {
	VMID     int          `json:"vmid"`
	Name     *string      `json:"name"`
	Status   facts.Status `json:"status"`
	Template bool         `json:"template"`
	Nodes    []AnswerNode `json:"nodes"`
}

// Answer gives the public object.
func (p *Placement) Answer(cluster string) Answer {
	answer := Answer{
		Cluster: cluster, VMID: p.VM.VMID, Name: orNil(p.VM.Name), Node: p.VM.Node, Status: p.VM.Status, Template: p.VM.Template,
		Slots: keys(p.Slots), Nodes: answerNodes(p.Nodes),
	}
	return answer
}

// Answer gives the public object.
func (e *Evacuation) Answer(cluster string) EvacuationAnswer {
	return EvacuationAnswer{
		Cluster: cluster, Node: e.Node, VMs: e.VMs, Unbound: e.Unbound, Whole: e.Whole,
		Stay: answerLeaving(e.Stay), Leave: answerLeaving(e.Leave), Together: e.Together.answer(),
	}
}

func (t *Together) answer() AnswerTogether {
	answer := AnswerTogether{VMs: make([]AnswerSettled, len(t.VMs)), Cut: t.Cut}
	for i := range t.VMs {
		s := &t.VMs[i]
		answer.VMs[i] = AnswerSettled{
			VMID: s.VM.VMID, Name: orNil(s.VM.Name), Node: orNil(s.Node), Alone: s.Alone, Devices: append([]pci.Address{}, s.Devices...),
		}
	}
	return answer
}

func answerLeaving(vms []Leaving) []AnswerLeaving {
	answers := make([]AnswerLeaving, len(vms))
	for i := range vms {
		vm := vms[i].VM
		answers[i] = AnswerLeaving{
			VMID: vm.VMID, Name: orNil(vm.Name), Status: vm.Status, Template: vm.Template, Nodes: answerNodes(vms[i].Nodes),
		}
	}
	return answers
}

func answerNodes(nodes []NodeVerdict) []AnswerNode {
	answers := make([]AnswerNode, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		answers[i] = AnswerNode{Node: n.Node, Here: n.Here, Verdict: n.Verdict, Reasons: make([]AnswerReason, len(n.Reasons))}
		for j := range n.Reasons {
			answers[i].Reasons[j] = n.Reasons[j].answer()
		}
		for _, swap := range n.Swap {
			answers[i].Swap = append(answers[i].Swap, AnswerSwap{From: pve.SlotKey(swap.From), To: pve.SlotKey(swap.To)})
		}
		if !n.Here {
			answers[i].MoveOff, answers[i].MoveLive = n.Off.answer(), n.Live.answer()
		}
	}
	return answers
}

func (r *Reason) answer() AnswerReason {
	answer := AnswerReason{
		Code: r.Code, Effect: r.Effect, First: r.First, Mapping: orNil(r.Mapping), Devices: r.Devices, VMs: r.VMs,
		Sentence: r.Sentence, Params: r.Params,
	}
	if r.Slot != atlas.NoSlot {
		key := pve.SlotKey(r.Slot)
		answer.Slot = &key
	}
	if answer.Devices == nil {
		answer.Devices = []pci.Address{}
	}
	if answer.VMs == nil {
		answer.VMs = []int{}
	}
	return answer
}

func (m *Move) answer() *AnswerMove {
	answer := &AnswerMove{Verdict: m.Verdict, Slots: keys(m.Slots), Mapping: orNil(m.Mapping), HA: m.HA}
	if m.Code != "" {
		answer.Code = &m.Code
	}
	return answer
}

func keys(slots []int) []string {
	texts := make([]string, len(slots))
	for i, slot := range slots {
		texts[i] = pve.SlotKey(slot)
	}
	return texts
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
