package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/fleet"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/live"
	"pciatlas/internal/store"
)

// storage is the store as the interface wants it.
type storage struct {
	*store.Store

	live     *live.Live
	clusters *clusters
}

var _ httpapi.Store = storage{}

// Audit gives entries of the audit log, newest first.
func (s storage) Audit(ctx context.Context, filter httpapi.AuditFilter) (entries []fleet.AuditEntry, more bool, err error) {
	return s.Store.Audit(ctx, store.AuditFilter(filter))
}

// DeleteCluster also drops what metrics remember of the cluster.
func (s storage) DeleteCluster(ctx context.Context, name string, entry fleet.AuditEntry) error {
	if err := s.Store.DeleteCluster(ctx, name, entry); err != nil {
		return err
	}
	s.live.Forget(name)
	s.clusters.requests.forget(name)
	return nil
}

// OpenStore opens the database and the keyring that the settings name. It creates
// them, and the data folder, if they are not there; but no new keyring for tokens that
// are sealed with another one.
func OpenStore(ctx context.Context, settings *config.Config, now func() time.Time) (*store.Store, error) {
	if err := os.MkdirAll(settings.Data, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	if err := refuseNewKeyring(ctx, settings, now); err != nil {
		return nil, err
	}
	keyring, err := store.OpenKeyring(settings.KeyFile)
	if err != nil {
		return nil, err
	}
	return openDatabase(ctx, settings, keyring, now)
}

// OpenExisting opens a database that is there already: a wrong path is an error, not
// an empty database. With keys, the keyring has to be there, too; without, nothing
// can be done that needs the tokens of clusters.
func OpenExisting(ctx context.Context, settings *config.Config, now func() time.Time, keys bool) (*store.Store, error) {
	if path, ok := strings.CutPrefix(settings.Database.Reveal(), "sqlite:"); ok {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("there is no database to open: %w (name it with --data or --database)", err)
		}
	}
	if !keys {
		return openDatabase(ctx, settings, nil, now)
	}
	if _, err := os.Stat(settings.KeyFile); err != nil {
		return nil, fmt.Errorf("there is no keyring: %w (name it with --key-file)", err)
	}
	keyring, err := store.OpenKeyring(settings.KeyFile)
	if err != nil {
		return nil, err
	}
	return openDatabase(ctx, settings, keyring, now)
}

func openDatabase(ctx context.Context, settings *config.Config, keyring *store.Keyring, now func() time.Time) (*store.Store, error) {
	opened, err := store.Open(ctx, store.Options{
		Database: settings.Database.Reveal(), Keyring: keyring, Issuer: settings.OIDC.Issuer, Now: now,
	})
	if errors.Is(err, store.ErrUnavailable) {
		return nil, fmt.Errorf("%w; the database is %s, and `pciatlas config check` says where this setting comes from",
			oneLineError{err}, databaseName(settings))
	}
	return opened, err
}

// oneLineError is an error of a driver that spreads over several lines.
type oneLineError struct{ err error }

// Error gives the text in one line.
func (e oneLineError) Error() string { return strings.Join(strings.Fields(e.err.Error()), " ") }

// Unwrap gives the error.
func (e oneLineError) Unwrap() error { return e.err }

// databaseName names the database without a secret.
func databaseName(settings *config.Config) string {
	for _, row := range settings.Explain() {
		if row.Key == "database" && row.Value != "" {
			return row.Value
		}
	}
	return "that of the settings"
}
