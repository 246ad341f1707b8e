package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/server"
)

// logged keeps what is logged by several goroutines.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestApplyInTheDemo takes the suggested mapping of the office, converts a VM to it as
// root@pam, and goes the way back: all through the interface, over TLS, with the real
// client. The password stands nowhere afterwards.
func TestApplyInTheDemo(t *testing.T) {
	var log logged
	demo, err := server.StartDemo(t.Context(), server.DemoOptions{
		Listen: "127.0.0.1:0", Now: time.Now, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Server: demo.Server, client: browser(t)}
	t.Cleanup(func() { _ = demo.Stop(t.Context()) })
	s.want(t, http.StatusOK, http.MethodPost, "/session", object{"name": "operator", "password": server.DemoPassword})
	suggested := s.want(t, http.StatusOK, http.MethodGet, "/clusters/office/mappings/suggestions", nil)
	var entries any
	for _, one := range suggested["mappings"].([]any) {
		if mapping := one.(object); mapping["id"] == "rtx-a4000" {
			entries = mapping["map"]
		}
	}
	login := object{"user": "root@pam", "password": demo.Office.RootPassword, "otp": demo.Office.RootCode}
	apply := func(intent, login object) object {
		t.Helper()
		p := s.want(t, http.StatusOK, http.MethodPost, "/clusters/office/plans", intent)
		request := object{"intent": intent, "digest": p["digest"], "confirm": p["confirm"]}
		if login != nil {
			request["login"] = login
		}
		answer := s.want(t, http.StatusOK, http.MethodPost, "/clusters/office/plans/apply", request)
		if whole, _ := answer["ok"].(bool); !whole {
			t.Fatalf("%v", answer["steps"])
		}
		return p
	}
	create := object{"kind": "create", "mapping": "rtx-a4000", "entries": entries}
	apply(create, nil)
	convert := object{"kind": "convert", "vms": []int{101}, "mapping": "rtx-a4000"}
	p := s.want(t, http.StatusOK, http.MethodPost, "/clusters/office/plans", convert)
	request := object{"intent": convert, "digest": p["digest"], "confirm": p["confirm"]}
	s.want(t, http.StatusForbidden, http.MethodPost, "/clusters/office/plans/apply", request)
	request["login"] = object{"user": "root@pam", "password": "canary-of-a-password", "otp": "1"}
	s.want(t, http.StatusForbidden, http.MethodPost, "/clusters/office/plans/apply", request)
	request["login"] = object{"user": "root@pam", "password": demo.Office.RootPassword}
	s.want(t, http.StatusForbidden, http.MethodPost, "/clusters/office/plans/apply", request)
	apply(convert, login)
	placed := s.want(t, http.StatusOK, http.MethodGet, "/clusters/office/vms/101/placement", nil)
	if text := fmt.Sprint(placed); !strings.Contains(text, "0000:03:00.0") {
		t.Errorf("%v", placed)
	}
	s.want(t, http.StatusForbidden, http.MethodPost, "/clusters/lab/plans/apply", request)
	checkAudit(t, s, []string{demo.Office.RootPassword, "canary-of-a-password", demo.Office.RootCode + `"`}, &log)
}

// checkAudit looks for an entry before and after each step, and for secrets.
func checkAudit(t *testing.T, s *site, secrets []string, log *logged) {
	t.Helper()
	audit := s.want(t, http.StatusOK, http.MethodGet, "/audit?limit=200", nil)
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	for action, count := range map[string]int{"plan.begin": 2, "plan.step": 2} {
		if got := strings.Count(string(text), `"`+action+`"`); got != count {
			t.Errorf("%d entries %s", got, action)
		}
	}
	for _, secret := range secrets {
		if strings.Contains(string(text), secret) || strings.Contains(log.String(), secret) {
			t.Errorf("the audit log or the log holds a secret")
		}
	}
}
