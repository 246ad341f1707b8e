package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/fleet"
)

func desktopFields(d *fleet.Desktop) []any {
	return into(&d.Cluster, &d.VMID, &d.Name, &d.Note, at(&d.CreatedAt), at(&d.UpdatedAt))
}

// Desktops gives the registered desktops of a cluster by VMID; ErrNotFound if
// there is no such cluster.
func (s *Store) Desktops(ctx context.Context, cluster string) ([]fleet.Desktop, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	found, err := desktops(ctx, s.db, cluster)
	if err == nil && len(found) == 0 {
		err = needCluster(ctx, s.db, cluster)
	}
	return found, err
}

func desktops(ctx context.Context, c conn, cluster string) ([]fleet.Desktop, error) {
	return rows(ctx, c, desktopFields, `SELECT cluster, vmid, name, note, created_at, updated_at
		FROM managed_desktops WHERE cluster = $1 ORDER BY vmid`, cluster)
}

// DesktopsRevision gives a number that is another one after each change of the
// desktops of the cluster, cheaply; ErrNotFound if there is no such cluster.
func (s *Store) DesktopsRevision(ctx context.Context, cluster string) (int64, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var revision int64
	if err := s.hotRow(ctx, into(&revision), desktopsRevisionQuery, cluster); err != nil {
		return 0, fmt.Errorf("cluster %q: %w", cluster, err)
	}
	return revision, nil
}

const desktopsRevisionQuery = `SELECT desktops_revision FROM clusters WHERE name = $1`

// needCluster gives ErrNotFound if there is no such cluster.
func needCluster(ctx context.Context, c conn, cluster string) error {
	var revision int64
	if err := c.row(ctx, into(&revision), desktopsRevisionQuery, cluster); err != nil {
		return fmt.Errorf("cluster %q: %w", cluster, err)
	}
	return nil
}

// PutDesktop registers a desktop or replaces name and note of a registered one,
// and says whether it is new. ErrNotFound if there is no such cluster, ErrTooMany if
// it has fleet.MaxDesktops already.
func (s *Store) PutDesktop(ctx context.Context, d fleet.Desktop, audit fleet.AuditEntry) (created bool, err error) {
	err = s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := countDesktopChange(ctx, tx, d.Cluster); err != nil {
			return err
		}
		before, err := rows(ctx, tx, func(n *int) []any { return into(n) },
			`SELECT 1 FROM managed_desktops WHERE cluster = $1 AND vmid = $2`, d.Cluster, d.VMID)
		if err != nil {
			return err
		}
		created = len(before) == 0
		if created {
			if err := roomFor(ctx, tx, d.Cluster, 1); err != nil {
				return err
			}
		}
		return s.writeDesktops(ctx, tx, d.Cluster, []fleet.Desktop{d})
	})
	return created && err == nil, err
}

// DeleteDesktop gives ErrNotFound if it is not registered.
func (s *Store) DeleteDesktop(ctx context.Context, cluster string, vmid int, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := countDesktopChange(ctx, tx, cluster); err != nil {
			return err
		}
		if err := tx.one(ctx, `DELETE FROM managed_desktops WHERE cluster = $1 AND vmid = $2`, cluster, vmid); err != nil {
			return fmt.Errorf("desktop %d of cluster %q: %w", vmid, cluster, err)
		}
		return nil
	})
}

// ImportDesktops registers all of the list or none, and with replace removes what
// the list does not name. Their field Cluster is not looked at; a VMID stands in
// the list once. It says how many desktops are new, have another name or note,
// and are gone, in the audit entry too. ErrNotFound if there is no such cluster,
// ErrTooMany if it had more than fleet.MaxDesktops then.
func (s *Store) ImportDesktops(ctx context.Context, cluster string, list []fleet.Desktop, replace bool, audit fleet.AuditEntry) (created, changed, removed int, err error) {
	audit.After = maps.Clone(audit.After)
	if audit.After == nil {
		audit.After = map[string]any{}
	}
	err = s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := needCluster(ctx, tx, cluster); err != nil {
			return err
		}
		have, err := desktops(ctx, tx, cluster)
		if err != nil {
			return err
		}
		diff, err := compareDesktops(have, list, replace)
		if err != nil {
			return err
		}
		created, changed, removed = diff.created, len(diff.write)-diff.created, len(diff.remove)
		audit.After["created"], audit.After["changed"], audit.After["removed"] = created, changed, removed
		if len(diff.write)+len(diff.remove) == 0 {
			return nil
		}
		if err := countDesktopChange(ctx, tx, cluster); err != nil {
			return err
		}
		if err := removeDesktops(ctx, tx, cluster, diff.remove); err != nil {
			return err
		}
		if err := roomFor(ctx, tx, cluster, diff.created); err != nil {
			return err
		}
		return s.writeDesktops(ctx, tx, cluster, diff.write)
	})
	if err != nil {
		return 0, 0, 0, err
	}
	return created, changed, removed, nil
}

// roomFor gives ErrTooMany if the cluster would have more than fleet.MaxDesktops.
func roomFor(ctx context.Context, tx conn, cluster string, more int) error {
	var have int
	if err := tx.row(ctx, into(&have), `SELECT COUNT(*) FROM managed_desktops WHERE cluster = $1`, cluster); err != nil {
		return err
	}
	if more > 0 && have+more > fleet.MaxDesktops {
		return fmt.Errorf("cluster %q: %w", cluster, ErrTooMany)
	}
	return nil
}

// desktopDiff is what an import has to do.
type desktopDiff struct {
	write   []fleet.Desktop // new and changed ones
	created int             // how many of write are new
	remove  []int
}

func compareDesktops(have, list []fleet.Desktop, replace bool) (desktopDiff, error) {
	stored := make(map[int]fleet.Desktop, len(have))
	for _, d := range have {
		stored[d.VMID] = d
	}
	var diff desktopDiff
	listed := make(map[int]bool, len(list))
	for _, d := range list {
		if listed[d.VMID] {
			return desktopDiff{}, fmt.Errorf("the list names VM %d twice", d.VMID)
		}
		listed[d.VMID] = true
		before, known := stored[d.VMID]
		if !known {
			diff.created++
		}
		if !known || before.Name != d.Name || before.Note != d.Note {
			diff.write = append(diff.write, d)
		}
	}
	if !replace {
		return diff, nil
	}
	for _, d := range have {
		if !listed[d.VMID] {
			diff.remove = append(diff.remove, d.VMID)
		}
	}
	return diff, nil
}

// countDesktopChange gives the desktops of the cluster their next revision.
func countDesktopChange(ctx context.Context, tx conn, cluster string) error {
	revision, err := next(ctx, tx, "revision")
	if err != nil {
		return err
	}
	if err := tx.one(ctx, `UPDATE clusters SET desktops_revision = $1 WHERE name = $2`, revision, cluster); err != nil {
		return fmt.Errorf("cluster %q: %w", cluster, err)
	}
	return nil
}

// desktopsAtOnce is how many desktops one statement takes, far below the number
// of arguments that either database allows.
const desktopsAtOnce = 200

func (s *Store) writeDesktops(ctx context.Context, tx conn, cluster string, list []fleet.Desktop) error {
	now := moment(s.now())
	for part := range slices.Chunk(list, desktopsAtOnce) {
		args := make([]any, 0, 6*len(part))
		for _, d := range part {
			args = append(args, cluster, d.VMID, d.Name, d.Note, now, now)
		}
		_, err := tx.exec(ctx, `INSERT INTO managed_desktops (cluster, vmid, name, note, created_at, updated_at) VALUES `+
			placeholders(len(part), 6)+` ON CONFLICT (cluster, vmid) DO UPDATE SET
			name = excluded.name, note = excluded.note, updated_at = excluded.updated_at`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func removeDesktops(ctx context.Context, tx conn, cluster string, vmids []int) error {
	for part := range slices.Chunk(vmids, desktopsAtOnce) {
		args := []any{cluster}
		numbers := make([]string, len(part))
		for i, vmid := range part {
			args = append(args, vmid)
			numbers[i] = fmt.Sprintf("$%d", len(args))
		}
		_, err := tx.exec(ctx, `DELETE FROM managed_desktops WHERE cluster = $1 AND vmid IN (`+strings.Join(numbers, ", ")+`)`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// placeholders gives ($1, $2), ($3, $4) for 2 rows of 2 columns.
func placeholders(rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteString(")")
	return b.String()
}
