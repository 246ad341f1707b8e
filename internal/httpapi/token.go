package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// Token is an API token, without its text.
type Token struct {
	ID        string     `json:"id"`
	Name      string     `json:"name" doc:"Says what it is for."`
	Owner     string     `json:"owner"`
	Role      string     `json:"role" enum:"admin,operator,auditor" doc:"It never may do more than its owner at that time."`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" doc:"Null for never."`
	UsedAt    *time.Time `json:"used_at" doc:"The last time, to the minute; null for never."`
}

// Tokens is a list of tokens.
type Tokens struct {
	Tokens []Token `json:"tokens"`
}

// NewToken is a token to be made.
type NewToken struct {
	Name      string     `json:"name" minLength:"1" maxLength:"100" doc:"Says what it is for."`
	Role      string     `json:"role" enum:"admin,operator,auditor" doc:"Not more than one's own."`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"Left out for never."`
}

// MadeToken is a new token with its text, which is shown this once.
type MadeToken struct {
	Token

	Secret string `json:"secret" doc:"Send it as Authorization: Bearer. It cannot be shown again."`
}

type tokenPath struct {
	ID string `path:"id" maxLength:"64"`
}

func (a *API) registerTokens() {
	register(a, huma.Operation{
		OperationID: "list-tokens", Method: http.MethodGet, Path: "/tokens", Tags: []string{tagAdministrators},
		Summary: "API tokens", Description: "One's own; with the role admin those of everybody.",
	}, auth.Auditor, a.listTokens)
	change(a, huma.Operation{
		OperationID: "create-token", Method: http.MethodPost, Path: "/tokens", Tags: []string{tagAdministrators},
		Summary:     "Make an API token for oneself",
		Description: "The text of the token is answered this once. Needs a session, not a token.", DefaultStatus: http.StatusCreated,
	}, auth.Auditor, "token.create", a.createToken)
	change(a, huma.Operation{
		OperationID: "delete-token", Method: http.MethodDelete, Path: "/tokens/{id}", Tags: []string{tagAdministrators},
		Summary: "Remove an API token", Description: "One's own; with the role admin that of anybody.",
		Errors: []int{http.StatusNotFound},
	}, auth.Auditor, "token.delete", a.deleteToken)
}

func toToken(token auth.Token) Token {
	return Token{
		ID: token.ID, Name: token.Name, Owner: token.Owner, Role: string(token.Role), CreatedAt: timestamp(token.CreatedAt),
		ExpiresAt: timestampOrNull(token.ExpiresAt), UsedAt: timestampOrNull(token.UsedAt),
	}
}

// tokenValues are the values for the audit log.
func tokenValues(token auth.Token) map[string]any {
	values := map[string]any{"name": token.Name, "owner": token.Owner, "role": string(token.Role), "expires_at": nil}
	if !token.ExpiresAt.IsZero() {
		values["expires_at"] = token.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return values
}

// visibleTokens are those that the caller may see and remove.
func (a *API) visibleTokens(ctx context.Context) ([]auth.Token, error) {
	who := callerOf(ctx)
	owner := who.name
	if who.role.Covers(auth.Admin) {
		owner = ""
	}
	return a.Store.Tokens(ctx, owner)
}

func (a *API) listTokens(ctx context.Context, _ *struct{}) (*body[Tokens], error) {
	all, err := a.visibleTokens(ctx)
	if err != nil {
		return nil, err
	}
	output := &body[Tokens]{Tokens{[]Token{}}}
	for _, token := range all {
		output.Body.Tokens = append(output.Body.Tokens, toToken(token))
	}
	return output, nil
}

func (a *API) createToken(ctx context.Context, input *body[NewToken]) (*body[MadeToken], error) {
	who, given := callerOf(ctx), input.Body
	role := auth.Role(given.Role)
	switch {
	case who.byToken():
		return nil, needsSession()
	case !who.role.Covers(role):
		return nil, newProblem(codeForbidden, "A token cannot have a higher role than its owner: yours is "+string(who.role)+".")
	case !isLabel(given.Name):
		return nil, invalid("name", "A name is visible text on one line without control characters.")
	case given.ExpiresAt != nil && !given.ExpiresAt.After(a.Now()):
		return nil, invalid("expires_at", "This time has passed already.")
	}
	id, err := auth.NewTokenID(a.Random)
	if err != nil {
		return nil, err
	}
	text, hash, err := auth.NewSecret(a.Random, auth.TokenPrefix)
	if err != nil {
		return nil, err
	}
	token := auth.Token{ID: id, Name: strings.TrimSpace(given.Name), Owner: who.name, Role: role, Hash: hash, CreatedAt: a.Now().UTC()}
	if given.ExpiresAt != nil {
		token.ExpiresAt = given.ExpiresAt.UTC()
	}
	entry := a.audit(ctx, "token "+id)
	entry.After = tokenValues(token)
	if err := a.Store.CreateToken(ctx, token, entry); err != nil {
		return nil, err
	}
	return &body[MadeToken]{MadeToken{toToken(token), text}}, nil
}

// isLabel says whether a text can be the name of something for people.
func isLabel(text string) bool {
	return fleet.Visible(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (a *API) deleteToken(ctx context.Context, input *tokenPath) (*struct{}, error) {
	visible, err := a.visibleTokens(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(visible, func(token auth.Token) bool { return token.ID == input.ID })
	if i < 0 {
		return nil, noToken()
	}
	entry := a.audit(ctx, "token "+visible[i].ID)
	entry.Before = tokenValues(visible[i])
	err = a.Store.DeleteToken(ctx, visible[i].ID, entry)
	if isNotFound(err) {
		return nil, noToken()
	}
	return nil, err
}

func noToken() *Problem {
	return notFound("token", "There is no token with this id, or it is not yours.")
}
