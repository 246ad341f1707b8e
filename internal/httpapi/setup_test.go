package httpapi

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"pciatlas/internal/auth"
)

const setupPath = "/api/v1/setup"

// newEmptyWorld is a world that nobody has set up; its link is "link".
func newEmptyWorld(t *testing.T, edits ...func(*Options)) *world {
	t.Helper()
	w := newWorld(t, edits...)
	clear(w.store.admins)
	clear(w.store.sessions)
	clear(w.store.tokens)
	w.store.setup = auth.HashSecret("link")
	return w
}

func setupBody(token, name, password string) string {
	return fmt.Sprintf(`{"token":%q,"name":%q,"password":%q}`, token, name, password)
}

func TestSetup(t *testing.T) {
	w := newEmptyWorld(t)
	var options SignInOptions
	w.do("GET", "/api/v1/sign-in", "").want(http.StatusOK, "").decode(&options)
	if !options.SetupNeeded || !options.Password || options.OIDC.Value != nil || len(options.DemoAccounts) > 0 {
		t.Errorf("options %+v", options)
	}
	w.do("POST", setupPath, setupBody("other", "first", password)).want(http.StatusUnauthorized, codeSetupToken)
	w.do("POST", setupPath, setupBody("link", "first", "short")).want(http.StatusUnprocessableEntity, codeInvalid)
	w.do("POST", setupPath, setupBody("link", "n o", password)).want(http.StatusUnprocessableEntity, codeInvalid)
	cookie := w.do("POST", setupPath, setupBody("link", "First", password)).want(http.StatusOK, "").cookie()

	var who Identity
	w.do("GET", sessionPath, "", withCookie(cookie.Name, cookie.Value)).want(http.StatusOK, "").decode(&who)
	if who.Name != "first" || who.Role != "admin" {
		t.Errorf("signed in as %+v", who)
	}
	w.do("POST", setupPath, setupBody("link", "second", password)).want(http.StatusConflict, codeSetupDone)
	w.do("GET", "/api/v1/sign-in", "").decode(&options)
	if options.SetupNeeded {
		t.Error("set-up is still offered")
	}
	var actions []string
	for _, entry := range w.store.audited() {
		actions = append(actions, entry.Action+" "+string(entry.Result))
	}
	if fmt.Sprint(actions) != "[setup.complete refused setup.complete done session.create done]" {
		t.Errorf("audit log %v", actions)
	}
}

func TestSetupIsThrottled(t *testing.T) {
	w := newEmptyWorld(t)
	for range 5 {
		w.do("POST", setupPath, setupBody("guess", "first", password)).want(http.StatusUnauthorized, codeSetupToken)
	}
	w.do("POST", setupPath, setupBody("link", "first", password)).want(http.StatusTooManyRequests, codeThrottled)
	w.pass(2 * time.Second)
	w.do("POST", setupPath, setupBody("link", "first", password)).want(http.StatusOK, "")
}

func TestSignInOptions(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.OIDC = &OIDC{Name: "Example"}
		o.DemoAccounts = []DemoAccount{{"admin", auth.Admin, "demo-only"}}
	})
	var options SignInOptions
	w.do("GET", "/api/v1/sign-in", "").want(http.StatusOK, "").decode(&options)
	if options.SetupNeeded || options.OIDC.Value == nil || options.OIDC.Value.URL != "/auth/oidc/start" ||
		len(options.DemoAccounts) != 1 || options.DemoAccounts[0].Password != "demo-only" {
		t.Errorf("options %+v", options)
	}
}
