package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// AuditEntry says who did what, when, from where and with what result.
type AuditEntry struct {
	ID        int64                  `json:"id"`
	At        time.Time              `json:"at"`
	Actor     *string                `json:"actor" doc:"Null for somebody who has not proven who they are."`
	ActorKind string                 `json:"actor_kind" enum:"person,token,system,nobody"`
	Address   *string                `json:"address" doc:"Where the request came from; null if there was none."`
	RequestID *string                `json:"request_id"`
	Action    string                 `json:"action" example:"cluster.create"`
	Object    string                 `json:"object" example:"cluster lab"`
	Before    OrNull[map[string]any] `json:"before" doc:"The values before the change; null if there were none."`
	After     OrNull[map[string]any] `json:"after" doc:"The values after the change; null if there are none."`
	Result    string                 `json:"result" enum:"done,refused,failed"`
	Reason    *string                `json:"reason" doc:"Why it was refused or failed."`
}

// AuditLog is a part of the audit log.
type AuditLog struct {
	Entries []AuditEntry `json:"entries" doc:"Newest first."`
	Next    *int64       `json:"next" doc:"The value of before for the entries that follow; null if there are none."`
}

type auditInput struct {
	Before int64     `query:"before" minimum:"1" doc:"Only entries with a smaller id."`
	Limit  int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Actor  string    `query:"actor" maxLength:"200"`
	Action string    `query:"action" maxLength:"100"`
	Object string    `query:"object" maxLength:"200"`
	Since  time.Time `query:"since" doc:"Not older."`
	Until  time.Time `query:"until" doc:"Older."`
}

func (a *API) registerAudit() {
	register(a, huma.Operation{
		OperationID: "list-audit", Method: http.MethodGet, Path: "/audit", Tags: []string{"Audit log"},
		Summary:     "The audit log, newest first",
		Description: "Every sign-in, every change, and what was refused. Sign-ins that had to wait are not in it.",
	}, auth.Auditor, a.listAudit)
}

func (a *API) listAudit(ctx context.Context, input *auditInput) (*body[AuditLog], error) {
	entries, more, err := a.Store.Audit(ctx, AuditFilter{
		Before: input.Before, Limit: input.Limit, Actor: input.Actor, Action: input.Action, Object: input.Object,
		Since: input.Since, Until: input.Until,
	})
	if err != nil {
		return nil, err
	}
	output := &body[AuditLog]{AuditLog{Entries: []AuditEntry{}}}
	for i := range entries {
		output.Body.Entries = append(output.Body.Entries, toAuditEntry(&entries[i]))
	}
	if more && len(entries) > 0 {
		output.Body.Next = &entries[len(entries)-1].ID
	}
	return output, nil
}

func toAuditEntry(entry *fleet.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: entry.ID, At: timestamp(entry.At), Actor: textOrNull(entry.Actor), ActorKind: string(entry.ActorKind),
		Address: textOrNull(entry.Address), RequestID: textOrNull(entry.RequestID),
		Action: entry.Action, Object: entry.Object, Before: valuesOrNull(entry.Before), After: valuesOrNull(entry.After),
		Result: string(entry.Result), Reason: textOrNull(entry.Reason),
	}
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// valueOrNull is a text as a value of the audit log.
func valueOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func valuesOrNull(values map[string]any) OrNull[map[string]any] {
	if values == nil {
		return OrNull[map[string]any]{}
	}
	return OrNull[map[string]any]{Value: &values}
}
