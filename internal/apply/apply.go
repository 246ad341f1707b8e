// Package apply carries out a plan, step by step: it looks right before each step
// whether the cluster is still as the plan found it, sends the one request of the
// step, reads back what came of it, and ends at the first step that does not end as
// planned. It declares what it needs of whoever talks to Proxmox VE. It imports pure
// packages only; the command line and the server's wiring import it.
package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// Cluster is what a plan is applied to. Errors of Do that implement Refusal are
// answers of Proxmox VE which say that it did not do it; after all others it is not
// known whether the request had an effect.
type Cluster interface {
	// Mappings are those that are visible, each with the digest of their file. A list
	// that cannot be read whole is an error.
	Mappings(ctx context.Context) ([]pve.Mapping, error)
	// VM is the configuration of a VM with what is pending, its digest included.
	VM(ctx context.Context, node string, vmid int) ([]pve.Item, error)
	// Do sends a request once. digest is "" if none is to be sent.
	Do(ctx context.Context, request plan.Request, digest string) error
}

// Refusal is an error with which Proxmox VE refused a request.
type Refusal interface {
	error
	// Refused gives the sentence of Proxmox VE.
	Refused() (sentence string, refused bool)
}

// Outcome says how a step ended.
type Outcome string

// The outcomes.
const (
	Done        Outcome = "done"        // sent, and read back as planned
	Already     Outcome = "already"     // it was as planned before; nothing was sent
	Yours       Outcome = "yours"       // for a person to do; nothing was sent
	Changed     Outcome = "changed"     // the cluster is not as the plan found it; nothing was sent
	Refused     Outcome = "refused"     // Proxmox VE refused, with its sentence; nothing was changed
	Partly      Outcome = "partly"      // Proxmox VE refused in the middle; part of it was changed
	Failed      Outcome = "failed"      // it was not sent, or read back without effect
	Overtaken   Outcome = "overtaken"   // sent, and read back as something else: somebody changed it at the same time
	Unconfirmed Outcome = "unconfirmed" // sent, and what came of it could not be read
	NotTried    Outcome = "not_tried"   // an earlier step did not end as planned
)

// Outcomes are all of them.
func Outcomes() []Outcome {
	return []Outcome{Done, Already, Yours, Changed, Refused, Partly, Failed, Overtaken, Unconfirmed, NotTried}
}

// good tells whether the next step may follow.
func (o Outcome) good() bool { return o == Done || o == Already || o == Yours }

// Result says how the steps of a plan ended, one for each.
type Result struct {
	Steps []StepResult
}

// OK tells whether all steps ended as planned.
func (r *Result) OK() bool {
	return !slices.ContainsFunc(r.Steps, func(s StepResult) bool { return !s.Outcome.good() })
}

// StepResult says how one step ended. Problem is a sentence, "" if it ended as
// planned; PVE is the one of Proxmox VE, "" if it gave none.
type StepResult struct {
	Outcome Outcome
	Problem string
	PVE     string
	// Pending: the VM runs, and keeps what it has until a full stop and start.
	Pending bool
}

// Observer is told of each step that sends something, before (result nil) and after.
// An error of the first keeps the step from being sent.
type Observer func(step int, result *StepResult) error

// Options of a run.
type Options struct {
	Observe Observer // nil: nobody is told
	// Again is how long to wait before what was sent is read back once more; Proxmox VE
	// answers some requests before their effect can be read. 0 is no second look.
	Again time.Duration
}

// Run applies a plan. Its error is for a plan that is stopped; what happens to the
// steps stands in the result.
func Run(ctx context.Context, p *plan.Plan, cluster Cluster, options Options) (Result, error) {
	if p.Stopped() {
		return Result{}, errors.New("the plan is stopped by one of its notes")
	}
	if options.Observe == nil {
		options.Observe = func(int, *StepResult) error { return nil }
	}
	r := &run{plan: p, cluster: cluster, options: options}
	result := Result{Steps: make([]StepResult, len(p.Steps))}
	going := true
	for i := range p.Steps {
		switch step := &p.Steps[i]; {
		case !going:
			result.Steps[i].Outcome = NotTried
		case step.Request == nil:
			result.Steps[i].Outcome = Yours
		default:
			result.Steps[i] = r.step(ctx, i, step)
			going = result.Steps[i].Outcome.good()
		}
	}
	return result, nil
}

// run is one run of a plan.
type run struct {
	plan    *plan.Plan
	cluster Cluster
	options Options
	// mappings is the list as it was read back after the last step of a mapping; nil
	// before the first.
	mappings []pve.Mapping
}

// step carries out one step.
func (r *run) step(ctx context.Context, number int, step *plan.Step) StepResult {
	if err := ctx.Err(); err != nil {
		return StepResult{Outcome: Failed, Problem: "it was stopped before this step: " + err.Error()}
	}
	var t target
	if step.Action == plan.SetVM {
		t = &vmTarget{run: r, step: step}
	} else {
		t = &mappingTarget{run: r, step: step}
	}
	state, digest, problem := t.look(ctx)
	if state != before {
		result := StepResult{Outcome: Failed, Problem: problem}
		if state == other {
			result.Outcome = Changed
		}
		if state == after {
			result = StepResult{Outcome: Already, Pending: step.Running}
			t.keep()
		}
		return result
	}
	if err := r.options.Observe(number, nil); err != nil {
		return StepResult{Outcome: Failed, Problem: "it was not sent, because the audit log could not be written: " + err.Error()}
	}
	result := r.send(ctx, t, step, digest)
	if err := r.options.Observe(number, &result); err != nil && result.Outcome.good() {
		result = StepResult{Outcome: Unconfirmed, Problem: "it was done, but the audit log could not be written: " + err.Error()}
	}
	return result
}

// send sends the request of a step and reads back what came of it.
func (r *run) send(ctx context.Context, t target, step *plan.Step, digest string) StepResult {
	sent := r.cluster.Do(ctx, *step.Request, digest)
	result := StepResult{Pending: step.Running}
	// What was sent may have had its effect although the caller is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBack)
	defer cancel()
	state, _, problem := t.look(ctx)
	if _, refused := refusalOf(sent); state == before && !refused && r.options.Again > 0 {
		wait(ctx, r.options.Again)
		state, _, problem = t.look(ctx)
	}
	sentence, refused := refusalOf(sent)
	switch {
	case refused && state == after:
		result = StepResult{Outcome: Overtaken, PVE: sentence, Problem: "Proxmox VE refused (" + sentence + "), and it is as planned all the same: somebody did it at that time"}
	case refused && state == other:
		result = StepResult{Outcome: Partly, PVE: sentence, Problem: "Proxmox VE refused (" + sentence + "), and not all is as before: " + problem}
	case refused:
		result = StepResult{Outcome: Refused, PVE: sentence, Problem: "Proxmox VE refused: " + sentence}
	case state == after:
		t.keep()
		result.Outcome = Done
	case state == unread:
		result = StepResult{Outcome: Unconfirmed, Problem: "it was sent, and what came of it could not be read: " + problem}
	case state == before && sent != nil:
		result = StepResult{Outcome: Failed, Problem: fmt.Sprintf("it had no effect that can be seen: %s", sent)}
	case state == before:
		result = StepResult{Outcome: Failed, Problem: "Proxmox VE accepted it, but reading back shows no effect"}
	default:
		result = StepResult{Outcome: Overtaken, Problem: "it was sent, and somebody changed the same at that time: " + problem}
	}
	return result
}

// refusalOf gives the sentence of Proxmox VE if it refused.
func refusalOf(err error) (sentence string, refused bool) {
	if refusal, ok := errors.AsType[Refusal](err); ok {
		return refusal.Refused()
	}
	return "", false
}

// readBack is how long the reading back of one step may take.
const readBack = 30 * time.Second

func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
