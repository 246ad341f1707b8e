package httpapi

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"time"

	"pciatlas/internal/fleet"
)

// deadlineWriter notes the deadlines for reading.
type deadlineWriter struct {
	*httptest.ResponseRecorder

	set []string
}

func (w *deadlineWriter) SetReadDeadline(deadline time.Time) error {
	if deadline.IsZero() {
		w.set = append(w.set, "zero")
	} else {
		w.set = append(w.set, "some time")
	}
	return nil
}

// lateBody never arrives.
type lateBody struct{}

func (lateBody) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// deafStore keeps no audit entries of its own.
type deafStore struct{ *fakeStore }

func (deafStore) AppendAudit(context.Context, fleet.AuditEntry) error { return errors.New("disk full") }
