package httpapi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// person is who a provider says somebody is.
type person struct {
	subject string    // issuer|sub
	role    auth.Role // "": none
	names   []string  // what the provider calls them, the best first
}

// personOf makes a person of a subject and the claims of its ID token.
func (o *OIDC) personOf(sub string, claims map[string]any) (person, error) {
	subject := o.Issuer + "|" + sub
	if auth.CheckSubject(o.Issuer, subject) != nil {
		return person{}, errors.New("the ID token has no usable subject")
	}
	who := person{subject: subject, role: o.roleOf(claims[o.RoleClaim])}
	for _, claim := range []string{"preferred_username", "email"} {
		if name, ok := claims[claim].(string); ok {
			who.names = append(who.names, name)
		}
	}
	return who, nil
}

// roleOf is the highest role that the values of a claim, a text or a list of texts,
// give; the default one if they give none.
func (o *OIDC) roleOf(claim any) auth.Role {
	values, ok := claim.([]any)
	if !ok {
		values = []any{claim}
	}
	best := auth.Role("")
	for _, value := range values {
		text, ok := value.(string)
		if role := o.RoleMap[text]; ok && role.Covers(role) && !best.Covers(role) {
			best = role
		}
	}
	if best == "" {
		return o.DefaultRole
	}
	return best
}

// keepsRoles says whether roles come from here and not from the provider.
func (o *OIDC) keepsRoles() bool { return len(o.RoleMap) == 0 && o.DefaultRole == "" }

// accountOf returns the administrator who signs in as a person, with the role that
// the person has now. Who is not known gets an account.
func (a *API) accountOf(ctx context.Context, who person) (auth.Administrator, error) {
	admin, err := a.Store.AdministratorBySubject(ctx, who.subject)
	switch {
	case isNotFound(err):
		return a.createPerson(ctx, who)
	case err != nil:
		return auth.Administrator{}, err
	default:
		return a.withRole(ctx, admin, who)
	}
}

// withRole gives an administrator the role of the person, as their provider says it.
func (a *API) withRole(ctx context.Context, admin auth.Administrator, who person) (auth.Administrator, error) {
	object := "administrator " + admin.Name
	switch {
	case a.OIDC.keepsRoles() || admin.Role == who.role:
		return admin, nil
	case who.role == "":
		return admin, a.refusePerson(ctx, object, noRole())
	}
	entry := a.auditOIDC(ctx, "administrator.update", object)
	entry.ActorKind, entry.Reason = fleet.System, "the role comes from the OpenID Connect provider"
	entry.Before, entry.After = map[string]any{}, map[string]any{}
	err := a.Store.UpdateAdministrator(ctx, admin.Name, false, func(now *auth.Administrator) error {
		if now.Subject != who.subject {
			return newProblem(codeConflict, "The account was changed while you signed in. Sign in again.")
		}
		fill(entry.Before, administratorValues(*now))
		now.Role = who.role
		fill(entry.After, administratorValues(*now))
		return nil
	}, entry)
	if errorCode(err) == codeLastAdmin {
		return admin, a.refusePerson(ctx, object, newProblem(codeLastAdmin, "The provider no longer gives you the role admin, but you are the last administrator who has it. "+
			"Let the provider give it back to you, make somebody else admin, and sign in again."))
	}
	admin.Role = who.role
	return admin, err
}

// maxNamesakes is how many people of one name get accounts.
const maxNamesakes = 99

// createPerson makes an account for somebody who signs in for the first time. It
// never takes over an account that has the name: there is a number behind it then.
func (a *API) createPerson(ctx context.Context, who person) (auth.Administrator, error) {
	action, err := a.admit(ctx, who)
	if err != nil {
		return auth.Administrator{}, err
	}
	now, name := a.Now().UTC(), nameOf(who)
	for n := range maxNamesakes {
		admin := auth.Administrator{Name: numbered(name, n+1), Role: who.role, Subject: who.subject, CreatedAt: now, UpdatedAt: now}
		entry := a.auditOIDC(ctx, action, "administrator "+admin.Name)
		entry.ActorKind, entry.After = fleet.System, administratorValues(admin)
		err := a.Store.CreateAdministrator(ctx, admin, entry)
		if errorCode(err) != codeExists {
			return admin, err
		}
		// The name is taken, or the same person signs in somewhere else, too.
		known, err := a.Store.AdministratorBySubject(ctx, who.subject)
		if !isNotFound(err) {
			return known, err
		}
	}
	return auth.Administrator{}, newProblem(codeExists, "Too many accounts have your name. Ask an administrator to make one for you.")
}

// admit says under which action somebody new gets an account, or why not. As
// long as nobody can sign in as admin, the next one has to have that role.
func (a *API) admit(ctx context.Context, who person) (action string, err error) {
	object := "subject " + harmless(who.subject, maxCause)
	if who.role == "" {
		return "", a.refusePerson(ctx, object, noRole())
	}
	needed, err := a.Store.SetupNeeded(ctx)
	switch {
	case err != nil:
		return "", err
	case !needed:
		return "administrator.create", nil
	case who.role == auth.Admin:
		return "setup.complete", nil
	default:
		return "", a.refusePerson(ctx, object, newProblem(codeOIDCSetup, "On this server nobody can sign in as administrator yet. "+
			"Somebody with the role admin has to sign in first, or use the set-up link that the server printed."))
	}
}

func noRole() *Problem {
	return newProblem(codeOIDCRole, "The provider knows you, but gives you no role here. Ask an administrator for one.")
}

// refusePerson writes down why somebody whom the provider knows is not let in.
func (a *API) refusePerson(ctx context.Context, object string, p *Problem) error {
	a.auditRefusal(ctx, a.auditOIDC(ctx, "session.create", object), p.Detail)
	return p
}

// auditOIDC begins the entry of an action that is part of signing in.
func (a *API) auditOIDC(ctx context.Context, action, object string) fleet.AuditEntry {
	entry := a.audit(ctx, object)
	entry.Action = action
	return entry
}

const maxName = 63

// nameOf makes a valid name of what the provider calls somebody.
func nameOf(who person) string {
	for _, text := range who.names {
		if name := plainName(text); name != "" {
			return name
		}
	}
	return "user"
}

// plainName puts a - in place of whatever a name cannot hold; "" if nothing is left.
func plainName(text string) string {
	var name strings.Builder
	gap := false
	for _, r := range text {
		if r >= utf8.RuneSelf || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._@", lower(r)) {
			gap = true
			continue
		}
		if gap && name.Len() > 0 {
			name.WriteByte('-')
		}
		gap = false
		name.WriteRune(lower(r))
	}
	return cut(strings.TrimLeft(name.String(), "._@-"), maxName)
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func cut(text string, limit int) string { return text[:min(len(text), limit)] }

// numbered is the name for the nth who has it.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	suffix := "-" + strconv.Itoa(n)
	return cut(name, maxName-len(suffix)) + suffix
}
