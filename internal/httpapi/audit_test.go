package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestAudit(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.do("POST", tokensPath, fmt.Sprintf(`{"name":"t%d","role":"auditor"}`, i), as("admin")).want(http.StatusCreated, "")
	}
	w.do("POST", sessionPath, credentials("ghost", "x")).want(http.StatusUnauthorized, codeSignIn)
	var seen []int64
	for path := "/api/v1/audit?limit=2"; path != ""; {
		var log AuditLog
		w.do("GET", path, "", as("auditor")).want(http.StatusOK, "").decode(&log)
		for _, entry := range log.Entries {
			seen = append(seen, entry.ID)
		}
		path = ""
		if log.Next != nil {
			path = fmt.Sprintf("/api/v1/audit?limit=2&before=%d", *log.Next)
		}
	}
	if fmt.Sprint(seen) != "[6 5 4 3 2 1]" {
		t.Errorf("entries %v", seen)
	}
	var log AuditLog
	w.do("GET", "/api/v1/audit?action=session.create&since=2026-01-01T00:00:00Z", "", as("auditor")).want(http.StatusOK, "").decode(&log)
	if len(log.Entries) != 1 || log.Entries[0].Actor != nil || log.Entries[0].ActorKind != "nobody" || log.Entries[0].Before.Value != nil {
		t.Errorf("%+v", log)
	}
	for _, query := range []string{"limit=0", "limit=201", "limit=x", "before=0", "since=yesterday", "unknown=1", "limit=1&Limit=2"} {
		w.do("GET", "/api/v1/audit?"+query, "", as("auditor")).want(http.StatusUnprocessableEntity, codeInvalid)
	}
}

// TestStoreFails: what a database says about itself is for the log only.
func TestStoreFails(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"away":    {fmt.Errorf("dial postgres://user:hunter2@db: %w", storeError("database_unavailable")), http.StatusServiceUnavailable, codeDatabase},
		"unknown": {errors.New("hunter2 is wrong"), http.StatusInternalServerError, codeInternal},
		"code":    {storeError("never heard of"), http.StatusInternalServerError, codeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.store.broken = test.err
			for _, op := range operations(w.api) {
				if strings.Contains(op.path, "{") || op.method != "GET" {
					continue
				}
				got := w.do(op.method, op.path, "", as("admin")).want(test.status, test.code)
				if strings.Contains(got.Body.String(), "hunter2") {
					t.Errorf("the answer says too much: %s", got.Body)
				}
			}
			if !strings.Contains(w.logged(), "level=ERROR") || !strings.Contains(w.logged(), "code="+test.code) {
				t.Error("the log does not say why")
			}
		})
	}
}
