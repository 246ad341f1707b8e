package store_test

import (
	"fmt"
	"testing"
	"time"

	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func desktop(vmid int, name, note string) fleet.Desktop {
	return fleet.Desktop{Cluster: "lab", VMID: vmid, Name: name, Note: note, CreatedAt: storetest.Start(), UpdatedAt: storetest.Start()}
}

func TestDesktops(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		now := storetest.Start()
		place.Now = func() time.Time { return now }
		s := place.Open(t)
		addLab(t, s)
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop(nil))

		same(t, got(s.PutDesktop(t.Context(), desktop(1000, "late", ""), done()))(t), true)
		same(t, got(s.PutDesktop(t.Context(), desktop(200, "early", "a note\nof two lines"), done()))(t), true)
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{desktop(200, "early", "a note\nof two lines"), desktop(1000, "late", "")})

		now = now.Add(time.Minute)
		same(t, got(s.PutDesktop(t.Context(), desktop(200, "renamed", ""), done()))(t), false)
		renamed := desktop(200, "renamed", "")
		renamed.UpdatedAt = now
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{renamed, desktop(1000, "late", "")})

		ok(t, s.DeleteDesktop(t.Context(), "lab", 1000, done()))
		is(t, s.DeleteDesktop(t.Context(), "lab", 1000, done()), store.ErrNotFound)
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{renamed})

		ok(t, s.DeleteCluster(t.Context(), "lab", done()))
		addLab(t, s)
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop(nil))
	})
}

func TestDesktopsOfAnUnknownCluster(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		_, err := s.Desktops(t.Context(), "lab")
		is(t, err, store.ErrNotFound)
		_, err = s.DesktopsRevision(t.Context(), "lab")
		is(t, err, store.ErrNotFound)
		_, err = s.PutDesktop(t.Context(), desktop(100, "a", ""), done())
		is(t, err, store.ErrNotFound)
		is(t, s.DeleteDesktop(t.Context(), "lab", 100, done()), store.ErrNotFound)
		_, _, _, err = s.ImportDesktops(t.Context(), "lab", nil, true, done())
		is(t, err, store.ErrNotFound)
	})
}

func TestDesktopsRevision(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addLab(t, s)
		last := got(s.DesktopsRevision(t.Context(), "lab"))(t)
		for _, step := range []struct {
			name  string
			act   func() error
			grows bool
		}{
			{"put", func() error { _, err := s.PutDesktop(t.Context(), desktop(100, "a", ""), done()); return err }, true},
			{"import of the same", func() error {
				_, _, _, err := s.ImportDesktops(t.Context(), "lab", []fleet.Desktop{desktop(100, "a", "")}, true, done())
				return err
			}, false},
			{"import of another", func() error {
				_, _, _, err := s.ImportDesktops(t.Context(), "lab", []fleet.Desktop{desktop(101, "b", "")}, false, done())
				return err
			}, true},
			{"delete", func() error { return s.DeleteDesktop(t.Context(), "lab", 100, done()) }, true},
			{"delete in vain", func() error { is(t, s.DeleteDesktop(t.Context(), "lab", 100, done()), store.ErrNotFound); return nil }, false},
		} {
			ok(t, step.act())
			now := got(s.DesktopsRevision(t.Context(), "lab"))(t)
			if grows := now > last; grows != step.grows {
				t.Errorf("%s: revision %d after %d", step.name, now, last)
			}
			last = now
		}
	})
}

func TestImportDesktops(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addLab(t, s)
		load := func(replace bool, list ...fleet.Desktop) [3]int {
			t.Helper()
			created, changed, removed, err := s.ImportDesktops(t.Context(), "lab", list, replace, done())
			ok(t, err)
			return [3]int{created, changed, removed}
		}
		a, b, c := desktop(100, "a", ""), desktop(101, "b", ""), desktop(102, "c", "note")
		same(t, load(false, b, a), [3]int{2, 0, 0})
		same(t, load(false, b, c), [3]int{1, 0, 0})
		b.Name = "other"
		same(t, load(false, b, c), [3]int{0, 1, 0})
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{a, b, c})
		d := desktop(103, "d", "")
		same(t, load(true, c, d), [3]int{1, 0, 2})
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{c, d})

		entry := entries(t, s, store.AuditFilter{Limit: 1})[0]
		same(t, entry.After, map[string]any{"created": 1.0, "changed": 0.0, "removed": 2.0})
		if _, _, _, err := s.ImportDesktops(t.Context(), "lab", []fleet.Desktop{a, a}, true, done()); err == nil {
			t.Error("a VMID that stands in the list twice is taken")
		}
		_, _, _, err := s.ImportDesktops(t.Context(), "lab", []fleet.Desktop{a, desktop(104, "bad\x00", "")}, true, done())
		is(t, err, store.ErrInvalidText)
		same(t, got(s.Desktops(t.Context(), "lab"))(t), []fleet.Desktop{c, d})
		same(t, load(true), [3]int{0, 0, 2})
	})
}

func TestImportOfManyDesktops(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addLab(t, s)
		list := make([]fleet.Desktop, 10_000)
		for i := range list {
			list[i] = desktop(100+i, fmt.Sprint("desktop ", i), "")
		}
		created, _, _, err := s.ImportDesktops(t.Context(), "lab", list, true, done())
		ok(t, err)
		same(t, created, len(list))
		same(t, got(s.Desktops(t.Context(), "lab"))(t), list)
		_, _, removed, err := s.ImportDesktops(t.Context(), "lab", list[:1], true, done())
		ok(t, err)
		same(t, removed, len(list)-1)
	})
}
