package apply_test

import (
	"context"
	"testing"
	"time"

	"pciatlas/internal/apply"
	"pciatlas/internal/atlas"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// lab is a simulated cluster with a client of it.
type lab struct {
	server *pvesim.Server
	root   *pveapi.Client // root@pam with a password
	token  *pveapi.Client // the token of root@pam
}

const password = "made-up password"

// newLab serves a world over TLS.
func newLab(t testing.TB, world *pvesim.World) *lab {
	t.Helper()
	world = world.Clone()
	world.UserCfg, world.Secrets = "", nil
	world.Accounts = map[string]pvesim.Account{"root@pam": {Password: password}}
	l := &lab{server: &pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1}}
	listener, err := pvesim.NewTLSServer(l.server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(listener.Close)
	fingerprint, err := pveapi.ParseFingerprint(listener.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	token, err := pveapi.ParseToken(pvesim.RootToken)
	if err != nil {
		t.Fatal(err)
	}
	l.token, err = pveapi.New(pveapi.Options{
		Cluster: "lab", Endpoints: []string{listener.URL}, Fingerprints: []pveapi.Fingerprint{fingerprint}, Token: token,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.token.Close)
	l.root, err = l.token.SignIn(t.Context(), pveapi.Login{User: "root@pam", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// plan makes a plan of what the cluster is now.
func (l *lab) plan(t testing.TB, intent plan.Intent) *plan.Plan {
	t.Helper()
	snapshot, err := l.token.Read(t.Context(), pveapi.Request{Policy: true, Details: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := plan.Make(atlas.Build(&snapshot), intent)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// run applies a plan as a client.
func (l *lab) run(ctx context.Context, t testing.TB, p *plan.Plan, as *pveapi.Client) apply.Result {
	t.Helper()
	result, err := apply.Run(ctx, p, as.Changes(), apply.Options{Again: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func outcomes(r apply.Result) []apply.Outcome {
	list := make([]apply.Outcome, len(r.Steps))
	for i, step := range r.Steps {
		list[i] = step.Outcome
	}
	return list
}

// config gives the configuration of a VM.
func (l *lab) config(vmid int) string {
	for _, guest := range l.server.State().Guests {
		if guest.VMID == vmid {
			return guest.Config
		}
	}
	return ""
}
