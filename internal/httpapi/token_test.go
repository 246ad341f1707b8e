package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/auth"
)

const tokensPath = "/api/v1/tokens"

func TestTokens(t *testing.T) {
	w := newWorld(t)
	var made MadeToken
	w.do("POST", tokensPath, `{"name":"backup","role":"auditor","expires_at":"2026-11-10T10:00:00Z"}`, as("operator")).want(http.StatusCreated, "").decode(&made)
	if !strings.HasPrefix(made.Secret, "pa_") || made.Owner != "operator" || made.Role != "auditor" || made.UsedAt != nil {
		t.Errorf("%+v", made)
	}
	bearer := header("Authorization", "bearer "+made.Secret)
	var who Identity
	w.do("GET", sessionPath, "", bearer).want(http.StatusOK, "").decode(&who)
	if who.Name != "operator" || who.Role != "auditor" || who.Kind != "token" || !who.ExpiresAt.Equal(start.Add(time.Hour)) {
		t.Errorf("%+v", who)
	}
	if stored := w.store.tokens[auth.HashSecret(made.Secret)]; stored.Hash == made.Secret || !stored.UsedAt.Equal(start) {
		t.Errorf("stored %+v", stored)
	}
	w.pass(time.Hour)
	w.do("GET", sessionPath, "", bearer).want(http.StatusUnauthorized, codeUnauthenticated)
	if written := fmt.Sprint(w.store.audited()) + w.logged(); strings.Contains(written, made.Secret) {
		t.Error("the token is written down")
	}
	for who, count := range map[string]int{"auditor": 1, "operator": 2, "admin": 4} {
		var list Tokens
		w.do("GET", tokensPath, "", by(who)).want(http.StatusOK, "").decode(&list)
		if len(list.Tokens) != count {
			t.Errorf("%s sees %d tokens, want %d", who, len(list.Tokens), count)
		}
	}
	w.do("DELETE", tokensPath+"/"+made.ID, "", by("auditor")).want(http.StatusNotFound, "token_not_found")
	w.do("DELETE", tokensPath+"/"+made.ID, "", by("admin")).want(http.StatusNoContent, "")
	w.do("DELETE", tokensPath+"/"+made.ID, "", by("admin")).want(http.StatusNotFound, "token_not_found")
}

func TestTokenRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		who    func(*http.Request)
		status int
		code   string
	}{
		"higher role":   {`{"name":"x","role":"admin"}`, as("operator"), 403, codeForbidden},
		"by token":      {`{"name":"x","role":"auditor"}`, by("admin"), 403, codeSession},
		"past":          {`{"name":"x","role":"auditor","expires_at":"2026-11-10T09:00:00Z"}`, as("admin"), 422, codeInvalid},
		"no time":       {`{"name":"x","role":"auditor","expires_at":"tomorrow"}`, as("admin"), 422, codeInvalid},
		"line in name":  {`{"name":"x\ny","role":"auditor"}`, as("admin"), 422, codeInvalid},
		"blank name":    {`{"name":"  ","role":"auditor"}`, as("admin"), 422, codeInvalid},
		"too long name": {`{"name":"` + strings.Repeat("x", 101) + `","role":"auditor"}`, as("admin"), 422, codeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := len(w.store.tokens)
			w.do("POST", tokensPath, test.body, test.who).want(test.status, test.code)
			if len(w.store.tokens) != before {
				t.Error("a token was made")
			}
			if entries := w.store.audited(); test.status == http.StatusForbidden && (len(entries) != 1 || entries[0].Result != "refused") {
				t.Errorf("audit log %+v", entries)
			}
		})
	}
}

// TestTokenNeverExceedsItsOwner: the owner's role of today counts.
func TestTokenNeverExceedsItsOwner(t *testing.T) {
	w := newWorld(t)
	owner := w.store.admins["admin"]
	owner.Role = auth.Auditor
	w.store.admins["admin"] = owner
	w.do("POST", administratorsPath, `{}`, by("admin")).want(http.StatusForbidden, codeForbidden)
	w.do("GET", administratorsPath, "", by("admin")).want(http.StatusOK, "")
}

func TestAuthorizationHeader(t *testing.T) {
	for name, value := range map[string]string{
		"empty": "", "basic": "Basic YWRtaW46eA==", "no prefix": "Bearer admin", "unknown": "Bearer pa_unknown", "no scheme": "pa_admin",
		"cookie as token": "Bearer cookie-admin",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			got := w.do("GET", sessionPath, "", as("admin"), header("Authorization", value)).want(http.StatusUnauthorized, codeUnauthenticated)
			if got.Header().Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
		})
	}
	w := newWorld(t)
	w.do("GET", sessionPath, "", func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer pa_admin", "Bearer pa_admin"} }).
		want(http.StatusUnauthorized, codeUnauthenticated)
}
