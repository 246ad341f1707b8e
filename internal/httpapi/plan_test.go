package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// fakeApplier says that all steps were done, and keeps what it was given.
type fakeApplier struct {
	plans   []*plan.Plan
	logins  []*PVELogin
	outcome string
	err     error
	during  func()
	ended   error // of the context, after the steps
}

func (f *fakeApplier) Apply(ctx context.Context, _ string, p *plan.Plan, login *PVELogin, observe func(int, *StepResult) error) ([]StepResult, error) {
	if f.err != nil {
		return nil, f.err
	}
	f.plans, f.logins = append(f.plans, p), append(f.logins, login)
	steps := make([]StepResult, len(p.Steps))
	for i := range p.Steps {
		steps[i].Outcome = "yours"
		if p.Steps[i].Request == nil {
			continue
		}
		if err := observe(i, nil); err != nil {
			return nil, err
		}
		if f.during != nil {
			f.during()
		}
		steps[i].Outcome = f.outcome
		if f.outcome != "done" {
			steps[i].Problem = textOrNull("Proxmox VE refused: no")
		}
		if err := observe(i, &steps[i]); err != nil {
			return nil, err
		}
	}
	f.ended = ctx.Err()
	return steps, nil
}

// planWorld has a cluster whose changes are allowed, and an applier.
func planWorld(t *testing.T) (*world, *fakeClusters, *fakeLive, *fakeApplier) {
	t.Helper()
	applier := &fakeApplier{outcome: "done"}
	live := &fakeLive{reports: map[string]*atlas.Report{}}
	w := newWorld(t, func(o *Options) { o.Live, o.Applier = live, applier })
	cluster := labCluster("default")
	cluster.Changes = true
	closed := labCluster("closed")
	f := addClusters(w.store, cluster, closed)
	for _, name := range []string{"default", "closed"} {
		live.reports[name] = atlas.Build(labFacts(t, name))
	}
	return w, f, live, applier
}

const convertIntent = `{"kind":"convert","vms":[100]}`

func (w *world) plan(cluster, intent string) Plan {
	w.t.Helper()
	var made Plan
	w.do("POST", "/api/v1/clusters/"+cluster+"/plans", intent, as("auditor")).want(http.StatusOK, "").decode(&made)
	return made
}

func applyBody(intent string, p *Plan, login string) string {
	body := map[string]any{"intent": json.RawMessage(intent), "digest": p.Digest, "confirm": p.Confirm}
	if login != "" {
		body["login"] = json.RawMessage(login)
	}
	text, _ := json.Marshal(body)
	return string(text)
}

const rootLogin = `{"user":"root@pam","password":"canary password","otp":"123456"}`

// TestApply: a plan is applied that was seen, confirmed and allowed, and every step is
// written down before and after, without the password.
func TestApply(t *testing.T) {
	w, f, _, applier := planWorld(t)
	p := w.plan("default", convertIntent)
	if p.Stopped || !p.RootOnly || len(p.Steps) != 3 || p.Confirm != "win10-test" || !p.Changes {
		t.Fatalf("%+v", p)
	}
	const path = "/api/v1/clusters/default/plans/apply"
	w.do("POST", path, applyBody(convertIntent, &p, ""), as("operator")).want(http.StatusForbidden, codeRootOnly)
	w.do("POST", path, applyBody(convertIntent, &p, `{"user":"admin@pve","password":"x"}`), as("operator")).want(http.StatusForbidden, codeRootOnly)
	w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("auditor")).want(http.StatusForbidden, "forbidden")
	w.do("POST", "/api/v1/clusters/closed/plans/apply", applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusForbidden, codeChangesOff)
	wrong := p
	wrong.Confirm = "another"
	w.do("POST", path, applyBody(convertIntent, &wrong, rootLogin), as("operator")).want(http.StatusUnprocessableEntity, codeInvalid)
	wrong = p
	wrong.Digest = strings.Repeat("0", 32)
	w.do("POST", path, applyBody(convertIntent, &wrong, rootLogin), as("operator")).want(http.StatusConflict, codePlanChanged)
	if len(applier.plans) > 0 {
		t.Fatal("a plan that was refused was applied")
	}
	var applied Applied
	w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusOK, "").decode(&applied)
	if !applied.OK || len(applied.Steps) != 3 || applied.Steps[2].Outcome != "yours" || applier.logins[0].Password != "canary password" {
		t.Fatalf("%+v", applied)
	}
	var actions []string
	for _, entry := range f.store.entries {
		if strings.HasPrefix(entry.Action, "plan.") && entry.Result == fleet.Done {
			actions = append(actions, entry.Action+" "+entry.Object)
		}
		if text, _ := json.Marshal(entry); strings.Contains(string(text), "canary") || strings.Contains(string(text), "123456") {
			t.Errorf("the audit log holds the password: %s", text)
		}
	}
	want := []string{
		"plan.begin cluster default, mapping geforce-gtx-965m-01", "plan.step cluster default, mapping geforce-gtx-965m-01",
		"plan.begin cluster default, VM 100", "plan.step cluster default, VM 100",
	}
	for i := range want {
		want[i] = strings.Replace(want[i], "geforce-gtx-965m-01", p.Steps[0].After.ID, 1)
	}
	if !slices.Equal(actions, want) {
		t.Errorf("%q, want %q", actions, want)
	}
	if strings.Contains(w.logged(), "canary") {
		t.Error("the log holds the password")
	}
}

// TestApplyRefusedByPVE: the answer and the audit log say how a step ended.
func TestApplyRefusedByPVE(t *testing.T) {
	w, f, _, applier := planWorld(t)
	applier.outcome = "refused"
	p := w.plan("default", convertIntent)
	var applied Applied
	w.do("POST", "/api/v1/clusters/default/plans/apply", applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusOK, "").decode(&applied)
	last := f.store.entries[len(f.store.entries)-1]
	if applied.OK || last.Action != "plan.step" || last.Result != fleet.Refused || last.Reason == "" {
		t.Errorf("%+v %+v", applied, last)
	}
}

// TestApplyAfterAChange: what was changed between look and apply is told, nothing is
// sent; a second plan beside a running one is refused.
func TestApplyAfterAChange(t *testing.T) {
	w, _, live, applier := planWorld(t)
	p := w.plan("default", convertIntent)
	s := labFacts(t, "default")
	entry, err := pve.ParseEntry("id=10de:1427,node=pve-b,path=0000:01:00")
	if err != nil {
		t.Fatal(err)
	}
	s.Mappings.Value = []pve.Mapping{{ID: p.Steps[0].After.ID, Entries: []pve.Entry{entry}}}
	live.reports["default"] = atlas.Build(s)
	const path = "/api/v1/clusters/default/plans/apply"
	w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusConflict, codePlanChanged)
	p = w.plan("default", convertIntent)
	applier.during = func() {
		w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("admin")).want(http.StatusConflict, codeApplying)
	}
	w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusOK, "")
	applier.err = &pveLoginError{}
	w.do("POST", path, applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusForbidden, codePVELogin)
}

type pveLoginError struct{}

func (*pveLoginError) Error() string {
	return "the user, the password or the second factor is not right"
}
func (*pveLoginError) ErrorCode() string { return codePVELogin }

// TestApplyNeedsAudit: a step that cannot be written down is not sent.
func TestApplyNeedsAudit(t *testing.T) {
	w, f, _, applier := planWorld(t)
	p := w.plan("default", convertIntent)
	applier.during = func() { t.Error("it was sent") }
	f.store.auditFails = errors.New("disk full")
	w.do("POST", "/api/v1/clusters/default/plans/apply", applyBody(convertIntent, &p, rootLogin), as("operator")).want(http.StatusInternalServerError, "")
}

// TestPlans: every kind of plan, made or stopped, is answered as the document says;
// what is no intent is refused.
func TestPlans(t *testing.T) {
	w, _, live, _ := planWorld(t)
	s := labFacts(t, "default")
	entry, err := pve.ParseEntry("id=10de:1427,iommugroup=2,node=pve-a,path=0000:01:00,subsystem-id=1462:115a")
	if err != nil {
		t.Fatal(err)
	}
	s.Mappings.Value = []pve.Mapping{{ID: "pool", Entries: []pve.Entry{entry}, Digest: "d1"}}
	addVM(t, s, "pve-a", "104 running pooled", "hostpci0: mapping=pool\n")
	s.Rights = facts.Read[facts.Rights]{State: facts.OK, Value: facts.Rights{User: "atlas@pve!reader", Permissions: pve.PermissionTree{
		"/": {"Sys.Audit": true, "VM.Audit": true, "Mapping.Audit": true}, "/access": {"Sys.Audit": true}, "/vms": {"VM.Audit": true}, "/pool": {"VM.Audit": true},
	}, ACL: facts.Read[[]pve.ACLEntry]{State: facts.OK}}}
	live.reports["default"] = atlas.Build(s)
	for _, c := range []struct {
		intent  string
		stopped bool
		may     string
	}{
		{`{"kind":"create","mapping":"new","entries":["id=10de:1427,node=pve-a,path=0000:01:00"]}`, true, "false"},
		{`{"kind":"create","mapping":"x","entries":[]}`, true, "true"},
		{`{"kind":"create","mapping":"pool","entries":["nonsense"]}`, true, "true"},
		{`{"kind":"create","mapping":"new","entries":["id=10de:1427,iommugroup=2,node=pve-a,path=0000:01:00,subsystem-id=1462:115a"]}`, false, "false"},
		{`{"kind":"change","mapping":"pool","description":"two cards"}`, false, "false"},
		{`{"kind":"change","mapping":"pool","mdev":true}`, true, "false"},
		{`{"kind":"change","mapping":"pool","mdev":true,"force":true}`, false, "false"},
		{`{"kind":"delete","mapping":"pool"}`, true, "false"},
		{`{"kind":"delete","mapping":"pool","force":true}`, false, "false"},
		{`{"kind":"delete","mapping":"none"}`, true, "true"},
		{`{"kind":"convert","vms":[100,101]}`, true, "false"},
		{`{"kind":"convert","vms":[100]}`, false, "false"},
		{`{"kind":"convert","vms":[9999]}`, true, "true"},
		{`{"kind":"fix","mapping":"pool","moves":[{"node":"pve-a","from":"0000:01:00","to":"0000:02:00.0"}],"force":true}`, false, "false"},
		{`{"kind":"fix","vms":[101],"moves":[{"node":"pve-a","from":"0000:03:00.0","to":"0000:02:00.0"}]}`, false, "false"},
	} {
		p := w.plan("default", c.intent)
		may := "null"
		if p.May != nil {
			may = map[bool]string{true: "true", false: "false"}[*p.May]
		}
		if p.Stopped != c.stopped || may != c.may {
			t.Errorf("%s: stopped %t, may %s: %+v", c.intent, p.Stopped, may, p.Notes)
		}
	}
	if p := w.plan("default", `{"kind":"delete","mapping":"pool","force":true}`); len(p.Findings) != 1 || len(p.Users) != 1 {
		t.Errorf("%+v", p)
	}
	for _, intent := range []string{
		`{"kind":"nonsense"}`, `{"kind":"create"}`, `{"kind":"convert"}`, `{"kind":"fix","mapping":"pool"}`, `{"kind":"delete","mapping":"pool","vms":[100]}`,
		`{"kind":"convert","vms":[100,100]}`, `{"kind":"convert","vms":[100],"slots":["hostpci99"]}`, `{"kind":"change","mapping":"pool","mdev":true,"unset":["mdev"]}`,
	} {
		w.do("POST", "/api/v1/clusters/default/plans", intent, as("auditor")).want(http.StatusUnprocessableEntity, codeInvalid)
	}
}

// TestApplyWithoutCaller: a browser that is closed in the middle stops nothing, and the
// audit log tells what was done.
func TestApplyWithoutCaller(t *testing.T) {
	w, f, _, applier := planWorld(t)
	p := w.plan("default", convertIntent)
	ctx, leave := context.WithCancel(t.Context())
	applier.during = func() {
		leave()
		if last := f.store.entries[len(f.store.entries)-1]; last.Action != "plan.begin" { // what is left if the server ends here
			t.Errorf("%+v", last)
		}
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/clusters/default/plans/apply", strings.NewReader(applyBody(convertIntent, &p, rootLogin)))
	r.Header.Set("Content-Type", "application/json")
	as("operator")(r)
	w.handler.ServeHTTP(httptest.NewRecorder(), r)
	last := f.store.entries[len(f.store.entries)-1]
	if len(applier.plans) != 1 || applier.ended != nil || last.Action != "plan.step" || !strings.HasSuffix(last.Object, "VM 100") || last.Result != fleet.Done {
		t.Errorf("%v %+v", applier.ended, last)
	}
}
