package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	stdpath "path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pciatlas/internal/atlas"
	"pciatlas/internal/auth"
	"pciatlas/internal/facts"
)

// start is when the tests begin.
var start = time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)

// world is the interface over a store in memory, with one account for each role.
type world struct {
	t       *testing.T
	store   *fakeStore
	api     *API
	handler http.Handler

	mu       sync.Mutex
	now      time.Time
	log      bytes.Buffer
	verified int // how often a password was compared
}

// password is that of every account of a world.
const password = "correct horse battery"

// roles are the roles that accounts have; each account is called like its role.
var roles = []auth.Role{auth.Auditor, auth.Operator, auth.Admin}

func newWorld(t *testing.T, edits ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, store: newFakeStore(), now: start}
	w.store.seed()
	options := Options{
		Store: w.store, Live: noLive{}, Now: w.time, VerifyPassword: w.verify,
		Logger: slog.New(slog.NewTextHandler(lockedWriter{w}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, edit := range edits {
		edit(&options)
	}
	var err error
	if w.api, err = newAPI(options); err != nil {
		t.Fatal(err)
	}
	w.handler = w.api.handler()
	return w
}

// seed makes the store what it is at the start of a test.
func (s *fakeStore) seed() {
	fresh := newFakeStore()
	s.admins, s.sessions, s.tokens, s.known = fresh.admins, fresh.sessions, fresh.tokens, fresh.known
	s.setup, s.failures, s.entries = "", nil, nil
	for _, role := range roles {
		name := string(role)
		s.admins[name] = auth.Administrator{Name: name, Role: role, Hash: "plain:" + password, CreatedAt: start, UpdatedAt: start}
		session := auth.Session{Hash: auth.HashSecret("cookie-" + name), Name: name, CreatedAt: start, UsedAt: start}
		s.sessions[session.Hash] = session
		token := auth.Token{ID: "id-" + name, Name: "script", Owner: name, Role: role, Hash: auth.HashSecret("pa_" + name), CreatedAt: start}
		s.tokens[token.Hash] = token
	}
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// verify compares passwords fast where the test set them.
func (w *world) verify(hash, given string) (ok, outdated bool) {
	w.mu.Lock()
	w.verified++
	w.mu.Unlock()
	if plain, fast := strings.CutPrefix(hash, "plain:"); fast {
		return plain == given, false
	}
	if old, fast := strings.CutPrefix(hash, "old:"); fast {
		return old == given, old == given
	}
	return auth.VerifyPassword(hash, given)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

type lockedWriter struct{ *world }

func (l lockedWriter) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(data)
}

// noLive knows no cluster.
type noLive struct{}

func (noLive) Report(context.Context, string, Want) (*atlas.Report, error) {
	return nil, storeError("cluster_not_found")
}

func (noLive) Nodes(context.Context, string) (facts.Read[[]facts.Member], error) {
	return facts.Read[[]facts.Member]{}, storeError("cluster_not_found")
}

func (noLive) Stats() []ReadStatus { return nil }

// answer is what a request was answered with.
type answer struct {
	*httptest.ResponseRecorder

	t *testing.T
}

// do sends a request and checks that the answer is one that the document
// describes. A body is JSON unless an edit says otherwise.
func (w *world) do(method, path, body string, edits ...func(*http.Request)) answer {
	w.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, edit := range edits {
		edit(r)
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	got := answer{recorder, w.t}
	w.contract(r, got)
	return got
}

// as sends the session of an account along.
func as(name string) func(*http.Request) { return withCookie("pciatlas", "cookie-"+name) }

// by sends the token of an account along.
func by(name string) func(*http.Request) { return header("Authorization", "Bearer pa_"+name) }

func withCookie(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = address }
}

// want fails unless the answer has the status; a code is that of the problem.
func (a answer) want(status int, code string) answer {
	a.t.Helper()
	if a.Code != status || code != "" && a.problem().Code != code {
		a.t.Fatalf("status %d, want %d %s: %s", a.Code, status, code, a.Body)
	}
	return a
}

func (a answer) problem() Problem {
	a.t.Helper()
	var p Problem
	a.decode(&p)
	return p
}

func (a answer) decode(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.Body.Bytes(), v); err != nil {
		a.t.Fatalf("%v: %s", err, a.Body)
	}
}

// sessionCookies are the cookies that the answer sets.
func (a answer) cookie() *http.Cookie {
	a.t.Helper()
	cookies := a.Result().Cookies()
	if len(cookies) != 1 {
		a.t.Fatalf("%d cookies, want one", len(cookies))
	}
	return cookies[0]
}

// contract checks an answer against the document of the interface.
func (w *world) contract(r *http.Request, got answer) {
	w.t.Helper()
	if got.Header().Get("X-Request-Id") == "" {
		w.t.Error("the answer has no request id")
	}
	media, _, _ := mime.ParseMediaType(got.Header().Get("Content-Type"))
	_, pattern := w.api.mux.Handler(r)
	method, path, isOperation := strings.Cut(pattern, " ")
	if escaped := r.URL.EscapedPath(); !isOperation || !strings.HasPrefix(escaped, "/api/") || stdpath.Clean(escaped) != escaped {
		if media == problemType {
			validate(w.t, w.api, "/components/schemas/Problem", got.Body.Bytes())
		}
		return
	}
	responses := operationAt(w.api.huma.OpenAPI().Paths[path], method).Responses
	response := responses[strconv.Itoa(got.Code)]
	switch {
	case response == nil:
		w.t.Fatalf("%s %s answers %d, which its description does not have: %s", method, path, got.Code, got.Body)
	case r.Method == http.MethodHead:
	case len(response.Content) == 0:
		if got.Body.Len() > 0 {
			w.t.Errorf("%s %s answers %d with a body that its description does not have", method, path, got.Code)
		}
	case response.Content[media] == nil:
		w.t.Fatalf("%s %s answers %d as %q, which its description does not have", method, path, got.Code, media)
	case strings.HasSuffix(media, "json"):
		place := "/paths/" + pointer(path) + "/" + strings.ToLower(method) + "/responses/" + strconv.Itoa(got.Code) + "/content/" + pointer(media) + "/schema"
		validate(w.t, w.api, place, got.Body.Bytes())
	}
}

func pointer(part string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(part)
}

var (
	schemasMu sync.Mutex
	schemas   = map[string]*jsonschema.Schema{}
	compiler  *jsonschema.Compiler
)

// validate checks a body against a schema at a place in the document.
func validate(t *testing.T, api *API, place string, body []byte) {
	t.Helper()
	schemasMu.Lock()
	defer schemasMu.Unlock()
	if compiler == nil {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(api.document.json))
		if err != nil {
			t.Fatal(err)
		}
		compiler = jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		compiler.AssertFormat()
		if err := compiler.AddResource("openapi.json", document); err != nil {
			t.Fatal(err)
		}
	}
	if schemas[place] == nil {
		schema, err := compiler.Compile("openapi.json#" + place)
		if err != nil {
			t.Fatal(err)
		}
		schemas[place] = schema
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if err := schemas[place].Validate(value); err != nil {
		t.Errorf("the answer is not what the document says: %v\n%s", err, body)
	}
}

// Renew has nothing to forget.
func (noLive) Renew(string) {}
