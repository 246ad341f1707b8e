package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pciatlas/internal/fleet"
)

// AuditFilter chooses entries; a zero field does not choose.
type AuditFilter struct {
	Before       int64 // only entries with smaller ids, for the next page
	Limit        int   // 1 to 1000; 0 is 100
	Actor        string
	Action       string
	Object       string
	Since, Until time.Time // from Since on, before Until
}

const (
	auditLimit    = 100
	auditMaxLimit = 1000
)

// AppendAudit stores an entry that no change of the store goes with, such as a
// refusal. It gets the next id, and the time if it has none.
func (s *Store) AppendAudit(ctx context.Context, entry fleet.AuditEntry) error {
	return s.change(ctx, entry, func(context.Context, conn) error { return nil })
}

// insertAudit never fails for what an entry holds: a refusal has to be noted
// however odd the request was. Bytes that a database would refuse become U+FFFD.
func insertAudit(ctx context.Context, tx conn, e fleet.AuditEntry) error {
	before, err := auditValue(e.Before)
	if err != nil {
		return err
	}
	after, err := auditValue(e.After)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO audit_log
		(id, at, actor, actor_kind, address, request_id, action, object, before_value, after_value, result, reason)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		e.ID, moment(e.At), storable(e.Actor), storable(string(e.ActorKind)), storable(e.Address), storable(e.RequestID),
		storable(e.Action), storable(e.Object), before, after, storable(string(e.Result)), storable(e.Reason))
	if err != nil {
		return fmt.Errorf("write the audit entry: %w", err)
	}
	return nil
}

func auditValue(value map[string]any) (any, error) {
	if value == nil {
		return nil, nil //nolint:nilnil // NULL is the value of an entry without one
	}
	return document(value)
}

func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func auditFields(e *fleet.AuditEntry) []any {
	return into(&e.ID, at(&e.At), &e.Actor, &e.ActorKind, &e.Address, &e.RequestID, &e.Action, &e.Object,
		documentInto{&e.Before}, documentInto{&e.After}, &e.Result, &e.Reason)
}

// Audit gives entries, the newest first, and whether there are more. Numbers in
// Before and After come back as float64.
func (s *Store) Audit(ctx context.Context, filter AuditFilter) (entries []fleet.AuditEntry, more bool, err error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	limit := min(filter.Limit, auditMaxLimit)
	if limit <= 0 {
		limit = auditLimit
	}
	where, args := filter.conditions()
	args = append(args, limit+1)
	found, err := rows(ctx, s.db, auditFields, fmt.Sprintf(`SELECT id, at, actor, actor_kind, address, request_id,
		action, object, before_value, after_value, result, reason FROM audit_log %s ORDER BY id DESC LIMIT $%d`, where, len(args)), args...)
	if err != nil {
		return nil, false, err
	}
	return found[:min(len(found), limit)], len(found) > limit, nil
}

// conditions gives the WHERE clause and its arguments.
func (f AuditFilter) conditions() (string, []any) {
	var (
		conditions []string
		args       []any
	)
	add := func(wanted bool, condition string, arg any) {
		if wanted {
			args = append(args, arg)
			conditions = append(conditions, fmt.Sprintf("%s $%d", condition, len(args)))
		}
	}
	add(f.Before > 0, "id <", f.Before)
	add(f.Actor != "", "actor =", f.Actor)
	add(f.Action != "", "action =", f.Action)
	add(f.Object != "", "object =", f.Object)
	add(!f.Since.IsZero(), "at >=", moment(f.Since))
	add(!f.Until.IsZero(), "at <", moment(f.Until))
	if len(conditions) == 0 {
		return "", nil
	}
	return "WHERE " + strings.Join(conditions, " AND "), args
}
