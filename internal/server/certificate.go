package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateFiles are the certificate of the server and its key. They are looked at
// when a connection begins, and read again when one of them changed; as long as what
// is there cannot be used, the pair before stays.
type certificateFiles struct {
	cert, key string
	logger    *slog.Logger

	mu      sync.Mutex
	seen    [2]fileState // of the last attempt to read them
	current *tls.Certificate
}

// fileState tells whether a file changed; the zero value is a file that cannot be
// looked at.
type fileState struct {
	changed time.Time
	size    int64
}

// openCertificate reads the pair for the first time.
func openCertificate(cert, key string, logger *slog.Logger) (*certificateFiles, error) {
	f := &certificateFiles{cert: cert, key: key, logger: logger}
	f.seen = f.look()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate and its key cannot be used: %w", err)
	}
	f.current = &pair
	return f, nil
}

// get is for tls.Config.GetCertificate.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.look()
	if seen == f.seen {
		return f.current, nil
	}
	f.seen = seen
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		f.logger.Error("the certificate changed, but it and its key cannot be used; the one before stays in use", "error", err)
		return f.current, nil
	}
	f.current = &pair
	f.logger.Info("a new certificate is in use", "subject", pair.Leaf.Subject.String(), "not_after", pair.Leaf.NotAfter)
	return f.current, nil
}

func (f *certificateFiles) look() [2]fileState {
	var states [2]fileState
	for i, file := range []string{f.cert, f.key} {
		if info, err := os.Stat(file); err == nil {
			states[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return states
}
