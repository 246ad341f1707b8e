package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/findings"
	"pciatlas/internal/fleet"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// Applier applies plans to clusters. Its errors carry a code of this package, those of
// Live, pve_login or pve_second_factor.
type Applier interface {
	// Apply carries out a plan as the cluster's token, or as the user who signs in for
	// this one plan. observe is told of each step that sends something, before (result
	// nil) and after; its error keeps the step from being sent.
	Apply(ctx context.Context, cluster string, p *plan.Plan, login *PVELogin, observe func(step int, result *StepResult) error) ([]StepResult, error)
}

// PVELogin is a user of Proxmox VE for one plan. Nothing of it is stored.
type PVELogin struct {
	User     string `json:"user" maxLength:"64" example:"root@pam" doc:"USER@REALM."`
	Password string `json:"password" maxLength:"256"`
	OTP      string `json:"otp,omitempty" maxLength:"32" doc:"The code of an authenticator app, where the user has one."`
}

// StepResult is how one step of a plan ended.
type StepResult struct {
	Outcome string  `json:"outcome" enum:"done,already,yours,changed,refused,partly,failed,overtaken,unconfirmed,not_tried"`
	Problem *string `json:"problem" doc:"A sentence; null if the step ended as planned."`
	PVE     *string `json:"pve" doc:"The sentence of Proxmox VE; null if it gave none."`
	Pending bool    `json:"pending" doc:"The VM runs, and keeps what it has until a full stop and start."`
}

// Plan is what would be done, and whether it may be.
type Plan struct {
	plan.Outline

	Changes bool        `json:"changes" doc:"This server may change resource mappings of the cluster."`
	Scopes  []NodeScope `json:"scopes" doc:"How much of each node was read."`
}

// Applied is how the steps of a plan ended.
type Applied struct {
	Plan  plan.Outline `json:"plan" doc:"The plan that was applied."`
	Steps []StepResult `json:"steps" doc:"One for each step of the plan."`
	OK    bool         `json:"ok" doc:"All steps ended as planned."`
}

type planInput struct {
	ClusterPath

	Body plan.Intent
}

type applyInput struct {
	ClusterPath

	Body struct {
		Intent  plan.Intent `json:"intent"`
		Digest  string      `json:"digest" minLength:"32" maxLength:"32" doc:"The digest of the plan that a person has seen."`
		Confirm string      `json:"confirm" maxLength:"200" doc:"What the plan asks to be typed."`
		Login   *PVELogin   `json:"login,omitempty" doc:"Without one, the token of the cluster is used."`
	}
}

// applying lets one plan at a time be applied to a cluster.
type applying struct {
	mu      sync.Mutex
	running map[string]bool
}

func (a *applying) begin(cluster string) (end func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running[cluster] {
		return nil, false
	}
	if a.running == nil {
		a.running = map[string]bool{}
	}
	a.running[cluster] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.running, cluster)
	}, true
}

func (x *inventory) registerPlans() {
	register(x.API, huma.Operation{
		OperationID: "make-plan", Method: http.MethodPost, Path: "/clusters/{cluster}/plans", Tags: []string{tagInventory},
		Summary:     "What would be done to create, change, delete, convert or fix, step by step",
		Description: "Nothing is changed. The cluster is read anew, whatever was read shortly before.",
		Errors:      []int{http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout},
		Extensions:  readOnly,
	}, auth.Auditor, x.makePlan)
	change(x.API, huma.Operation{
		OperationID: "apply-plan", Method: http.MethodPost, Path: "/clusters/{cluster}/plans/apply", Tags: []string{tagInventory},
		Summary: "Apply a plan that a person has seen",
		Description: "The plan is made anew, and applied if it is still the one with that digest. It ends at the first step that does not end as planned; " +
			"the audit log has an entry before and after each step that sends something. A caller who goes away does not stop it.",
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusBadGateway, http.StatusGatewayTimeout},
	}, auth.Operator, "plan.apply", x.applyPlan)
	registry := x.huma.OpenAPI().Components.Schemas
	for _, t := range []reflect.Type{reflect.TypeFor[plan.Intent](), reflect.TypeFor[Plan](), reflect.TypeFor[Applied]()} {
		refine(registry, t, map[reflect.Type]bool{})
	}
	registry.Schema(reflect.TypeFor[plan.Intent](), false, "").PrecomputeMessages() // its words are checked in bodies
}

// planned makes the plan of an intent from a new read.
func (x *inventory) planned(ctx context.Context, cluster string, intent plan.Intent) (view, *plan.Plan, error) {
	if err := checkIntent(&intent); err != nil {
		return view{}, nil, err
	}
	x.Live.Renew(cluster)
	v, err := x.lookAt(ctx, cluster, Want{Details: true})
	if err != nil {
		return view{}, nil, err
	}
	if intent.Kind == plan.Fix && len(intent.Moves) == 0 {
		if err := x.findMoves(v, &intent); err != nil {
			return view{}, nil, err
		}
	}
	p, err := plan.Make(v.report, intent)
	if err != nil {
		return view{}, nil, invalid("", sentence(err.Error()))
	}
	return v, p, nil
}

// checkIntent bounds what an intent may hold.
func checkIntent(intent *plan.Intent) error {
	const mostVMs, mostEntries, mostMoves = 100, 500, 100
	switch {
	case len(intent.VMs) > mostVMs:
		return invalid("vms", fmt.Sprintf("at most %d VMs at a time", mostVMs))
	case len(intent.Entries) > mostEntries:
		return invalid("entries", fmt.Sprintf("at most %d entries", mostEntries))
	case len(intent.Moves) > mostMoves:
		return invalid("moves", fmt.Sprintf("at most %d addresses", mostMoves))
	case len(intent.Mapping) > 200:
		return invalid("mapping", "at most 200 characters")
	case intent.Description != nil && len(*intent.Description) > 4096:
		return invalid("description", "at most 4096 bytes, as Proxmox VE allows")
	}
	return nil
}

func (x *inventory) makePlan(ctx context.Context, input *planInput) (*body[Plan], error) {
	v, p, err := x.planned(ctx, input.Cluster, input.Body)
	if err != nil {
		return nil, err
	}
	return &body[Plan]{Plan{Outline: p.Answer(), Changes: v.cluster.Changes, Scopes: v.scopes()}}, nil
}

func (x *inventory) applyPlan(ctx context.Context, input *applyInput) (*body[Applied], error) {
	cluster, err := x.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	if !cluster.Changes {
		return nil, newProblem(codeChangesOff, "Changes are off for this cluster; an administrator can allow them in its settings.")
	}
	end, free := x.applying.begin(cluster.Name)
	if !free {
		return nil, newProblem(codeApplying, "Another plan is being applied to this cluster. Look at the audit log, and try again when it has ended.")
	}
	defer end()
	_, p, err := x.planned(ctx, input.Cluster, input.Body.Intent)
	if err != nil {
		return nil, err
	}
	if err := checkApply(p, input); err != nil {
		return nil, err
	}
	return x.runPlan(ctx, cluster, p, input.Body.Login)
}

// checkApply says why a plan may not be applied.
func checkApply(p *plan.Plan, input *applyInput) error {
	login := input.Body.Login
	switch {
	case p.Digest() != input.Body.Digest:
		return newProblem(codePlanChanged, "The cluster is not as it was when the plan was made, so the plan would be another one now. Look at it again.")
	case p.Stopped():
		return newProblem(codePlanStopped, "The plan is stopped: "+stopOf(p))
	case input.Body.Confirm != p.Confirm:
		return invalid("confirm", "type "+p.Confirm+" to confirm")
	case p.RootOnly() && (login == nil || login.User != "root@pam"):
		return newProblem(codeRootOnly, "Only the user root@pam may do this, never a token: sign in as root@pam for this plan, or run its commands as root on a node.")
	case login == nil && p.May() != nil && !*p.May():
		return newProblem(codeLacking, "The token of the cluster lacks a privilege for this: "+lackingOf(p)+". Sign in as root@pam for this plan, or grant it.")
	}
	return nil
}

func stopOf(p *plan.Plan) string {
	for _, note := range p.Notes {
		if note.Stops {
			return note.Sentence
		}
	}
	return ""
}

func lackingOf(p *plan.Plan) string {
	var list []string
	for i := range p.Steps {
		for _, need := range p.Steps[i].Needs {
			if need.Held != nil && !*need.Held && need.Privilege != "" {
				list = append(list, need.Privilege+" on "+need.Path)
			}
		}
	}
	return strings.Join(list, ", ")
}

// applyTime bounds a whole plan.
const applyTime = 5 * time.Minute

// runPlan applies a plan and writes down what becomes of each step. It goes on when
// the caller is gone: what was begun is not left half done without need.
func (x *inventory) runPlan(ctx context.Context, cluster fleet.Cluster, p *plan.Plan, login *PVELogin) (*body[Applied], error) {
	run, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyTime)
	defer cancel()
	defer x.Live.Renew(cluster.Name)
	as := cluster.TokenID
	if login != nil {
		as = login.User
	}
	steps, err := x.Applier.Apply(run, cluster.Name, p, login, func(number int, result *StepResult) error {
		return x.Store.AppendAudit(context.WithoutCancel(ctx), x.stepEntry(ctx, cluster.Name, as, p, number, result))
	})
	if err != nil {
		return nil, err
	}
	applied := Applied{Plan: p.Answer(), Steps: steps, OK: true}
	for i := range steps {
		switch steps[i].Outcome {
		case "done", "already", "yours":
		default:
			applied.OK = false
		}
	}
	return &body[Applied]{applied}, nil
}

// stepEntry is what the audit log says of a step: before it is sent, that it is, and
// after it, how it ended. If the second one is missing, the server ended between them.
func (x *inventory) stepEntry(ctx context.Context, cluster, as string, p *plan.Plan, number int, result *StepResult) fleet.AuditEntry {
	step := &p.Steps[number]
	object := "mapping " + step.Mapping
	if step.VMID != 0 {
		object = fmt.Sprintf("VM %d", step.VMID)
	}
	entry := x.audit(ctx, "cluster "+cluster+", "+object)
	entry.Before, entry.After = stepValues(p, step, as)
	entry.Action = "plan.begin"
	if result == nil {
		entry.After["outcome"] = "begun"
		return entry
	}
	entry.Action = "plan.step"
	entry.After["outcome"] = result.Outcome
	switch result.Outcome {
	case "done":
	case "refused":
		entry.Result = fleet.Refused
	default:
		entry.Result = fleet.Failed
	}
	if result.Problem != nil {
		entry.Reason = *result.Problem
	}
	return entry
}

// stepValues are what a step changes, before and after.
func stepValues(p *plan.Plan, step *plan.Step, as string) (before, after map[string]any) {
	before, after = mappingValues(step.Before), mappingValues(step.After)
	after["as"], after["action"], after["force"] = as, string(step.Action), p.Intent.Force
	for _, line := range step.Lines {
		key := fmt.Sprintf("hostpci%d", line.Slot)
		before[key], after[key] = line.Before, line.After
	}
	return before, after
}

// mappingValues are all properties of a mapping; none of a nil one.
func mappingValues(m *pve.Mapping) map[string]any {
	values := map[string]any{}
	if m == nil {
		return values
	}
	texts := make([]string, len(m.Entries))
	for i := range m.Entries {
		texts[i] = m.Entries[i].String()
	}
	values["map"] = texts
	if m.Description != nil {
		values["description"] = *m.Description
	}
	if m.Mdev != nil {
		values["mdev"] = *m.Mdev
	}
	if m.LiveMigration != nil {
		values["live-migration-capable"] = *m.LiveMigration
	}
	return values
}

// findMoves takes from the findings where the devices are now that a mapping or a VM
// does not find.
func (x *inventory) findMoves(v view, intent *plan.Intent) error {
	found, err := x.findings(v)
	if err != nil {
		return err
	}
	vmid := 0
	if len(intent.VMs) > 0 {
		vmid = intent.VMs[0]
	}
	for _, moved := range findings.MovedOf(found, intent.Mapping, vmid) {
		intent.Moves = append(intent.Moves, plan.Move(moved))
	}
	if len(intent.Moves) == 0 {
		return invalid("moves", "no finding tells where the device is now; give the old and the new address")
	}
	return nil
}
