package doctor

import "pciatlas/internal/pci"

// Answer is the public JSON object of a diagnosis. Null means not applicable, an empty
// list means none.
type Answer struct {
	Cluster string        `json:"cluster"`
	Node    string        `json:"node"`
	VMID    *int          `json:"vmid"`
	Device  *pci.Address  `json:"device"`
	First   *CheckCode    `json:"first"` // null: no check failed
	Passed  int           `json:"passed"`
	Failed  int           `json:"failed"`
	Unseen  int           `json:"unseen"`
	Checks  []AnswerCheck `json:"checks"`
}

// AnswerCheck is the public form of a Check.
type AnswerCheck struct {
	Code     CheckCode       `json:"code"`
	State    State           `json:"state"`
	Stops    bool            `json:"stops_start"`
	Readings []AnswerReading `json:"readings"`
	Commands []string        `json:"commands"`
	Good     *string         `json:"good_output"` // of the commands; null without commands
	GoodCode *GoodCode       `json:"good_code"`
	Fixes    []AnswerFix     `json:"fixes"`
}

// AnswerReading is the public form of a Reading.
type AnswerReading struct {
	Code     ReadingCode       `json:"code"`
	Sentence string            `json:"sentence"`
	Params   map[string]string `json:"params"`
}

// AnswerFix is the public form of a Fix.
type AnswerFix struct {
	Code FixCode `json:"code"`
	File *string `json:"file"` // null: a command, or a setting
	Text string  `json:"text"`
}

// Answer gives the public object.
func (d *Diagnosis) Answer(cluster string) Answer {
	answer := Answer{
		Cluster: cluster, Node: d.Node, Passed: d.Count(Passed), Failed: d.Count(Failed), Unseen: d.Count(Unseen),
		Checks: make([]AnswerCheck, len(d.Checks)),
	}
	if d.VM != nil {
		answer.VMID = &d.VM.VMID
	}
	if d.Device != nil {
		answer.Device = &d.Device.Address
	}
	if first := d.First(); first != nil {
		answer.First = &first.Code
	}
	for i := range d.Checks {
		answer.Checks[i] = d.Checks[i].answer()
	}
	return answer
}

func (c *Check) answer() AnswerCheck {
	answer := AnswerCheck{
		Code: c.Code, State: c.State, Stops: c.Stops, Readings: make([]AnswerReading, len(c.Readings)),
		Commands: append([]string{}, c.Commands...), Fixes: make([]AnswerFix, len(c.Fixes)),
	}
	for i, r := range c.Readings {
		answer.Readings[i] = AnswerReading(r)
	}
	for i, f := range c.Fixes {
		answer.Fixes[i] = AnswerFix{Code: f.Code, Text: f.Text}
		if f.File != "" {
			answer.Fixes[i].File = &f.File
		}
	}
	if c.Good != "" {
		answer.Good, answer.GoodCode = &c.Good, &c.GoodCode
	}
	return answer
}
