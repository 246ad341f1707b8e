package store_test

import (
	"fmt"
	"testing"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// hostileTexts are kept as they are.
var hostileTexts = []string{
	`'; DROP TABLE clusters; --`, `" OR ""="`, `$1 ? :name @x`, `\'; --`, `%_*[a-z]`, "a\nb\r\n\t", `{"a":"\u0000"}`,
	"\ufeffZoë 桌面 🖥\u202e", "NULL", "\x01\x7f", `\u0000\ufffd`,
}

// refusedTexts are refused, by both databases with the same error.
var refusedTexts = []string{"a\x00b", "\xff", "a\xc3", "\xed\xa0\x80"}

// writers write one text into one field, and read it again.
var writers = map[string]func(t storetest.T, s *store.Store, number int, text string) (string, error){
	"administrator name": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		name := fmt.Sprint(n, text)
		if err := s.CreateAdministrator(t.Context(), admin(name), done()); err != nil {
			return "", err
		}
		a, err := s.Administrator(t.Context(), name)
		return a.Name[len(fmt.Sprint(n)):], err
	},
	"administrator subject": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		a := admin(fmt.Sprint("subject", n))
		a.Subject = text
		if err := s.CreateAdministrator(t.Context(), a, done()); err != nil {
			return "", err
		}
		a, err := s.AdministratorBySubject(t.Context(), text)
		return a.Subject, err
	},
	"session address and agent": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		one := session(fmt.Sprint("session", n), "zoe")
		one.Address, one.Agent = "x", text
		if err := s.CreateSession(t.Context(), one, done()); err != nil {
			return "", err
		}
		one, _, err := s.Session(t.Context(), one.Hash)
		return one.Agent, err
	},
	"token name": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		one := token(fmt.Sprint("token", n), "zoe")
		one.Name = text
		if err := s.CreateToken(t.Context(), one, done()); err != nil {
			return "", err
		}
		one, _, err := s.TokenByHash(t.Context(), one.Hash)
		return one.Name, err
	},
	"attempt address": func(t storetest.T, s *store.Store, _ int, text string) (string, error) {
		if err := s.AddFailure(t.Context(), "zoe", text, storetest.Start()); err != nil {
			return "", err
		}
		a, err := s.Attempts(t.Context(), "zoe", text, storetest.Start())
		if a.ByPair != 1 {
			return fmt.Sprint(a), err
		}
		return text, err
	},
	"desktop name": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putDesktop(t, s, desktop(100+n, text, ""), func(d fleet.Desktop) string { return d.Name })
	},
	"desktop note": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putDesktop(t, s, desktop(1000+n, "", text), func(d fleet.Desktop) string { return d.Note })
	},
	"cluster name": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: text + fmt.Sprint(n)}, func(c fleet.Cluster) string { return c.Name[:len(text)] })
	},
	"cluster entry": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: fmt.Sprint("entry", n), Entries: []string{"", text}}, func(c fleet.Cluster) string { return c.Entries[1] })
	},
	"cluster node": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: fmt.Sprint("node", n), NodeAddresses: map[string]string{text: text}},
			func(c fleet.Cluster) string { return c.NodeAddresses[text] })
	},
	"cluster CA": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: fmt.Sprint("ca", n), TLS: fleet.TLS{CAs: text}}, func(c fleet.Cluster) string { return c.TLS.CAs })
	},
	"cluster fingerprint": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: fmt.Sprint("print", n), TLS: fleet.TLS{Fingerprints: []string{text}}},
			func(c fleet.Cluster) string { return c.TLS.Fingerprints[0] })
	},
	"cluster token and tag": func(t storetest.T, s *store.Store, n int, text string) (string, error) {
		return putCluster(t, s, fleet.Cluster{Name: fmt.Sprint("tag", n), TokenID: text, DesktopTag: text},
			func(c fleet.Cluster) string { return c.DesktopTag })
	},
}

func putDesktop(t testing.TB, s *store.Store, d fleet.Desktop, field func(fleet.Desktop) string) (string, error) {
	t.Helper()
	if _, err := s.PutDesktop(t.Context(), d, done()); err != nil {
		return "", err
	}
	for _, stored := range got(s.Desktops(t.Context(), "lab"))(t) {
		if stored.VMID == d.VMID {
			return field(stored), nil
		}
	}
	return "", store.ErrNotFound
}

func putCluster(t testing.TB, s *store.Store, c fleet.Cluster, field func(fleet.Cluster) string) (string, error) {
	t.Helper()
	if _, err := s.CreateCluster(t.Context(), c, "secret", done()); err != nil {
		return "", err
	}
	stored, err := s.Cluster(t.Context(), c.Name)
	if err != nil {
		return "", err
	}
	return field(stored), nil
}

func TestTexts(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "zoe", auth.Admin)
		addLab(t, s)
		for field, write := range writers {
			for i, text := range hostileTexts {
				if have, err := write(t, s, i, text); err != nil || have != text {
					t.Errorf("%s: %q gives %q, %v", field, text, have, err)
				}
			}
			for i, text := range refusedTexts {
				_, err := write(t, s, 500+i, text)
				is(t, err, store.ErrInvalidText)
			}
		}
		// A secret is sealed, and any text.
		for i, text := range append(hostileTexts, refusedTexts...) {
			c := lab()
			c.Name = fmt.Sprint("sealed", i)
			got(s.CreateCluster(t.Context(), c, text, done()))(t)
			same(t, got(s.ClusterSecret(t.Context(), c.Name))(t), text)
		}
	})
}

// Whatever a request held, its refusal is noted.
func TestAuditTakesEveryText(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		entry := func(text string) fleet.AuditEntry {
			return fleet.AuditEntry{
				At: storetest.Start(), Actor: text, ActorKind: fleet.Nobody, Address: text, RequestID: text, Action: text, Object: text,
				After: map[string]any{"name": text}, Result: fleet.Refused, Reason: text,
			}
		}
		for i, text := range hostileTexts {
			want := entry(text)
			ok(t, s.AppendAudit(t.Context(), want))
			want.ID = int64(i + 1)
			same(t, entries(t, s, store.AuditFilter{Limit: 1}), []fleet.AuditEntry{want})
			same(t, len(entries(t, s, store.AuditFilter{Actor: text, Object: text})), 1)
		}
		for text, want := range map[string]string{"a\x00b": "a\ufffdb", "\xff": "\ufffd", "a\xc3": "a\ufffd"} {
			ok(t, s.AppendAudit(t.Context(), entry(text)))
			same(t, entries(t, s, store.AuditFilter{Limit: 1})[0].Object, want)
		}
	})
}

func TestQuestionsWithRefusedTexts(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		for _, text := range refusedTexts {
			_, err := s.Administrator(t.Context(), text)
			is(t, err, store.ErrInvalidText)
			_, err = s.Desktops(t.Context(), text)
			is(t, err, store.ErrInvalidText)
			_, _, err = s.Audit(t.Context(), store.AuditFilter{Actor: text})
			is(t, err, store.ErrInvalidText)
			is(t, s.DeleteCluster(t.Context(), text, done()), store.ErrInvalidText)
		}
	})
}
