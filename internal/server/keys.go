package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/store"
)

// refuseNewKeyring gives an error if the keyring is not there although the database
// holds tokens that were sealed with it: a new one would open none of them.
func refuseNewKeyring(ctx context.Context, settings *config.Config, now func() time.Time) error {
	if _, err := os.Stat(settings.KeyFile); !errors.Is(err, fs.ErrNotExist) {
		return nil // whoever opens it says what is wrong with it
	}
	opened, err := openDatabase(ctx, settings, nil, now)
	if err != nil {
		return err
	}
	_, closed, err := opened.CheckTokens(ctx)
	if err = errors.Join(err, opened.Close()); err != nil || len(closed) == 0 {
		return err
	}
	return fmt.Errorf("the keyring %[1]s is not there, and the tokens of clusters in the database (%[2]s) are sealed with a key of it: "+
		"put it back from its copy, or from another server of this database, or name it with --key-file. "+
		"If it is lost for good, make a new one with "+
		"`(umask 077; echo \"new $(head -c 32 /dev/urandom | base64)\" > %[1]s)` and enter these tokens again",
		settings.KeyFile, strings.Join(closed, ", "))
}

// closedTokensError says that the keyring opens none of the tokens.
type closedTokensError struct{ text string }

func (e *closedTokensError) Error() string { return e.text }

// ErrorCode names what is wrong for programs.
func (*closedTokensError) ErrorCode() string { return "keyring_unfit" }

// PublicDetail gives the sentence for everybody; it names no file.
func (*closedTokensError) PublicDetail() string {
	return "The keyring does not open the stored tokens of the clusters: put the right one back, or enter the tokens again."
}

// checkTokens gives an error if there are tokens and the keyring opens none of them.
// Some that it does not open are of clusters that were restored without theirs.
func checkTokens(ctx context.Context, s *store.Store, keyFile string) (closed []string, err error) {
	stored, closed, err := s.CheckTokens(ctx)
	if err != nil || len(closed) == 0 || len(closed) < stored {
		return closed, err
	}
	return closed, &closedTokensError{fmt.Sprintf("the keyring %s opens none of the stored tokens of clusters (%s): "+
		"it is that of another server; put the right one in its place, or enter these tokens again", keyFile, strings.Join(closed, ", "))}
}

// warnOfClosedTokens logs at the start which clusters cannot be read.
func (s *Server) warnOfClosedTokens(ctx context.Context) error {
	closed, err := checkTokens(ctx, s.store, s.options.Config.KeyFile)
	if told, ok := errors.AsType[*closedTokensError](err); ok {
		s.options.Logger.Error(told.text)
		return nil // signing in is possible, and so is entering the tokens
	}
	if len(closed) > 0 {
		s.options.Logger.Error("the keyring does not open the tokens of some clusters: put the right one back, or enter these tokens again",
			"keyring", s.options.Config.KeyFile, "clusters", closed)
	}
	return err
}

// checkEvery is how often a server that is asked whether it is ready looks whether
// it can write, and whether the keyring fits.
const checkEvery = 10 * time.Second

// readiness remembers the last look.
type readiness struct {
	mu    sync.Mutex
	until time.Time
	err   error
}

// check looks, unless somebody did so lately.
func (r *readiness) check(now time.Time, look func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.until.Sub(now); left <= 0 || left > checkEvery {
		r.err, r.until = look(), now.Add(checkEvery)
	}
	return r.err
}

// Ping says whether the server is of use: the database answers and takes changes,
// and the keyring belongs to it.
func (s storage) Ping(ctx context.Context) error {
	if err := s.Store.Ping(ctx); err != nil {
		return err
	}
	return s.clusters.ready.check(s.clusters.now(), func() error {
		// The look serves others, too: it goes on if this caller leaves.
		ctx := context.WithoutCancel(ctx)
		if err := s.CheckWritable(ctx); err != nil {
			return err
		}
		_, err := checkTokens(ctx, s.Store, s.clusters.settings.KeyFile)
		return err
	})
}
