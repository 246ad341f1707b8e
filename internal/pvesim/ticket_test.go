package pvesim_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

func sprint(value any) string { return fmt.Sprint(value) }

func sortedJoin(words []string) string {
	slices.Sort(words)
	return strings.Join(words, ",")
}

func signIn(t testing.TB, w *writer, status string, params map[string]any) map[string]any {
	t.Helper()
	got := w.as(nil).expect(t, status, "POST", "/access/ticket", params)
	if got.code != http.StatusOK {
		if string(got.body) != `{"data":null,"message":"authentication failure\n"}` {
			t.Errorf("%v: %s", params, got.body)
		}
		return nil
	}
	return body[map[string]any](t, got.body)
}

const refusedSignIn = "401 authentication failure"

func TestSignIn(t *testing.T) {
	t.Parallel()
	_, w := vmWriter(t)
	for _, params := range []map[string]any{
		{"username": "root@pam", "password": "wrong"},
		{"username": "root@pam", "password": ""},
		{"username": "root", "password": "pw"},
		{"username": "nobody@pve", "password": "pw"},
		{"username": "user@pve", "password": ""},
		{"username": "root@pam!all", "password": "pw"},
		{"username": "root@pam", "password": "totp:123456", "tfa-challenge": "PVE:!tfa!%7B%7D:00000000::AAAA"},
	} {
		signIn(t, w, refusedSignIn, params)
	}
	w.as(nil).expect(t, "400 Parameter verification failed.", "POST", "/access/ticket", map[string]any{"username": "root@pam"})
	answer := signIn(t, w, "200 OK", map[string]any{"username": "root", "realm": "pam", "password": "pw"})
	if answer["username"] != "root@pam" || answer["clustername"] != "lab" || answer["NeedTFA"] != nil ||
		!strings.HasPrefix(sprint(answer["ticket"]), "PVE:root@pam:") {
		t.Errorf("%v", answer)
	}
	rights, _ := answer["cap"].(map[string]any)["mapping"].(map[string]any)
	if rights["Mapping.Modify"] != 1.0 {
		t.Errorf("rights %v", answer["cap"])
	}
	renewed := signIn(t, w, "200 OK", map[string]any{"username": "root@pam", "password": answer["ticket"]})
	for _, session := range []map[string]any{answer, renewed} {
		if got := get[map[string]any](t, w.as(sessionHeaders(session)), "/version"); got["version"] == nil {
			t.Errorf("%v", got)
		}
	}
	other := &pvesim.Server{World: writingWorld(), AuthDelay: quick}
	writerOf(t, other, "").as(sessionHeaders(answer)).expect(t, "401 Authentication failed!", "GET", "/version", nil)
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
	_, w := vmWriter(t)
	user := map[string]any{"username": "admin@pve", "password": "pw"}
	first := signIn(t, w, "200 OK", user)
	challenge := sprint(first["ticket"])
	if first["NeedTFA"] != 1.0 || first["cap"] != nil || !strings.HasPrefix(challenge, "PVE:!tfa!%7B%22totp%22:true%7D:") &&
		!strings.HasPrefix(challenge, "PVE:!tfa!%7B%22totp%22%3Atrue%7D:") {
		t.Errorf("%v", first)
	}
	w.as(sessionHeaders(first)).expect(t, "401 No ticket", "GET", "/version", nil)
	for _, params := range []map[string]any{
		{"username": "admin@pve", "password": "totp:000000", "tfa-challenge": challenge},
		{"username": "admin@pve", "password": "123456", "tfa-challenge": challenge},
		{"username": "admin@pve", "password": "pw", "tfa-challenge": challenge},
		{"username": "root@pam", "password": "totp:123456", "tfa-challenge": challenge},
		{"username": "admin@pve", "password": "totp:123456"},
		{"username": "admin@pve", "password": challenge},
	} {
		signIn(t, w, refusedSignIn, params)
	}
	second := signIn(t, w, "200 OK", map[string]any{"username": "admin@pve", "password": "totp:123456", "tfa-challenge": challenge})
	if second["NeedTFA"] != nil {
		t.Errorf("%v", second)
	}
	w.as(sessionHeaders(second)).expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"cores": 1})
}

func TestCSRFToken(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	const forged = "401 Permission denied - invalid csrf token"
	name := http.CanonicalHeaderKey("CSRFPreventionToken")
	root := rootSession(t, w)
	other := signIn(t, w, "200 OK", map[string]any{"username": "admin@pve", "password": "pw"})
	for _, token := range []string{"", "00000000:AAAA", sprint(other["CSRFPreventionToken"]), root.headers[name] + "x"} {
		bad := root.as(root.headers)
		bad.headers[name] = token
		if token == "" {
			delete(bad.headers, name)
		}
		for _, request := range []struct{ method, path string }{
			{"POST", pciMappings}, {"PUT", pciMappings + "/one"}, {"DELETE", pciMappings + "/one"}, {"PUT", vm100 + "/config"},
		} {
			if got := bad.expect(t, forged, request.method, request.path, nil); len(got.body) > 0 {
				t.Errorf("%s", got.body)
			}
		}
		bad.expect(t, "200 OK", "GET", pciMappings, nil)
	}
	if server.State().MappingCfg != writingWorld().MappingCfg {
		t.Error("the mappings have changed")
	}
	root.expect(t, "200 OK", "DELETE", pciMappings+"/one", nil)
}

func TestTicketExpires(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1_790_000_000, 0)
	now := clock
	server := &pvesim.Server{World: writingWorld(), AuthDelay: quick, Now: func() time.Time { return now }}
	w := writerOf(t, server, "")
	root := rootSession(t, w)
	root.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"cores": 1})
	now = clock.Add(2*time.Hour - time.Second)
	root.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"cores": 2})
	for _, moment := range []time.Duration{2 * time.Hour, -6 * time.Minute} {
		now = clock.Add(moment)
		root.expect(t, "401 Authentication failed!", "PUT", vm100+"/config", map[string]any{"cores": 3})
		root.expect(t, "401 Authentication failed!", "GET", "/version", nil)
	}
}
