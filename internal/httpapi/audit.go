package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"pciatlas/internal/fleet"
)

// audit begins the entry of the change that the request asks for: who, when,
// from where, and the action of the operation. The object is kind and name.
func (a *API) audit(ctx context.Context, object string) fleet.AuditEntry {
	known := requestOf(ctx)
	entry := fleet.AuditEntry{
		At: a.Now().UTC(), Address: known.client.text(), RequestID: known.id, Object: object, Result: fleet.Done,
	}
	if op := operationOf(ctx); op != nil {
		entry.Action = actionOf(op)
	}
	entry.Actor, entry.ActorKind = callerOf(ctx).actor()
	return entry
}

// auditRefusal writes down that something was refused. It is no reason to
// answer differently if that fails, but one to say so in the log.
func (a *API) auditRefusal(ctx context.Context, entry fleet.AuditEntry, reason string) {
	entry.Result, entry.Reason = fleet.Refused, reason
	if err := a.Store.AppendAudit(context.WithoutCancel(ctx), entry); err != nil {
		a.Logger.LogAttrs(ctx, slog.LevelError, "a refusal could not be written to the audit log",
			slog.String("request_id", requestID(ctx)), slog.Any("error", err))
	}
}

// writeRefused answers that the caller's role does not suffice, and writes it
// down if it was about a change.
func (a *API) writeRefused(ctx context.Context, w http.ResponseWriter, r *http.Request, p *Problem) {
	if op := operationOf(ctx); op != nil && actionOf(op) != "" {
		a.auditRefusal(ctx, a.audit(ctx, objectOf(r)), p.Detail)
	}
	writeProblem(w, r, p)
}

// objectOf names what a refused request was about by its path, without the part
// that all share and bounded in length.
func objectOf(r *http.Request) string {
	object := strings.TrimPrefix(r.URL.EscapedPath(), prefix)
	return object[:min(len(object), 200)]
}

// failed turns the error of a handler into the problem that is answered, and
// logs what the answer does not say.
func (a *API) failed(ctx context.Context, err error) *Problem {
	p := toProblem(ctx, err)
	if p.cause != nil && p.Status >= http.StatusInternalServerError {
		a.Logger.LogAttrs(ctx, slog.LevelError, "a request failed", slog.String("request_id", p.RequestID),
			slog.String("code", p.Code), slog.Any("error", p.cause))
	}
	return p
}

func (a *API) registerAudit() {}
