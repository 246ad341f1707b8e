package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

const sessionPath = "/api/v1/session"

func credentials(name, password string) string {
	return fmt.Sprintf(`{"name":%q,"password":%q}`, name, password)
}

func TestSignIn(t *testing.T) {
	w := newWorld(t)
	got := w.do("POST", sessionPath, credentials("Admin", password), header("User-Agent", "browser\x07\u202e")).want(http.StatusOK, "")
	var who Identity
	got.decode(&who)
	if who.Name != "admin" || who.Role != "admin" || who.Kind != "session" || !who.ExpiresAt.Equal(start.Add(auth.SessionIdle)) {
		t.Errorf("signed in as %+v", who)
	}
	cookie := got.cookie()
	session, stored := w.store.sessions[auth.HashSecret(cookie.Value)]
	if !stored || session.Address != "192.0.2.1" || session.Agent != "browser" {
		t.Errorf("session %+v", session)
	}
	if len(cookie.Value) < 43 {
		t.Errorf("the cookie %q can be guessed", cookie.Value)
	}
	w.do("GET", sessionPath, "", withCookie(cookie.Name, cookie.Value)).want(http.StatusOK, "")
	entry := w.store.audited()[0]
	if entry.Action != "session.create" || entry.Actor != "admin" || entry.ActorKind != fleet.Person || entry.Result != fleet.Done ||
		entry.Address != "192.0.2.1" || entry.RequestID != got.Header().Get("X-Request-Id") || !entry.At.Equal(start) {
		t.Errorf("audit entry %+v", entry)
	}
}

func TestSignInFails(t *testing.T) {
	var first string
	for name, given := range map[string]struct{ name, password, object string }{
		"wrong password": {"admin", "wrong", "administrator admin"},
		"unknown name":   {"hunter2-typed-into-the-wrong-field", "x", "unknown name"},
		"impossible":     {"no such\r\nname", "x", "unknown name"},
		"without hash":   {"oidc", "x", "administrator oidc"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.store.admins["oidc"] = auth.Administrator{Name: "oidc", Role: auth.Admin, Subject: "issuer|1"}
			body := strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(`{"name":"` + given.name + `","password":"` + given.password + `"}`)
			got := w.do("POST", sessionPath, body).want(http.StatusUnauthorized, codeSignIn)
			p := got.problem()
			if first == "" {
				first = p.Detail
			}
			if p.Detail != first || len(p.Errors) > 0 {
				t.Errorf("the answer tells why: %s", got.Body)
			}
			if w.verified != 1 {
				t.Errorf("%d passwords were compared, want one as ever", w.verified)
			}
			if len(got.Result().Cookies()) > 0 {
				t.Error("a cookie is set")
			}
			entry := w.store.audited()[0]
			if entry.Action != "session.create" || entry.ActorKind != fleet.Nobody || entry.Actor != "" ||
				entry.Object != given.object || entry.Result != fleet.Refused {
				t.Errorf("audit entry %+v", entry)
			}
			if written := w.logged() + fmt.Sprint(w.store.audited()); strings.Contains(written, "hunter2") {
				t.Errorf("what was typed is written down: %s", written)
			}
		})
	}
}

func TestSignInIsThrottled(t *testing.T) {
	w := newWorld(t)
	fail := credentials("admin", "wrong")
	for range 5 {
		w.do("POST", sessionPath, fail).want(http.StatusUnauthorized, codeSignIn)
	}
	compared := w.verified
	got := w.do("POST", sessionPath, credentials("admin", password)).want(http.StatusTooManyRequests, codeThrottled)
	if got.Header().Get("Retry-After") != "2" || w.verified != compared {
		t.Errorf("Retry-After %q; %d passwords compared", got.Header().Get("Retry-After"), w.verified-compared)
	}
	w.do("POST", sessionPath, credentials("admin", password), from("198.51.100.7:1")).want(http.StatusOK, "")
	w.pass(2 * time.Second)
	w.do("POST", sessionPath, credentials("admin", password)).want(http.StatusOK, "")
	w.do("POST", sessionPath, fail).want(http.StatusUnauthorized, codeSignIn)
}

func TestSignInCountsUnknownNamesAlike(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"ghost", "GHOST", "Ghost", "ghost", "ghost"} {
		w.do("POST", sessionPath, credentials(name, "wrong")).want(http.StatusUnauthorized, codeSignIn)
	}
	w.do("POST", sessionPath, credentials("ghost", "wrong")).want(http.StatusTooManyRequests, codeThrottled)
}

// TestSignInTakesNoCookieOver: whoever planted a cookie must not share the session.
func TestSignInTakesNoCookieOver(t *testing.T) {
	w := newWorld(t)
	planted := withCookie("pciatlas", "planted-by-somebody")
	got := w.do("POST", sessionPath, credentials("admin", password), planted).want(http.StatusOK, "")
	if got.cookie().Value == "planted-by-somebody" {
		t.Error("the planted cookie was taken over")
	}
	w.do("GET", sessionPath, "", planted).want(http.StatusUnauthorized, codeUnauthenticated)

	w.do("POST", sessionPath, credentials("admin", password), as("auditor")).want(http.StatusOK, "")
	w.do("GET", sessionPath, "", as("auditor")).want(http.StatusUnauthorized, codeUnauthenticated)
}

func TestSignInWhileThePasswordChanges(t *testing.T) {
	w := newWorld(t)
	w.api.Store = changingStore{w.store}
	w.do("POST", sessionPath, credentials("operator", password)).want(http.StatusUnauthorized, codeSignIn)
	for _, session := range w.store.sessions {
		if session.Name == "operator" && session.Agent != "" {
			t.Errorf("a session with the old password remains: %+v", session)
		}
	}
}

// changingStore changes the password right before a session is made.
type changingStore struct{ *fakeStore }

func (s changingStore) CreateSession(ctx context.Context, session auth.Session, entry fleet.AuditEntry) error {
	session.Agent = "new"
	admin := s.admins[session.Name]
	admin.Hash = "plain:another"
	s.admins[session.Name] = admin
	return s.fakeStore.CreateSession(ctx, session, entry)
}

// TestOutdatedHash: a sign-in stores a hash of today's parameters, and sessions go on.
func TestOutdatedHash(t *testing.T) {
	w := newWorld(t)
	set := func(hash string) {
		admin := w.store.admins["operator"]
		admin.Hash = hash
		w.store.admins["operator"] = admin
	}
	set("old:" + password)
	w.do("POST", sessionPath, credentials("operator", "wrong")).want(http.StatusUnauthorized, codeSignIn)
	if w.store.admins["operator"].Hash != "old:"+password {
		t.Error("a wrong password was hashed")
	}
	w.do("POST", sessionPath, credentials("operator", password)).want(http.StatusOK, "")
	if ok, outdated := auth.VerifyPassword(w.store.admins["operator"].Hash, password); !ok || outdated {
		t.Errorf("stored: %s", w.store.admins["operator"].Hash)
	}
	w.do("GET", sessionPath, "", as("operator")).want(http.StatusOK, "")
	w.do("POST", sessionPath, credentials("operator", password)).want(http.StatusOK, "")

	for after, want := range map[string]int{"plain:" + password: http.StatusOK, "plain:another": http.StatusUnauthorized} {
		set("old:" + password)
		w.api.Store = hastyStore{w.store, after}
		w.do("POST", sessionPath, credentials("operator", password)).want(want, map[int]string{http.StatusUnauthorized: codeSignIn}[want])
	}
}

// hastyStore has another hash by the time that one is to be renewed.
type hastyStore struct {
	*fakeStore

	hash string
}

func (s hastyStore) RehashPassword(ctx context.Context, name, before, after string) error {
	admin := s.admins[name]
	admin.Hash = s.hash
	s.admins[name] = admin
	return s.fakeStore.RehashPassword(ctx, name, before, after)
}

func TestCookieFlags(t *testing.T) {
	proxy := func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }
	always := func(o *Options) { o.SecureCookies = true }
	https := header("X-Forwarded-Proto", "https")
	for name, test := range map[string]struct {
		url    string
		option func(*Options)
		edit   func(*http.Request)
		secure bool
	}{
		"plain":           {"http://host", nil, nil, false},
		"TLS":             {"https://host", nil, nil, true},
		"proxy":           {"http://host", proxy, https, true},
		"proxy without":   {"http://host", proxy, nil, false},
		"untrusted proxy": {"http://host", nil, https, false},
		"always":          {"http://host", always, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			option, edit := test.option, test.edit
			if option == nil {
				option = func(*Options) {}
			}
			if edit == nil {
				edit = func(*http.Request) {}
			}
			w := newWorld(t, option)
			cookie := w.do("POST", test.url+sessionPath, credentials("admin", password), edit).want(http.StatusOK, "").cookie()
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 0 {
				t.Errorf("cookie %+v", cookie)
			}
			if cookie.Secure != test.secure || strings.HasPrefix(cookie.Name, "__Host-") != test.secure {
				t.Errorf("cookie %s, secure %t, want %t", cookie.Name, cookie.Secure, test.secure)
			}
			w.do("GET", test.url+sessionPath, "", edit, withCookie(cookie.Name, cookie.Value)).want(http.StatusOK, "")
			other := cookieName(!test.secure)
			w.do("GET", test.url+sessionPath, "", edit, withCookie(other, cookie.Value)).want(http.StatusUnauthorized, "")
			twice := func(r *http.Request) { r.AddCookie(cookie); r.AddCookie(cookie) }
			w.do("GET", test.url+sessionPath, "", edit, twice).want(http.StatusOK, "")
		})
	}
}

func TestSessionEnds(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		w := newWorld(t)
		w.pass(auth.SessionIdle - time.Second)
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusOK, "")
		w.pass(auth.SessionIdle - time.Second)
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusOK, "")
		w.pass(auth.SessionIdle + time.Second)
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusUnauthorized, codeUnauthenticated)
	})
	t.Run("absolute", func(t *testing.T) {
		w := newWorld(t)
		for range 23 {
			w.pass(auth.SessionIdle / 2)
			w.do("GET", sessionPath, "", as("admin")).want(http.StatusOK, "")
		}
		var who Identity
		w.do("GET", sessionPath, "", as("admin")).decode(&who)
		if !who.ExpiresAt.Equal(start.Add(auth.SessionAbsolute)) {
			t.Errorf("ends %v", who.ExpiresAt)
		}
		w.pass(auth.SessionIdle / 2)
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusUnauthorized, codeUnauthenticated)
	})
	t.Run("clock set back", func(t *testing.T) {
		w := newWorld(t)
		w.pass(-2 * time.Hour)
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusUnauthorized, codeUnauthenticated)
	})
	t.Run("signed out", func(t *testing.T) {
		w := newWorld(t)
		cookie := w.do("DELETE", sessionPath, "", as("admin")).want(http.StatusNoContent, "").cookie()
		if cookie.Name != "pciatlas" || cookie.MaxAge >= 0 || cookie.Value != "" {
			t.Errorf("the cookie is not taken away: %+v", cookie)
		}
		w.do("GET", sessionPath, "", as("admin")).want(http.StatusUnauthorized, codeUnauthenticated)
		if entries := w.store.audited(); len(entries) != 1 || entries[0].Action != "session.delete" || entries[0].Actor != "admin" {
			t.Errorf("audit log %+v", entries)
		}
	})
	t.Run("token", func(t *testing.T) {
		w := newWorld(t)
		w.do("DELETE", sessionPath, "", by("admin")).want(http.StatusForbidden, codeSession)
	})
}

func TestChangePassword(t *testing.T) {
	const path, better = "/api/v1/session/password", "an even better password"
	change := func(current, wanted string) string { return fmt.Sprintf(`{"current":%q,"new":%q}`, current, wanted) }
	w := newWorld(t)
	w.store.sessions["other"] = auth.Session{Hash: "other", Name: "auditor", CreatedAt: start, UsedAt: start}
	w.do("PUT", path, change(password, better), by("auditor")).want(http.StatusForbidden, codeSession)
	for field, body := range map[string]string{
		"new": change(password, "short"), "current": change("wrong", better),
	} {
		p := w.do("PUT", path, body, as("auditor")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: %+v", field, p.Errors)
		}
	}
	w.do("PUT", path, change(password, better), as("auditor")).want(http.StatusNoContent, "")
	w.do("GET", sessionPath, "", as("auditor")).want(http.StatusOK, "")
	if _, remains := w.store.sessions["other"]; remains {
		t.Error("the other session goes on")
	}
	w.do("POST", sessionPath, credentials("auditor", better)).want(http.StatusOK, "")
	w.do("POST", sessionPath, credentials("auditor", password)).want(http.StatusUnauthorized, codeSignIn)
	written := fmt.Sprint(w.store.audited()) + w.logged()
	for _, secret := range []string{better, password, "$argon2"} {
		if strings.Contains(written, secret) {
			t.Errorf("%q is written down", secret)
		}
	}
}

// TestPasswordsAreHashedFewAtATime: an attacker must not take all memory.
func TestPasswordsAreHashedFewAtATime(t *testing.T) {
	entered, proceed := make(chan struct{}, 100), make(chan struct{})
	w := newWorld(t, func(o *Options) {
		o.VerifyPassword = func(string, string) (bool, bool) {
			entered <- struct{}{}
			<-proceed
			return false, false
		}
	})
	const all = maxHashing + maxWaiting
	codes := make(chan int, all)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			codes <- w.do("POST", sessionPath, credentials(fmt.Sprintf("name%d", i), "x"), from(fmt.Sprintf("198.51.100.%d:1", i+1))).Code
		})
	}
	timeout, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range maxHashing {
		select {
		case <-entered:
		case <-timeout.Done():
			t.Fatal("no password is compared")
		}
	}
	for len(w.api.passwords.wait) < all {
		if timeout.Err() != nil {
			t.Fatal("they do not wait")
		}
		runtime.Gosched()
	}
	got := w.do("POST", sessionPath, credentials("late", "x")).want(http.StatusTooManyRequests, codeBusy)
	if got.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if len(entered) > 0 {
		t.Error("more than allowed are hashed at a time")
	}
	close(proceed)
	group.Wait()
	for range all {
		if code := <-codes; code != http.StatusUnauthorized {
			t.Errorf("status %d", code)
		}
	}
}
