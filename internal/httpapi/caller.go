package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// caller is who asks, once proven.
type caller struct {
	name    string
	role    auth.Role // what the request may do
	session auth.Session
	token   auth.Token // zero for a session
	expires time.Time  // zero: never
}

func (c caller) byToken() bool { return c.token.ID != "" }

// actor names the caller in the audit log.
func (c caller) actor() (string, fleet.ActorKind) {
	switch {
	case c.byToken():
		return c.name + " (token " + c.token.ID + " " + c.token.Name + ")", fleet.Token
	case c.name == "":
		return "", fleet.Nobody
	default:
		return c.name, fleet.Person
	}
}

// withCaller keeps who asks for the handlers, the audit and the log.
func withCaller(ctx context.Context, who caller) context.Context {
	if known := requestOf(ctx); known != plainRequest {
		known.actor, _ = who.actor()
	}
	return context.WithValue(ctx, callerKey, who)
}

// callerOf is who asks; the zero value in operations that ask for no account.
func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey).(caller)
	return who
}

// authenticate finds out who asks. A request with an Authorization header is
// judged by that alone: a wrong token never falls back to a cookie.
func (a *API) authenticate(r *http.Request) (caller, error) {
	if r.Header.Values("Authorization") != nil {
		return a.authenticateToken(r)
	}
	values := requestOf(r.Context()).cookies
	if len(values) == 0 {
		return caller{}, unauthenticated("Sign in, or send an API token as Authorization: Bearer.")
	}
	for _, value := range values {
		who, err := a.authenticateSession(r.Context(), value)
		if p, ended := errors.AsType[*Problem](err); !ended || p.Code != codeUnauthenticated {
			return who, err
		}
	}
	return caller{}, sessionEnded()
}

// authenticateSession finds out whose session the value of a cookie is.
func (a *API) authenticateSession(ctx context.Context, value string) (caller, error) {
	session, admin, err := a.Store.Session(ctx, auth.HashSecret(value))
	switch {
	case isNotFound(err):
		return caller{}, sessionEnded()
	case err != nil:
		return caller{}, err
	}
	now := a.Now()
	if !session.Valid(now) {
		return caller{}, sessionEnded()
	}
	if now.Sub(session.UsedAt) >= touchEvery && a.touched(ctx, a.Store.TouchSession(ctx, session.Hash, now)) {
		session.UsedAt = now
	}
	return caller{name: admin.Name, role: admin.Role, session: session, expires: sessionEnd(session)}, nil
}

func sessionEnded() *Problem { return unauthenticated("The session has ended. Sign in again.") }

// touched says whether a use could be written down. A database that cannot be
// written, such as on a full disk, is no reason not to read.
func (a *API) touched(ctx context.Context, err error) bool {
	if err != nil {
		a.Logger.LogAttrs(ctx, slog.LevelError, "the use of a session or token could not be written down",
			slog.String("request_id", requestID(ctx)), slog.Any("error", err))
	}
	return err == nil
}

// touchEvery is how often a use is written down.
const touchEvery = time.Minute

func sessionEnd(s auth.Session) time.Time {
	end, idle := s.CreatedAt.Add(auth.SessionAbsolute), s.UsedAt.Add(auth.SessionIdle)
	if idle.Before(end) {
		return idle
	}
	return end
}

func (a *API) authenticateToken(r *http.Request) (caller, error) {
	refused := unauthenticated("The API token is not valid, or no longer.")
	headers := r.Header.Values("Authorization")
	scheme, text, found := strings.Cut(headers[0], " ")
	if len(headers) != 1 || !found || !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(text, auth.TokenPrefix) {
		return caller{}, refused
	}
	token, owner, err := a.Store.TokenByHash(r.Context(), auth.HashSecret(text))
	switch {
	case isNotFound(err):
		return caller{}, refused
	case err != nil:
		return caller{}, err
	}
	now := a.Now()
	if !token.Valid(now) {
		return caller{}, refused
	}
	if now.Sub(token.UsedAt) >= touchEvery {
		a.touched(r.Context(), a.Store.TouchToken(r.Context(), token.ID, now))
	}
	return caller{name: owner.Name, role: auth.EffectiveRole(token.Role, owner.Role), token: token, expires: token.ExpiresAt}, nil
}

func unauthenticated(detail string) *Problem { return newProblem(codeUnauthenticated, detail) }

func forbidden(need, have auth.Role) *Problem {
	return newProblem(codeForbidden, "This needs the role "+string(need)+"; yours is "+string(have)+".")
}

// isNotFound says whether the store does not have what it was asked for.
func isNotFound(err error) bool { return errorCode(err) == codeNotFound }

// errorCode is the code that an error names; "" for none.
func errorCode(err error) string {
	var coded interface {
		error
		ErrorCode() string
	}
	if !errors.As(err, &coded) {
		return ""
	}
	return coded.ErrorCode()
}
