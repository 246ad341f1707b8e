package apply_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/apply"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestFaults lets the answer to each request of a plan fail in every way, with and
// without its effect: what is told fits what is, and nothing follows a step that did
// not end as planned.
func TestFaults(t *testing.T) {
	kinds := []pvesim.FaultKind{
		pvesim.FaultLatency, pvesim.FaultUnauthorized, pvesim.FaultForbidden, pvesim.FaultInternal, pvesim.FaultRefused, pvesim.FaultTimedOut,
		pvesim.FaultNotImplemented, pvesim.FaultDrop, pvesim.FaultCut, pvesim.FaultHTML, pvesim.FaultGarbage, pvesim.FaultNull, pvesim.FaultStringData,
		pvesim.FaultRedirect,
	}
	l := newLab(t, pvesim.DemoOffice())
	first := l.server.State()
	for _, kind := range kinds {
		for _, effect := range []pvesim.Effect{pvesim.EffectUsual, pvesim.EffectDone, pvesim.EffectLost} {
			for _, method := range []string{http.MethodPost, http.MethodPut} {
				l.server.Update(func(w *pvesim.World) { *w = *first.Clone() })
				p := l.plan(t, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
				fault := &pvesim.Fault{Kind: kind, Effect: effect, Method: method}
				l.server.Inject(fault)
				result := l.run(t.Context(), t, p, l.root)
				l.server.ClearFaults()
				checkFault(t, l, p, &result, []any{kind, effect, method})
			}
		}
	}
}

// checkFault compares what was told with what is.
func checkFault(t *testing.T, l *lab, p *plan.Plan, result *apply.Result, what []any) {
	t.Helper()
	created := strings.Contains(l.server.State().MappingCfg, p.Steps[0].Mapping+"\n")
	converted := strings.Contains(l.config(101), "mapping="+p.Steps[0].Mapping)
	for i, is := range []bool{created, converted} {
		outcome := result.Steps[i].Outcome
		said := outcome == apply.Done || outcome == apply.Already
		if said && !is || is && (outcome == apply.Refused || outcome == apply.Failed || outcome == apply.NotTried) {
			t.Errorf("%v: step %d is %t and told as %s (%s)", what, i+1, is, outcome, result.Steps[i].Problem)
		}
	}
	if !created && converted {
		t.Errorf("%v: the second step was made without the first", what)
	}
}

// TestNodeOff: a node that goes off between the steps of a plan ends it, and what was
// done before is told.
func TestNodeOff(t *testing.T) {
	l := newLab(t, pvesim.DemoOffice())
	p := l.plan(t, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
	var once bool
	l.server.Before(func(method, _ string) {
		if method == http.MethodPost && !once {
			once = true
			go l.server.Update(func(w *pvesim.World) {
				for i := range w.Nodes {
					if w.Nodes[i].Name == "office-a" {
						w.Nodes[i].Offline = true
					}
				}
			})
		}
	})
	result := l.run(t.Context(), t, p, l.root)
	if got := outcomes(result); !slices.Contains([]apply.Outcome{apply.Failed, apply.Unconfirmed, apply.Done}, got[1]) || got[1] != apply.Done && result.Steps[1].Problem == "" {
		t.Errorf("%v %+v", got, result.Steps)
	}
}

// TestSecondFactorOfRoot signs in with a second factor, and says what is missing.
func TestSecondFactorOfRoot(t *testing.T) {
	l := newLab(t, pvesim.DemoOffice())
	l.server.Update(func(w *pvesim.World) { w.Accounts["root@pam"] = pvesim.Account{Password: password, Code: "123456"} })
	for _, c := range []struct {
		login pveapi.Login
		code  string
	}{
		{pveapi.Login{User: "root@pam", Password: password}, pveapi.CodeSecondFactor},
		{pveapi.Login{User: "root@pam", Password: password, OTP: "000000"}, pveapi.CodeLogin},
		{pveapi.Login{User: "root@pam", Password: "wrong", OTP: "123456"}, pveapi.CodeLogin},
		{pveapi.Login{User: "nobody@pam", Password: password}, pveapi.CodeLogin},
		{pveapi.Login{User: "root@pam", Password: password, OTP: "123456"}, ""},
	} {
		_, err := l.token.SignIn(t.Context(), c.login)
		code := ""
		if coded, ok := errors.AsType[*pveapi.Error](err); ok {
			code = coded.ErrorCode()
		}
		if code != c.code || err != nil && (strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "123456")) {
			t.Errorf("%s: %q, want %q: %v", c.login, code, c.code, err)
		}
	}
}

// TestWhatIsWrong: where Proxmox VE refuses parameters, it is told which and why.
func TestWhatIsWrong(t *testing.T) {
	l := newLab(t, pvesim.DemoOffice())
	p := l.plan(t, plan.Intent{Kind: plan.Create, Mapping: "pool", Entries: []string{bystanderEntry}})
	p.Steps[0].Request.Params = append(p.Steps[0].Request.Params, plan.Param{Name: "newer", Value: "1"})
	result := l.run(t.Context(), t, p, l.root)
	if step := result.Steps[0]; step.Outcome != apply.Refused || !strings.Contains(step.PVE, "newer: property is not defined in schema") {
		t.Errorf("%+v", step)
	}
}
