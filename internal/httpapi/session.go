package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// Identity says who a caller is.
type Identity struct {
	Name      string     `json:"name"`
	Role      string     `json:"role" enum:"admin,operator,auditor" doc:"What the caller may do; of a token never more than its owner."`
	Kind      string     `json:"kind" enum:"session,token"`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the session ends if it is not used, or the token; null for never."`
}

// Credentials are what somebody signs in with.
type Credentials struct {
	Name     string `json:"name" minLength:"1" maxLength:"256"`
	Password string `json:"password" minLength:"1" maxLength:"1024"`
}

// PasswordChange is a new password, with the one that it replaces.
type PasswordChange struct {
	Current string `json:"current" minLength:"1" maxLength:"1024"`
	New     string `json:"new" minLength:"1" maxLength:"1024" doc:"At least 12 characters."`
	// EndTokens is for a password that somebody else may know.
	EndTokens bool `json:"end_tokens,omitempty" doc:"Also removes one's own API tokens; left out, they stay."`
}

type identityOutput struct{ Body Identity }

type sessionOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      Identity
}

type signOutOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

type body[T any] struct{ Body T }

const tagAccount = "Signing in"

func (a *API) registerSession() {
	change(a, huma.Operation{
		OperationID: "sign-in", Method: http.MethodPost, Path: "/session", Tags: []string{tagAccount},
		Summary:     "Sign in with name and password",
		Description: "Answers a session cookie with a new value. Failed attempts make the next ones wait.",
		Errors:      []int{http.StatusUnauthorized, http.StatusTooManyRequests},
	}, none, "session.create", a.signIn)
	register(a, huma.Operation{
		OperationID: "get-session", Method: http.MethodGet, Path: "/session", Tags: []string{tagAccount},
		Summary: "Who am I",
	}, auth.Auditor, a.whoAmI)
	change(a, huma.Operation{
		OperationID: "sign-out", Method: http.MethodDelete, Path: "/session", Tags: []string{tagAccount},
		Summary: "Sign out", Description: "Ends the session of the cookie; a token has none.",
	}, auth.Auditor, "session.delete", a.signOut)
	change(a, huma.Operation{
		OperationID: "change-password", Method: http.MethodPut, Path: "/session/password", Tags: []string{tagAccount},
		Summary:     "Change one's own password",
		Description: "Ends all other sessions of the account. Its API tokens stay unless end_tokens is true. Needs a session, not a token.",
		Errors:      []int{http.StatusTooManyRequests},
	}, auth.Auditor, "password.update", a.changePassword)
}

func identityOf(who caller) Identity {
	kind := "session"
	if who.byToken() {
		kind = "token"
	}
	return Identity{Name: who.name, Role: string(who.role), Kind: kind, ExpiresAt: timestampOrNull(who.expires)}
}

func (*API) whoAmI(ctx context.Context, _ *struct{}) (*identityOutput, error) {
	return &identityOutput{Body: identityOf(callerOf(ctx))}, nil
}

func (a *API) signIn(ctx context.Context, input *body[Credentials]) (*sessionOutput, error) {
	account := strings.ToLower(input.Body.Name)
	admin, err := a.verified(ctx, account, input.Body.Password)
	if err != nil {
		return nil, err
	}
	if err := a.Store.ClearFailures(ctx, account, requestOf(ctx).client.key()); err != nil {
		return nil, err
	}
	return a.begin(ctx, admin, a.audit(ctx, "administrator "+admin.Name))
}

// verified returns the administrator with this name and password, or the same
// problem whichever of them is wrong, after the same work.
func (a *API) verified(ctx context.Context, account, password string) (auth.Administrator, error) {
	if err := a.queue(ctx, account); err != nil {
		return auth.Administrator{}, err
	}
	leave, err := a.passwords.enter(ctx)
	if err != nil {
		return auth.Administrator{}, err
	}
	defer leave()
	if _, err := a.throttle(ctx, account); err != nil {
		return auth.Administrator{}, err
	}
	admin, err := a.administratorOrNobody(ctx, account)
	if err != nil {
		return auth.Administrator{}, err
	}
	ok, outdated := a.verify(admin.Hash, password)
	if ok && outdated {
		admin, ok, err = a.rehash(ctx, admin, password)
	}
	if ok || err != nil {
		return admin, err
	}
	if err := a.Store.AddFailure(ctx, account, requestOf(ctx).client.key(), a.Now()); err != nil {
		return auth.Administrator{}, err
	}
	object := "unknown name" // people type passwords into the wrong field
	if admin.Name != "" {
		object = "administrator " + admin.Name
	}
	a.auditRefusal(ctx, a.audit(ctx, object), "name or password is wrong")
	return auth.Administrator{}, newProblem(codeSignIn, wrongCredentials)
}

// administratorOrNobody returns the zero value for a name that nobody has.
func (a *API) administratorOrNobody(ctx context.Context, account string) (auth.Administrator, error) {
	name, invalid := auth.CheckName(account)
	if invalid != nil {
		name = "nobody@invalid" // the store is asked all the same, so that it takes as long
	}
	admin, err := a.Store.Administrator(ctx, name)
	if isNotFound(err) || invalid != nil && err == nil {
		return auth.Administrator{}, nil
	}
	return admin, err
}

// verify compares a password with a hash, and with one that no password has if
// there is none.
func (a *API) verify(hash, password string) (ok, outdated bool) {
	if hash == "" {
		hash = auth.Dummy()
	}
	return a.VerifyPassword(hash, password)
}

// rehash hashes a password, which fits, with today's parameters. Somebody else may
// have done so, or changed the password; ok says whether it still fits.
func (a *API) rehash(ctx context.Context, admin auth.Administrator, password string) (_ auth.Administrator, ok bool, err error) {
	hash, err := auth.HashPassword(a.Random, password)
	if err != nil {
		return admin, false, err
	}
	err = a.Store.RehashPassword(ctx, admin.Name, admin.Hash, hash)
	if errorCode(err) != codeConflict {
		admin.Hash = hash
		return admin, err == nil, err
	}
	if admin, err = a.administratorOrNobody(ctx, admin.Name); err != nil {
		return admin, false, err
	}
	ok, _ = a.verify(admin.Hash, password)
	return admin, ok, nil
}

// begin makes a session with a value of its own, and ends the one that came
// along: no cookie from before a sign-in is worth anything after it.
func (a *API) begin(ctx context.Context, admin auth.Administrator, entry fleet.AuditEntry) (*sessionOutput, error) {
	if err := a.endPresented(ctx); err != nil {
		return nil, err
	}
	value, hash, err := auth.NewSecret(a.Random, "")
	if err != nil {
		return nil, err
	}
	now := a.Now().UTC()
	known := requestOf(ctx)
	session := auth.Session{
		Hash: hash, Name: admin.Name, CreatedAt: now, UsedAt: now, Address: known.client.text(), Agent: known.agent,
	}
	entry.Actor, entry.ActorKind = admin.Name, fleet.Person
	if err := a.Store.CreateSession(ctx, session, entry); err != nil {
		return nil, err
	}
	if err := a.confirm(ctx, admin, hash); err != nil {
		return nil, err
	}
	who := caller{name: admin.Name, role: admin.Role, session: session, expires: sessionEnd(session)}
	return &sessionOutput{SetCookie: newCookie(ctx, value), Body: identityOf(who)}, nil
}

// confirm ends a new session again if the password was changed while it was
// made: that change ended only the sessions that it found.
func (a *API) confirm(ctx context.Context, admin auth.Administrator, hash string) error {
	_, now, err := a.Store.Session(ctx, hash)
	switch {
	case isNotFound(err):
		return newProblem(codeSignIn, wrongCredentials)
	case err != nil || now.Hash == admin.Hash:
		return err
	}
	entry := a.audit(ctx, "administrator "+admin.Name)
	entry.Action, entry.ActorKind, entry.Reason = "session.delete", fleet.System, "the password was changed meanwhile"
	if err := unlessNotFound(a.Store.DeleteSession(ctx, hash, entry)); err != nil {
		return err
	}
	return newProblem(codeSignIn, wrongCredentials)
}

const wrongCredentials = "Name or password is wrong."

func (a *API) endPresented(ctx context.Context) error {
	for _, value := range requestOf(ctx).cookies {
		if err := a.endSession(ctx, value); err != nil {
			return err
		}
	}
	return nil
}

// endSession ends the session of a cookie, if there is one.
func (a *API) endSession(ctx context.Context, value string) error {
	session, admin, err := a.Store.Session(ctx, auth.HashSecret(value))
	if err != nil {
		return unlessNotFound(err)
	}
	entry := a.audit(ctx, "administrator "+admin.Name)
	entry.Action, entry.Actor, entry.ActorKind, entry.Reason = "session.delete", admin.Name, fleet.Person, "another sign-in took its place"
	return unlessNotFound(a.Store.DeleteSession(ctx, session.Hash, entry))
}

func unlessNotFound(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}

func (a *API) signOut(ctx context.Context, _ *struct{}) (*signOutOutput, error) {
	who := callerOf(ctx)
	if who.byToken() {
		return nil, needsSession()
	}
	if err := unlessNotFound(a.Store.DeleteSession(ctx, who.session.Hash, a.audit(ctx, "administrator "+who.name))); err != nil {
		return nil, err
	}
	return &signOutOutput{SetCookie: newCookie(ctx, "")}, nil
}

func needsSession() *Problem {
	return newProblem(codeSession, "This needs a session: sign in at the console, or with POST /session. An API token cannot do it.")
}

func (a *API) changePassword(ctx context.Context, input *body[PasswordChange]) (*struct{}, error) {
	who := callerOf(ctx)
	if who.byToken() {
		return nil, needsSession()
	}
	if err := auth.CheckPassword(who.name, input.Body.New); err != nil {
		return nil, invalid("new", sentence(err.Error()))
	}
	if _, err := a.verified(ctx, who.name, input.Body.Current); err != nil {
		if p := toProblem(ctx, err); p.Code == codeSignIn {
			return nil, invalid("current", "This is not the current password.")
		}
		return nil, err
	}
	hash, err := a.hash(ctx, input.Body.New)
	if err != nil {
		return nil, err
	}
	entry := a.audit(ctx, "administrator "+who.name)
	entry.After = map[string]any{"password": "changed", "tokens": tokensAfter(input.Body.EndTokens)}
	return nil, a.Store.ChangePassword(ctx, who.name, hash, who.session.Hash, input.Body.EndTokens, entry)
}

// hash hashes a password when its turn comes.
func (a *API) hash(ctx context.Context, password string) (string, error) {
	leave, err := a.passwords.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return auth.HashPassword(a.Random, password)
}
