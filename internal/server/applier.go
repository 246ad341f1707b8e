package server

import (
	"context"
	"errors"
	"time"

	"pciatlas/internal/apply"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
)

// applier applies plans to the registered clusters.
type applier struct{ *clusters }

var _ httpapi.Applier = applier{}

// lookAgain is how long after a request its effect is looked for once more.
const lookAgain = 500 * time.Millisecond

// Apply carries out a plan with the token of the cluster, or as a user who signs in.
func (a applier) Apply(
	ctx context.Context, cluster string, p *plan.Plan, login *httpapi.PVELogin, observe func(int, *httpapi.StepResult) error,
) ([]httpapi.StepResult, error) {
	opened, err := a.open(ctx, cluster)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	client, err := clientOf(opened, cluster)
	if err != nil {
		return nil, err
	}
	if login != nil {
		client, err = client.SignIn(ctx, pveapi.Login{User: login.User, Password: login.Password, OTP: login.OTP})
		if err != nil {
			return nil, publicError(cluster, err)
		}
	}
	result, err := apply.Run(ctx, p, client.Changes(), apply.Options{Again: lookAgain, Observe: func(step int, ended *apply.StepResult) error {
		if ended == nil {
			return observe(step, nil)
		}
		wire := stepResult(ended)
		return observe(step, &wire)
	}})
	if err != nil {
		return nil, err
	}
	steps := make([]httpapi.StepResult, len(result.Steps))
	for i := range result.Steps {
		steps[i] = stepResult(&result.Steps[i])
	}
	return steps, nil
}

func clientOf(opened any, cluster string) (*pveapi.Client, error) {
	r, ok := opened.(reader)
	if !ok {
		return nil, errors.New("cluster " + cluster + " is not read over the API")
	}
	return r.client, nil
}

func stepResult(r *apply.StepResult) httpapi.StepResult {
	wire := httpapi.StepResult{Outcome: string(r.Outcome), Pending: r.Pending}
	if r.Problem != "" {
		wire.Problem = &r.Problem
	}
	if r.PVE != "" {
		wire.PVE = &r.PVE
	}
	return wire
}
