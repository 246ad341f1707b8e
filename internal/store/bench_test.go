package store_test

import (
	"testing"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func bench(b *testing.B, run func(s *store.Store) error) {
	b.Helper()
	for _, kind := range storetest.Kinds() {
		b.Run(string(kind), func(b *testing.B) {
			s := storetest.Open(b, kind)
			must := func(err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			must(s.CreateAdministrator(b.Context(), auth.Administrator{Name: "zoe", Role: auth.Admin, Hash: "h"}, done()))
			must(s.CreateSession(b.Context(), session("h", "zoe"), done()))
			_, err := s.CreateCluster(b.Context(), fleet.Cluster{Name: "lab"}, "", done())
			must(err)
			b.ReportAllocs()
			for b.Loop() {
				must(run(s))
			}
		})
	}
}

func BenchmarkSession(b *testing.B) {
	bench(b, func(s *store.Store) error {
		_, _, err := s.Session(b.Context(), "h")
		return err
	})
}

func BenchmarkDesktopsRevision(b *testing.B) {
	bench(b, func(s *store.Store) error {
		_, err := s.DesktopsRevision(b.Context(), "lab")
		return err
	})
}

func BenchmarkCluster(b *testing.B) {
	bench(b, func(s *store.Store) error {
		_, err := s.Cluster(b.Context(), "lab")
		return err
	})
}

func BenchmarkAppendAudit(b *testing.B) {
	bench(b, func(s *store.Store) error { return s.AppendAudit(b.Context(), done()) })
}
