package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

type contextKey int

const (
	requestKey contextKey = iota
	operationKey
	callerKey
	nonceKey
)

// request is what is known about a request from its first moment on.
type request struct {
	id      string
	client  client
	path    string   // escaped
	agent   string   // the browser's name for itself, made harmless
	cookies []string // the session cookies that came along, proven or not
	actor   string   // filled in once known, for the log
}

var plainRequest = &request{}

func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey).(*request); ok {
		return r
	}
	return plainRequest
}

func requestID(ctx context.Context) string { return requestOf(ctx).id }

func operationOf(ctx context.Context) *huma.Operation {
	op, _ := ctx.Value(operationKey).(*huma.Operation)
	return op
}

func withDefaults(o Options) Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.VerifyPassword == nil {
		o.VerifyPassword = auth.VerifyPassword
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// identifyRequest gives each request its id and finds out where it came from.
// An id that came along is kept only if a trusted proxy gave it.
func (a *API) identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := &request{client: clientOf(r, a.TrustedProxies)}
		known.path, known.agent = r.URL.EscapedPath(), harmless(r.UserAgent(), maxAgent)
		known.client.secure = known.client.secure || a.SecureCookies
		if given := r.Header.Get("X-Request-Id"); known.client.proxied && goodRequestID.MatchString(given) {
			known.id = given
		} else {
			known.id = randomHex(a.Random, 8)
		}
		w.Header().Set("X-Request-Id", known.id)
		r = r.WithContext(context.WithValue(r.Context(), requestKey, known))
		known.cookies = sessionCookies(r)
		next.ServeHTTP(w, r)
	})
}

const maxAgent = 200

// harmless cuts a text that somebody sent to so many bytes, and takes out what
// is not printable.
func harmless(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}

// randomHex is n random bytes in hexadecimal digits; it names things and
// guards nothing, so that a failing source gives zeros.
func randomHex(random io.Reader, n int) string {
	data := make([]byte, n)
	_, _ = io.ReadFull(random, data)
	return hex.EncodeToString(data)
}

// observe logs each request with its outcome, and answers for a handler that
// panics. Queries, headers and bodies are never logged.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &recorder{ResponseWriter: w}
		defer func() { a.logRequest(r, seen, time.Since(began)) }()
		defer func() {
			if cause := recover(); cause != nil {
				a.recovered(seen, r, cause)
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// recovered answers for a handler that panicked. If the answer had begun, the
// connection is cut, so that half an answer never looks like a whole one.
func (a *API) recovered(w *recorder, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // the value itself is the signal of net/http
		panic(cause)
	}
	a.Logger.LogAttrs(r.Context(), slog.LevelError, "a request made the server panic",
		slog.String("request_id", requestID(r.Context())), slog.String("path", r.URL.EscapedPath()),
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, r, newProblem(codeInternal, internalDetail))
}

func (a *API) logRequest(r *http.Request, seen *recorder, took time.Duration) {
	known := requestOf(r.Context())
	level := slog.LevelInfo
	if isProbe(r.URL.Path) {
		level = slog.LevelDebug
	}
	a.Logger.LogAttrs(r.Context(), level, "request",
		slog.String("request_id", known.id), slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()),
		slog.Int("status", seen.code()), slog.Int64("bytes", seen.bytes), slog.Duration("took", took),
		slog.String("address", known.client.text()), slog.String("actor", known.actor))
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter

	status int
	bytes  int64
}

// Unwrap gives the writer below, for deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (w *recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

func (w *recorder) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
