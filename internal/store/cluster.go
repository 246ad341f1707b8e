package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"pciatlas/internal/fleet"
)

const clusterColumns = `name, entries, node_addresses, cas, fingerprints, token_id, changes, desktop_tag, limits,
	revision, created_at, updated_at`

func clusterFields(c *fleet.Cluster) []any {
	return into(&c.Name, documentInto{&c.Entries}, documentInto{&c.NodeAddresses}, &c.TLS.CAs, documentInto{&c.TLS.Fingerprints},
		&c.TokenID, &c.Changes, &c.DesktopTag, documentInto{&c.Limits}, &c.Revision, at(&c.CreatedAt), at(&c.UpdatedAt))
}

// Clusters gives all of them by name.
func (s *Store) Clusters(ctx context.Context) ([]fleet.Cluster, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	found, err := rows(ctx, s.db, clusterFields, `SELECT `+clusterColumns+` FROM clusters`)
	slices.SortFunc(found, func(a, b fleet.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	return found, err
}

// Cluster gives ErrNotFound if there is none of that name.
func (s *Store) Cluster(ctx context.Context, name string) (fleet.Cluster, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var found fleet.Cluster
	err := s.hotRow(ctx, clusterFields(&found), clusterQuery, name)
	if err != nil {
		return fleet.Cluster{}, fmt.Errorf("cluster %q: %w", name, err)
	}
	return found, nil
}

const clusterQuery = `SELECT ` + clusterColumns + ` FROM clusters WHERE name = $1`

func cluster(ctx context.Context, c conn, name string) (fleet.Cluster, error) {
	var found fleet.Cluster
	err := c.row(ctx, clusterFields(&found), clusterQuery, name)
	return found, err
}

// CreateCluster seals the secret of the token and gives the cluster as it is
// stored, with its revision. ErrExists if the name is taken.
func (s *Store) CreateCluster(ctx context.Context, c fleet.Cluster, secret string, audit fleet.AuditEntry) (fleet.Cluster, error) {
	c.CreatedAt = orNow(c.CreatedAt, s.now())
	return s.storeCluster(ctx, c.Name, audit, func(ctx context.Context, tx conn, revision int64) error {
		sealed, err := s.seal(c.Name, c.TokenID, secret)
		if err != nil {
			return err
		}
		settings, err := s.clusterSettings(c)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `INSERT INTO clusters
			(entries, node_addresses, cas, fingerprints, token_id, changes, desktop_tag, limits, updated_at,
			name, secret, revision, desktops_revision, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			append(settings, c.Name, sealed, revision, revision, moment(c.CreatedAt))...)
		return err
	})
}

// UpdateCluster replaces everything but name and creation, and gives the cluster
// as it is stored, with its new revision. A nil secret keeps the stored one, which
// needs the same token id (ErrSecretNeeded). ErrConflict if the stored revision is
// not ifRevision.
func (s *Store) UpdateCluster(ctx context.Context, c fleet.Cluster, secret *string, ifRevision int64, audit fleet.AuditEntry) (fleet.Cluster, error) {
	return s.storeCluster(ctx, c.Name, audit, func(ctx context.Context, tx conn, revision int64) error {
		before, err := cluster(ctx, tx, c.Name)
		switch {
		case err != nil:
			return err
		case before.Revision != ifRevision:
			return ErrConflict
		case secret == nil && before.TokenID != c.TokenID:
			return ErrSecretNeeded
		}
		settings, err := s.clusterSettings(c)
		if err != nil {
			return err
		}
		err = tx.one(ctx, `UPDATE clusters SET entries = $1, node_addresses = $2, cas = $3, fingerprints = $4,
			token_id = $5, changes = $6, desktop_tag = $7, limits = $8, updated_at = $9, revision = $10 WHERE name = $11`,
			append(settings, revision, c.Name)...)
		if err != nil || secret == nil {
			return err
		}
		return s.storeSecret(ctx, tx, c.Name, c.TokenID, *secret)
	})
}

// storeCluster runs write with the next revision, and reads what it wrote.
func (s *Store) storeCluster(ctx context.Context, name string, audit fleet.AuditEntry, write func(context.Context, conn, int64) error) (fleet.Cluster, error) {
	var stored fleet.Cluster
	err := s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		revision, err := next(ctx, tx, "revision")
		if err != nil {
			return err
		}
		if err := write(ctx, tx, revision); err != nil {
			return fmt.Errorf("cluster %q: %w", name, err)
		}
		stored, err = cluster(ctx, tx, name)
		return err
	})
	if err != nil {
		return fleet.Cluster{}, err
	}
	return stored, nil
}

// clusterSettings gives the values of the columns that an update replaces.
func (s *Store) clusterSettings(c fleet.Cluster) ([]any, error) {
	if err := checkText(slices.Concat(c.Entries, c.TLS.Fingerprints,
		slices.Collect(maps.Keys(c.NodeAddresses)), slices.Collect(maps.Values(c.NodeAddresses)))...); err != nil {
		return nil, err
	}
	var documents [4]string
	for i, value := range []any{c.Entries, c.NodeAddresses, c.TLS.Fingerprints, c.Limits} {
		var err error
		if documents[i], err = document(value); err != nil {
			return nil, err
		}
	}
	return []any{documents[0], documents[1], c.TLS.CAs, documents[2], c.TokenID, c.Changes, c.DesktopTag, documents[3], moment(s.now())}, nil
}

// DeleteCluster removes the cluster, its token and its desktops.
func (s *Store) DeleteCluster(ctx context.Context, name string, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := tx.one(ctx, `DELETE FROM clusters WHERE name = $1`, name); err != nil {
			return fmt.Errorf("cluster %q: %w", name, err)
		}
		return nil
	})
}
