package httpapi

import (
	"context"
	"errors"
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

// refused writes down, under the path of the request, that a change was not
// allowed to the caller.
func (a *API) refused(ctx context.Context, p *Problem) {
	if op := operationOf(ctx); op == nil || actionOf(op) == "" || p.Status != http.StatusForbidden {
		return
	}
	path := strings.TrimPrefix(requestOf(ctx).path, prefix)
	a.auditRefusal(ctx, a.audit(ctx, path[:min(len(path), 200)]), p.Detail)
}

// failed turns the error of a handler into the problem that is answered, and
// writes down what has to be: refusals in the audit log, and in the log what
// the answer does not say. A caller who went away is no failure.
func (a *API) failed(ctx context.Context, err error) *Problem {
	p := toProblem(ctx, err)
	a.refused(ctx, p)
	if p.cause != nil && p.Status >= http.StatusInternalServerError {
		level := slog.LevelError
		if errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled) {
			level = slog.LevelDebug
		}
		a.Logger.LogAttrs(ctx, level, "a request failed", slog.String("request_id", p.RequestID),
			slog.String("code", p.Code), slog.Any("error", p.cause))
	}
	return p
}
