package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// How long a caller may take to send a body: bodyTime, and a second more for each
// bodyRate bytes that have come.
const (
	bodyTime = 30 * time.Second
	bodyRate = 32 << 10
)

// adapter lets huma serve its operations behind the guards of this package.
type adapter struct{ api *API }

// Handle adds an operation; huma calls it.
func (ad adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	a, pattern := ad.api, op.Method+" "+op.Path
	a.routes = append(a.routes, pattern)
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		a.serve(op, handler, w, r)
	})
}

// ServeHTTP is part of huma's interface of adapters.
func (ad adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { ad.api.mux.ServeHTTP(w, r) }

// serve answers one request for an operation: who asks, whether they may, what
// they send, and then the operation itself.
func (a *API) serve(op *huma.Operation, handler func(huma.Context), w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx := context.WithValue(r.Context(), operationKey, op)
	if need := needOf(op); need != none {
		who, err := a.authenticate(r)
		if err != nil {
			writeProblem(w, r, a.failed(ctx, err))
			return
		}
		ctx = withCaller(ctx, who)
		if !who.role.Covers(need) {
			writeProblem(w, r, a.failed(ctx, forbidden(need, who.role)))
			return
		}
	}
	if p := checkParameters(r); p != nil {
		writeProblem(w, r, p)
		return
	}
	r = r.WithContext(ctx)
	r.Header.Del("Accept") // each answer has one form
	if p := takeBody(op, w, r); p != nil {
		writeProblem(w, r, p)
		return
	}
	handler(humago.NewContext(op, r, w))
}

// checkParameters refuses what readers may understand differently: a query that
// cannot be decoded, parameters that come twice (no operation takes a list), and
// numbers of VMs with signs or zeros before them.
func checkParameters(r *http.Request) *Problem {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid("", "The query of the address cannot be decoded; write special characters as %XX, and & between parameters.")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			return invalid(harmless(name, 100), "This parameter is given more than once.")
		}
	}
	for _, text := range []string{r.PathValue("vmid"), values.Get("vmid")} {
		if strings.HasPrefix(text, "0") || strings.HasPrefix(text, "+") {
			return invalid("vmid", "The number of a VM is written in digits only, the first of them not 0.")
		}
	}
	return nil
}

// takeBody reads the body of a request at once and within its bounds, so that
// afterwards the connection only tells whether the caller is still there. A
// deadline for reading that remained would end the context of a long answer.
func takeBody(op *huma.Operation, w http.ResponseWriter, r *http.Request) *Problem {
	controller := http.NewResponseController(w)
	if op.RequestBody == nil {
		if r.ContentLength == 0 {
			_ = controller.SetReadDeadline(time.Time{})
		}
		return nil
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return newProblem(codeMediaType, "The body has to come as it is, without Content-Encoding.")
	}
	if !accepts(op, r.Header.Get("Content-Type")) {
		return newProblem(codeMediaType, "The body has to be "+mediaTypes(op)+"; say so in Content-Type.")
	}
	paced := &pacedReader{body: r.Body, extend: controller.SetReadDeadline, began: time.Now()}
	data, err := io.ReadAll(http.MaxBytesReader(w, paced, op.MaxBodyBytes-1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return newProblem(codeBodyTooLarge, "The body is larger than the operation accepts.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(codeBodyTimeout, "The body took too long to arrive.")
	case err != nil:
		return newProblem(codeMalformed, "The body could not be read to its end.")
	}
	_ = controller.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(data))
	r.Header.Set("Content-Type", mediaTypes(op)) // huma knows it in lower case only
	return nil
}

// pacedReader reads a body that may be slow, but has to keep coming.
type pacedReader struct {
	body   io.ReadCloser
	extend func(deadline time.Time) error
	began  time.Time
	bytes  int64
}

// Read puts the end off by what has come so far.
func (p *pacedReader) Read(data []byte) (int, error) {
	// Not every test's connection has deadlines.
	_ = p.extend(p.began.Add(bodyTime + time.Duration(p.bytes)*time.Second/bodyRate))
	n, err := p.body.Read(data)
	p.bytes += int64(n)
	return n, err
}

// Close closes the body.
func (p *pacedReader) Close() error { return p.body.Close() }

// accepts says whether an operation takes a body of this Content-Type.
func accepts(op *huma.Operation, contentType string) bool {
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || op.RequestBody.Content[media] == nil {
		return false
	}
	charset, said := parameters["charset"]
	return !said || strings.EqualFold(charset, "utf-8")
}

func mediaTypes(op *huma.Operation) string {
	for media := range op.RequestBody.Content {
		return media
	}
	return "empty"
}

// dispatch sends a request to the operations, the documents or the console.
// Nothing below /api ever reaches the console.
func (a *API) dispatch(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/"):
		a.serveOperation(w, r)
	case a.serveDocument(w, r), a.serveHealth(w, r), a.serveOIDC(w, r):
	case path.Clean(r.URL.Path) == "/api" || strings.HasPrefix(path.Clean("/"+r.URL.Path), "/api/"):
		writeProblem(w, r, noSuchPath())
	case a.Console != nil:
		a.Console.ServeHTTP(w, r)
	default:
		servePlain(w, r)
	}
}

func noSuchPath() *Problem {
	return newProblem(codeNotFound, "There is nothing at this address. /docs lists what there is.")
}

// serveOperation runs the operation of the path and method. The router of the
// standard library would answer in plain text or redirect; its verdict is kept
// and answered as a problem.
func (a *API) serveOperation(w http.ResponseWriter, r *http.Request) {
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		writeProblem(w, r, noSuchPath())
		return
	}
	handler, pattern := a.mux.Handler(r)
	if pattern != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	var verdict verdict
	handler.ServeHTTP(&verdict, r)
	allow := verdict.Header().Get("Allow")
	switch {
	case allow == "":
		writeProblem(w, r, noSuchPath())
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", allow+", OPTIONS")
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", allow+", OPTIONS")
		writeProblem(w, r, newProblem(codeMethod, "This address does not take "+methodName(r.Method)+"; it takes "+allow+"."))
	}
}

// methodName is the method of a request if it is one that people know.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodTrace, http.MethodConnect:
		return method
	default:
		return "this method"
	}
}

// verdict keeps the headers of an answer and drops the rest.
type verdict struct{ header http.Header }

func (v *verdict) Header() http.Header {
	if v.header == nil {
		v.header = http.Header{}
	}
	return v.header
}

func (*verdict) Write(data []byte) (int, error) { return len(data), nil }

func (*verdict) WriteHeader(int) {}

// servePlain stands in for a console that is not part of the build.
func servePlain(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>pciatlas</title>`+
		`<p>The console is not part of this build. <a href="/docs">The interface is described here.</a></p></html>`)
}
