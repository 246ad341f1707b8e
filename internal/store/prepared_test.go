package store_test

import (
	"sync"
	"testing"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// TestStatementsOfEveryRequest: they see each change at once, from many callers, and
// leave nothing open that would hold a change up or hide one of another process.
func TestStatementsOfEveryRequest(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s, other := place.Open(t), place.Open(t)
		addAdmin(t, s, "zoe", auth.Admin)
		addSession(t, s, "h", "zoe")
		addLab(t, s)
		for i := range 20 {
			_, err := other.PutDesktop(t.Context(), desktop(100+i, "desk", ""), done())
			ok(t, err)
			want := got(other.DesktopsRevision(t.Context(), "lab"))(t)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if revision, err := s.DesktopsRevision(t.Context(), "lab"); err != nil || revision != want {
						t.Errorf("revision %d, want %d: %v", revision, want, err)
					}
					if _, owner, err := s.Session(t.Context(), "h"); err != nil || owner.Name != "zoe" {
						t.Errorf("%+v, %v", owner, err)
					}
				})
			}
			all.Wait()
		}
		ok(t, other.DeleteSession(t.Context(), "h", done()))
		_, _, err := s.Session(t.Context(), "h")
		is(t, err, store.ErrNotFound)
		ok(t, s.Close())
		if _, err := s.DesktopsRevision(t.Context(), "lab"); err == nil {
			t.Error("a closed store answers")
		}
	})
}
