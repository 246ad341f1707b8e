package httpapi

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

// Administrator is a person who may sign in.
type Administrator struct {
	Name        string     `json:"name"`
	Role        string     `json:"role" enum:"admin,operator,auditor"`
	HasPassword bool       `json:"has_password" doc:"False: signs in through OpenID Connect only."`
	Subject     *string    `json:"subject" doc:"issuer|sub of OpenID Connect; null for none."`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	SignedInAt  *time.Time `json:"signed_in_at" doc:"The last time; null for never."`
}

// Administrators is the list of all.
type Administrators struct {
	Administrators []Administrator `json:"administrators" doc:"Sorted by name."`
}

// NewAdministrator is an administrator to be made.
type NewAdministrator struct {
	Name     string `json:"name" minLength:"1" maxLength:"63" doc:"Lower-case letters, digits and . _ @ -"`
	Role     string `json:"role" enum:"admin,operator,auditor"`
	Password string `json:"password,omitempty" minLength:"1" maxLength:"1024" doc:"At least 12 characters; may be left out if there is a subject."`
	Subject  string `json:"subject,omitempty" maxLength:"512" doc:"ISSUER|SUB of OpenID Connect, with the issuer that is configured."`
}

// AdministratorChange is what to change; what is left out stays.
type AdministratorChange struct {
	Role     string  `json:"role,omitempty" enum:"admin,operator,auditor"`
	Password string  `json:"password,omitempty" minLength:"1" maxLength:"1024" doc:"At least 12 characters. Not for oneself."`
	Subject  *string `json:"subject,omitempty" maxLength:"512" doc:"ISSUER|SUB of OpenID Connect, with the issuer that is configured; empty takes it away."`
	// KeepTokens has a meaning with a new password only.
	KeepTokens bool `json:"keep_tokens,omitempty" doc:"A new password leaves the account's API tokens as they are; otherwise it removes them."`
}

type administratorPath struct {
	Name string `path:"name" maxLength:"63"`
}

type administratorChangeInput struct {
	Name string `path:"name" maxLength:"63"`
	Body AdministratorChange
}

const tagAdministrators = "Administrators and tokens"

func (a *API) registerAdministrators() {
	register(a, huma.Operation{
		OperationID: "list-administrators", Method: http.MethodGet, Path: "/administrators", Tags: []string{tagAdministrators},
		Summary: "All administrators",
	}, auth.Auditor, a.listAdministrators)
	change(a, huma.Operation{
		OperationID: "create-administrator", Method: http.MethodPost, Path: "/administrators", Tags: []string{tagAdministrators},
		Summary: "Add an administrator", DefaultStatus: http.StatusCreated,
		Errors: []int{http.StatusConflict, http.StatusTooManyRequests},
	}, auth.Admin, "administrator.create", a.createAdministrator)
	change(a, huma.Operation{
		OperationID: "update-administrator", Method: http.MethodPatch, Path: "/administrators/{name}", Tags: []string{tagAdministrators},
		Summary:     "Change role, password or subject of an administrator",
		Description: "A new password or a lower role ends the sessions of the account. A new password also removes its API tokens, unless keep_tokens is true.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, auth.Admin, "administrator.update", a.updateAdministrator)
	change(a, huma.Operation{
		OperationID: "delete-administrator", Method: http.MethodDelete, Path: "/administrators/{name}", Tags: []string{tagAdministrators},
		Summary:     "Remove an administrator",
		Description: "Ends the sessions and tokens of the account. The last one with the role admin cannot be removed.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, auth.Admin, "administrator.delete", a.deleteAdministrator)
}

func toAdministrator(admin auth.Administrator) Administrator {
	wire := Administrator{
		Name: admin.Name, Role: string(admin.Role), HasPassword: admin.Hash != "",
		CreatedAt: timestamp(admin.CreatedAt), UpdatedAt: timestamp(admin.UpdatedAt),
		SignedInAt: timestampOrNull(admin.SignedInAt),
	}
	if admin.Subject != "" {
		wire.Subject = &admin.Subject
	}
	return wire
}

// administratorValues are the values for the audit log.
func administratorValues(admin auth.Administrator) map[string]any {
	return map[string]any{"role": string(admin.Role), "subject": valueOrNull(admin.Subject), "has_password": admin.Hash != ""}
}

func (a *API) listAdministrators(ctx context.Context, _ *struct{}) (*body[Administrators], error) {
	all, err := a.Store.Administrators(ctx)
	if err != nil {
		return nil, err
	}
	output := &body[Administrators]{Administrators{[]Administrator{}}}
	for _, admin := range all {
		output.Body.Administrators = append(output.Body.Administrators, toAdministrator(admin))
	}
	return output, nil
}

// newAdministrator checks name and password and hashes the latter.
func (a *API) newAdministrator(ctx context.Context, name string, role auth.Role, password, subject string) (auth.Administrator, error) {
	now := a.Now().UTC()
	admin := auth.Administrator{Role: role, Subject: subject, CreatedAt: now, UpdatedAt: now}
	var err error
	if admin.Name, err = auth.CheckName(name); err != nil {
		return admin, invalid("name", sentence(err.Error()))
	}
	if password == "" && subject == "" {
		return admin, invalid("password", "Give a password, or a subject of OpenID Connect.")
	}
	if err := a.checkSubject(subject); err != nil {
		return admin, err
	}
	if password != "" {
		admin.Hash, err = a.newPassword(ctx, admin.Name, password)
	}
	return admin, err
}

// checkSubject refuses a subject that nobody can sign in with here; "" is none.
func (a *API) checkSubject(subject string) error {
	switch {
	case subject == "":
		return nil
	case a.OIDC == nil:
		return invalid("subject", "Signing in through OpenID Connect is not set up here. Leave the subject out.")
	}
	if err := auth.CheckSubject(a.OIDC.Issuer, subject); err != nil {
		return invalid("subject", sentence(err.Error()))
	}
	return nil
}

// tokensAfter is what the audit log says of the tokens after a new password.
func tokensAfter(ended bool) string {
	if ended {
		return "removed"
	}
	return "kept"
}

func nameTaken() *Problem {
	return newProblem(codeExists, "There is an administrator with this name or subject already.")
}

// newPassword checks a password and hashes it.
func (a *API) newPassword(ctx context.Context, name, password string) (string, error) {
	if err := auth.CheckPassword(name, password); err != nil {
		return "", invalid("password", sentence(err.Error()))
	}
	return a.hash(ctx, password)
}

func (a *API) createAdministrator(ctx context.Context, input *body[NewAdministrator]) (*body[Administrator], error) {
	given := input.Body
	admin, err := a.newAdministrator(ctx, given.Name, auth.Role(given.Role), given.Password, given.Subject)
	if err != nil {
		return nil, err
	}
	entry := a.audit(ctx, "administrator "+admin.Name)
	entry.After = administratorValues(admin)
	err = a.Store.CreateAdministrator(ctx, admin, entry)
	if errorCode(err) == codeExists {
		return nil, nameTaken()
	}
	if err != nil {
		return nil, err
	}
	return &body[Administrator]{toAdministrator(admin)}, nil
}

func (a *API) updateAdministrator(ctx context.Context, input *administratorChangeInput) (*body[Administrator], error) {
	given := input.Body
	name, err := administratorName(input.Name)
	if err != nil {
		return nil, err
	}
	var hash string
	if given.Password != "" {
		if name == callerOf(ctx).name {
			return nil, newProblem(codeForbidden, "Change your own password where the current one is asked for: PUT /session/password.")
		}
		if hash, err = a.newPassword(ctx, name, given.Password); err != nil {
			return nil, err
		}
	}
	entry := a.audit(ctx, "administrator "+name)
	entry.Before, entry.After = map[string]any{}, map[string]any{}
	endTokens := hash != "" && !given.KeepTokens
	err = a.Store.UpdateAdministrator(ctx, name, endTokens, func(admin *auth.Administrator) error {
		fill(entry.Before, administratorValues(*admin))
		if err := a.apply(given, admin, hash); err != nil {
			return err
		}
		fill(entry.After, administratorValues(*admin))
		if hash != "" {
			entry.After["password"], entry.After["tokens"] = "changed", tokensAfter(endTokens)
		}
		return nil
	}, entry)
	if err != nil {
		return nil, administratorError(err)
	}
	changed, err := a.Store.Administrator(ctx, name)
	if err != nil {
		return nil, administratorError(err)
	}
	return &body[Administrator]{toAdministrator(changed)}, nil
}

// apply puts a change on an administrator; hash is the one of a new password. A
// subject that stays is not judged: it may be of an issuer of earlier times.
func (a *API) apply(c AdministratorChange, admin *auth.Administrator, hash string) error {
	if c.Role != "" {
		admin.Role = auth.Role(c.Role)
	}
	if c.Subject != nil && *c.Subject != admin.Subject {
		if err := a.checkSubject(*c.Subject); err != nil {
			return err
		}
		admin.Subject = *c.Subject
	}
	if hash != "" {
		admin.Hash = hash
	}
	if admin.Hash == "" && admin.Subject == "" {
		return invalid("subject", "Without password and subject nobody could sign in with this account.")
	}
	return nil
}

func (a *API) deleteAdministrator(ctx context.Context, input *administratorPath) (*struct{}, error) {
	name, err := administratorName(input.Name)
	if err != nil {
		return nil, err
	}
	admin, err := a.Store.Administrator(ctx, name)
	if err != nil {
		return nil, administratorError(err)
	}
	entry := a.audit(ctx, "administrator "+name)
	entry.Before = administratorValues(admin)
	return nil, administratorError(a.Store.DeleteAdministrator(ctx, name, entry))
}

// administratorName is the name in a path in its plain form; one that nobody
// can have is not found.
func administratorName(text string) (string, error) {
	name, err := auth.CheckName(text)
	if err != nil {
		return "", noAdministrator()
	}
	return name, nil
}

func noAdministrator() *Problem {
	return notFound("administrator", "There is no administrator with this name.")
}

// administratorError says what the store's errors mean for an administrator.
func administratorError(err error) error {
	switch errorCode(err) {
	case codeNotFound:
		return noAdministrator()
	case codeExists:
		return newProblem(codeExists, "Another administrator has this subject already.")
	case codeLastAdmin:
		return newProblem(codeLastAdmin, "This is the last administrator with the role admin who can sign in. Make another one first.")
	default:
		return err
	}
}

// fill replaces what is in a map: the function that fills it may run again.
func fill(target, values map[string]any) {
	clear(target)
	maps.Copy(target, values)
}
