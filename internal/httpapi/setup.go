package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

// SignInOptions are the ways to sign in.
type SignInOptions struct {
	SetupNeeded  bool                  `json:"setup_needed" doc:"Nobody can sign in with the role admin: use the set-up link that the server printed when it started."`
	Password     bool                  `json:"password" doc:"One can sign in with name and password."`
	OIDC         OrNull[OIDCOption]    `json:"oidc" doc:"Another way to sign in; null if there is none."`
	DemoAccounts []DemoAccountWithPass `json:"demo_accounts" doc:"The accounts of a demo; empty otherwise."`
}

// OIDCOption is how to sign in through OpenID Connect.
type OIDCOption struct {
	Name string `json:"name" doc:"Of the provider, for people."`
	URL  string `json:"url" doc:"Where the browser has to go."`
}

// DemoAccountWithPass is an account of a demo.
type DemoAccountWithPass struct {
	Name     string `json:"name"`
	Role     string `json:"role" enum:"admin,operator,auditor"`
	Password string `json:"password"`
}

// Setup makes the first administrator.
type Setup struct {
	Token    string `json:"token" minLength:"1" maxLength:"200" doc:"The one-time value of the set-up link."`
	Name     string `json:"name" minLength:"1" maxLength:"256"`
	Password string `json:"password" minLength:"1" maxLength:"1024" doc:"At least 12 characters."`
}

// setupAccount is what failed set-ups are counted by; no account has this name.
const setupAccount = ":setup"

func (a *API) registerSetup() {
	register(a, huma.Operation{
		OperationID: "get-sign-in-options", Method: http.MethodGet, Path: "/sign-in", Tags: []string{tagAccount},
		Summary: "The ways to sign in",
	}, none, a.signInOptions)
	change(a, huma.Operation{
		OperationID: "set-up", Method: http.MethodPost, Path: "/setup", Tags: []string{tagAccount},
		Summary:     "Make the first administrator",
		Description: "Works once, with the link that the server prints when it starts and nobody can sign in with the role admin. Signs in.",
		Errors:      []int{http.StatusUnauthorized, http.StatusConflict, http.StatusTooManyRequests},
	}, none, "setup.complete", a.setUp)
}

func (a *API) signInOptions(ctx context.Context, _ *struct{}) (*body[SignInOptions], error) {
	needed, err := a.Store.SetupNeeded(ctx)
	if err != nil {
		return nil, err
	}
	options := SignInOptions{SetupNeeded: needed, Password: true, DemoAccounts: []DemoAccountWithPass{}}
	if a.OIDC != nil {
		options.OIDC.Value = &OIDCOption{Name: a.OIDC.Name, URL: "/auth/oidc/start"}
	}
	for _, account := range a.DemoAccounts {
		options.DemoAccounts = append(options.DemoAccounts, DemoAccountWithPass{account.Name, string(account.Role), account.Password})
	}
	return &body[SignInOptions]{options}, nil
}

func (a *API) setUp(ctx context.Context, input *body[Setup]) (*sessionOutput, error) {
	needed, err := a.Store.SetupNeeded(ctx)
	if err != nil {
		return nil, err
	}
	if !needed {
		return nil, newProblem(codeSetupDone, "There is an administrator already. Sign in.")
	}
	if err := a.queue(ctx, setupAccount); err != nil {
		return nil, err
	}
	admin, err := a.newAdministrator(ctx, input.Body.Name, auth.Admin, input.Body.Password, "")
	if err != nil {
		return nil, err
	}
	entry := a.audit(ctx, "administrator "+admin.Name)
	entry.After = administratorValues(admin)
	err = a.Store.CompleteSetup(ctx, auth.HashSecret(input.Body.Token), admin, entry)
	if errorCode(err) == codeExists {
		return nil, nameTaken()
	}
	if errorCode(err) == codeSetupToken {
		if err := a.Store.AddFailure(ctx, setupAccount, requestOf(ctx).client.key(), a.Now()); err != nil {
			return nil, err
		}
		a.auditRefusal(ctx, a.audit(ctx, "setup"), "the set-up link is not valid")
	}
	if err != nil {
		return nil, err
	}
	signIn := a.audit(ctx, "administrator "+admin.Name)
	signIn.Action = "session.create"
	return a.begin(ctx, admin, signIn)
}
