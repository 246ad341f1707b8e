package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pciatlas/internal/auth"
)

func TestBodies(t *testing.T) {
	const good = `{"name":"admin","password":"` + password + `"}`
	for name, test := range map[string]struct {
		body, media string
		status      int
		code        string
	}{
		"good":               {good, "application/json; charset=UTF-8", 200, ""},
		"no body":            {"", "application/json", 400, codeMalformed},
		"not JSON":           {"name=admin", "application/json", 400, codeMalformed},
		"cut off":            {good[:20], "application/json", 400, codeMalformed},
		"two values":         {good + good, "application/json", 400, codeMalformed},
		"a list":             {"[" + good + "]", "application/json", 422, codeInvalid},
		"null":               {"null", "application/json", 422, codeInvalid},
		"deep":               {strings.Repeat("[", 20000), "application/json", 400, codeMalformed},
		"key twice":          {`{"name":"auditor",` + good[1:], "application/json", 400, codeMalformed},
		"escaped key twice":  {`{"n\u0061me":"auditor",` + good[1:], "application/json", 400, codeMalformed},
		"deep key twice":     {`{"a":[{"b":1,"c":{},"b":2}]}`, "application/json", 400, codeMalformed},
		"not UTF-8":          {"{\"name\":\"\xff\",\"password\":\"x\"}", "application/json", 400, codeMalformed},
		"wrong type":         {`{"name":1,"password":"x"}`, "application/json", 422, codeInvalid},
		"unknown field":      {`{"role":"admin",` + good[1:], "application/json", 422, codeInvalid},
		"capitals":           {strings.Replace(good, "name", "Name", 1), "application/json", 422, codeInvalid},
		"missing":            {`{"name":"admin"}`, "application/json", 422, codeInvalid},
		"long password":      {`{"name":"admin","password":"` + strings.Repeat("x", 1025) + `"}`, "application/json", 422, codeInvalid},
		"largest":            {good + strings.Repeat(" ", maxBody-1-len(good)), "application/json", 200, ""},
		"too large":          {good + strings.Repeat(" ", maxBody-len(good)), "application/json", 413, codeBodyTooLarge},
		"no type":            {good, "", 415, codeMediaType},
		"a form":             {"name=admin", "application/x-www-form-urlencoded", 415, codeMediaType},
		"text":               {good, "text/plain", 415, codeMediaType},
		"suffix":             {good, "application/vnd.x+json", 415, codeMediaType},
		"charset":            {good, "application/json; charset=utf-16", 415, codeMediaType},
		"malformed type":     {good, "application/json; =", 415, codeMediaType},
		"password repeated?": {`{"name":"admin","password":["hunter2"]}`, "application/json", 422, codeInvalid},
		"broken password":    {`{"name":"admin","password":"hunter2`, "application/json", 400, codeMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			got := w.do("POST", sessionPath, test.body, header("Content-Type", test.media)).want(test.status, test.code)
			if strings.Contains(got.Body.String()+w.logged(), "hunter2") {
				t.Errorf("what was sent is repeated: %s", got.Body)
			}
		})
	}
}

func TestPathsAndMethods(t *testing.T) {
	console := func(o *Options) {
		o.Console = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "console") })
	}
	for _, test := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{"GET", "/api", 404, codeNotFound, ""},
		{"GET", "/api/", 404, codeNotFound, ""},
		{"GET", "/api/v1", 404, codeNotFound, ""},
		{"GET", "/api/v1/nope", 404, codeNotFound, ""},
		{"GET", "/api/v2/session", 404, codeNotFound, ""},
		{"GET", "/api/v1/session/", 404, codeNotFound, ""},
		{"GET", "/api//v1/session", 404, codeNotFound, ""},
		{"GET", "/api/v1/../v1/session", 404, codeNotFound, ""},
		{"GET", "/x/../api/v1/session", 404, codeNotFound, ""},
		{"GET", "//api/v1/session", 404, codeNotFound, ""},
		{"GET", "/api/v1/%2e%2e/session", 404, codeNotFound, ""},
		{"GET", "/api/v1/administrators/..%2f..%2fetc%2fpasswd", 405, codeMethod, "DELETE, PATCH, OPTIONS"},
		{"DELETE", "/api/v1/administrators/..%2f..%2fetc%2fpasswd", 404, "administrator_not_found", ""},
		{"DELETE", "/api/v1/administrators/a%00b", 404, "administrator_not_found", ""},
		{"PUT", "/api/v1/session", 405, codeMethod, "DELETE, GET, HEAD, POST, OPTIONS"},
		{"TRACE", "/api/v1/session", 405, codeMethod, "DELETE, GET, HEAD, POST, OPTIONS"},
		{"BREW", "/api/v1/tokens/1", 405, codeMethod, "DELETE, OPTIONS"},
		{"OPTIONS", "/api/v1/session", 204, "", "DELETE, GET, HEAD, POST, OPTIONS"},
		{"OPTIONS", "/api/v1/nope", 404, codeNotFound, ""},
		{"HEAD", "/api/v1/session", 200, "", ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			w := newWorld(t, console)
			got := w.do(test.method, test.path, "", as("admin")).want(test.status, test.code)
			if allow := got.Header().Get("Allow"); allow != test.allow {
				t.Errorf("Allow %q, want %q", allow, test.allow)
			}
			if strings.Contains(got.Body.String(), "console") {
				t.Error("the console answers for the interface")
			}
		})
	}
	for _, path := range []string{"/", "/clusters/lab", "/apis", "/api-docs"} {
		if got := newWorld(t, console).do("GET", path, ""); got.Body.String() != "console" {
			t.Errorf("%s is not the console's", path)
		}
	}
	w := newWorld(t)
	w.do("GET", "/", "").want(http.StatusOK, "")
	w.do("GET", "/nope", "").want(http.StatusNotFound, "")
}

func TestUnknownQueryParameters(t *testing.T) {
	w := newWorld(t)
	for _, op := range operations(w.api) {
		if op.method != "GET" || strings.Contains(op.path, "{") {
			continue
		}
		p := w.do("GET", op.path+"?surprise=1", "", as("admin")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
		if len(p.Errors) != 1 || p.Errors[0].Field != "surprise" {
			t.Errorf("%s: %+v", op.path, p.Errors)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	for name, test := range map[string]struct {
		method  string
		headers map[string]string
		allowed bool
	}{
		"no browser":       {"POST", nil, true},
		"same origin":      {"POST", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"}, true},
		"cross site":       {"POST", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		"same site":        {"POST", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		"other origin":     {"POST", map[string]string{"Origin": "https://evil.example"}, false},
		"null origin":      {"POST", map[string]string{"Origin": "null"}, false},
		"own origin":       {"POST", map[string]string{"Origin": "http://example.com"}, true},
		"cross site read":  {"GET", map[string]string{"Sec-Fetch-Site": "cross-site"}, true},
		"cross site erase": {"DELETE", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			body := ""
			if test.method == "POST" {
				body = credentials("admin", password)
			}
			got := w.do(test.method, sessionPath, body, as("admin"), func(r *http.Request) {
				for name, value := range test.headers {
					r.Header.Set(name, value)
				}
			})
			if test.allowed {
				got.want(http.StatusOK, "")
				return
			}
			got.want(http.StatusForbidden, codeCrossOrigin)
			w.do("GET", sessionPath, "", as("admin")).want(http.StatusOK, "")
		})
	}
}

func TestPanic(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Console = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				_, _ = io.WriteString(w, "half")
			}
			panic("spilled the beans")
		})
	})
	got := w.do("GET", "/", "").want(http.StatusInternalServerError, codeInternal)
	if strings.Contains(got.Body.String(), "beans") {
		t.Errorf("the answer tells: %s", got.Body)
	}
	id := got.Header().Get("X-Request-Id")
	if log := w.logged(); !strings.Contains(log, "beans") || !strings.Contains(log, "request_id="+id) || !strings.Contains(log, "status=500") {
		t.Errorf("log: %s", log)
	}
	defer func() {
		if cause, _ := recover().(error); !errors.Is(cause, http.ErrAbortHandler) {
			t.Errorf("half an answer ends with %v", cause)
		}
	}()
	w.do("GET", "/late", "")
}

// TestWire goes through real connections: what comes must not split answers.
func TestWire(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(w.handler)
	defer server.Close()
	for name, request := range map[string]string{
		"header split in name":  "GET /api/v1/administrators/a%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"header split in query": "GET /api/v1/audit?x%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer pa_admin\r\nConnection: close\r\n\r\n",
		"request id":            "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: forged-by-somebody\r\nConnection: close\r\n\r\n",
		"huge header":           "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 2<<20) + "\r\nConnection: close\r\n\r\n",
		"body that lies":        "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n{}" + strings.Repeat(" ", maxBody),
	} {
		t.Run(name, func(t *testing.T) {
			got := exchange(t, server.Listener.Addr().String(), request)
			if got.Get("Set-Cookie") != "" || strings.Contains(got.Get("X-Request-Id"), "forged") {
				t.Errorf("headers %v", got)
			}
		})
	}
}

// exchange sends a request as it is and returns the headers of the answer.
func exchange(t *testing.T, address, request string) http.Header {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() { _, _ = io.WriteString(conn, request) }()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.Header
}

// TestBodyDeadlineIsTakenBack: a handler that takes longer than a body may is
// not given up.
func TestBodyDeadlineIsTakenBack(t *testing.T) {
	deadlines := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
	w := newWorld(t)
	r := httptest.NewRequestWithContext(t.Context(), "POST", sessionPath, strings.NewReader(credentials("admin", password)))
	r.Header.Set("Content-Type", "application/json")
	w.handler.ServeHTTP(deadlines, r)
	if n := len(deadlines.set); deadlines.Code != http.StatusOK || n < 2 || deadlines.set[0] == "zero" || deadlines.set[n-1] != "zero" {
		t.Errorf("status %d, deadlines %v", deadlines.Code, deadlines.set)
	}
}

func TestDeadlineIsTakenBackWithoutBody(t *testing.T) {
	deadlines := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
	w := newWorld(t)
	r := httptest.NewRequestWithContext(t.Context(), "GET", sessionPath, http.NoBody)
	as("admin")(r)
	w.handler.ServeHTTP(deadlines, r)
	if deadlines.Code != http.StatusOK || len(deadlines.set) != 1 || deadlines.set[0] != "zero" {
		t.Errorf("status %d, deadlines %v", deadlines.Code, deadlines.set)
	}
}

func TestSlowBody(t *testing.T) {
	w := newWorld(t)
	r := httptest.NewRequestWithContext(t.Context(), "POST", sessionPath, lateBody{})
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	got := answer{recorder, t}
	w.contract(r, got)
	got.want(http.StatusRequestTimeout, codeBodyTimeout)
}

func TestAuditFailureIsLogged(t *testing.T) {
	w := newWorld(t)
	w.api.Store = deafStore{w.store}
	w.do("POST", administratorsPath, `{}`, as("auditor")).want(http.StatusForbidden, codeForbidden)
	if !strings.Contains(w.logged(), "could not be written to the audit log") {
		t.Error("the log does not say so")
	}
}

func TestEveryCodeIsAWord(t *testing.T) {
	for code, status := range statuses {
		if strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" || http.StatusText(status) == "" {
			t.Errorf("%q %d", code, status)
		}
	}
	for status, code := range humaCodes {
		if statuses[code] != status {
			t.Errorf("%s has the status %d and %d", code, status, statuses[code])
		}
	}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("x: %w", errors.ErrUnsupported)} {
		if p := classify(err); p.Detail == "" || p.Unwrap() == nil {
			t.Errorf("%v: %+v", err, p)
		}
	}
	if auth.Role("none") != none {
		t.Error("none is called otherwise")
	}
}

// TestCallerWhoLeaves: that somebody closed a page is no error of the server.
func TestCallerWhoLeaves(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	for name, ctx := range map[string]context.Context{"left": gone, "waits": t.Context()} {
		w := newWorld(t)
		if p := w.api.failed(ctx, fmt.Errorf("session: %w", context.Canceled)); p.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d", name, p.Status)
		}
		if got := strings.Contains(w.logged(), "level=ERROR"); got != (name == "waits") {
			t.Errorf("%s: an error is logged: %t\n%s", name, got, w.logged())
		}
	}
}
