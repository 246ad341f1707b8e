package web

import (
	"bytes"
	"context"
	"html"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
)

// noncePlace stands in the page where the nonce belongs.
const noncePlace = "__CSP_NONCE__"

type handler struct {
	*site
	nonce func(ctx context.Context) string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The console can only be read.", http.StatusMethodNotAllowed)
		return
	}
	name := path.Clean("/" + r.URL.Path)
	switch f := h.files[name]; {
	case name == "/api" || strings.HasPrefix(name, "/api/"):
		notFound(w)
	case f != nil:
		serveFile(w, r, f)
	case name == "/assets" || strings.HasPrefix(name, "/assets/"), path.Ext(name) != "" && name != "/index.html":
		notFound(w)
	default:
		h.servePage(w, r)
	}
}

// notFound answers that there is nothing. Nobody may keep that: the next version may
// have a file of this name, and a proxy may have asked an older one.
func notFound(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "There is nothing at this address.\n") // The reader went away: there is nobody to tell.
}

// serveFile answers with the smallest representation that the client takes. A part
// of a file is always one of the file as it is.
func serveFile(w http.ResponseWriter, r *http.Request, f *file) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Cache-Control", "no-cache")
	if f.hashed {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	chosen := &f.identity
	if f.br != nil || f.gzip != nil {
		header.Set("Vary", "Accept-Encoding")
		if encoding, encoded := f.choose(r); encoded != nil {
			header.Set("Content-Encoding", encoding)
			chosen = encoded
		}
	}
	header.Set("ETag", `"`+chosen.tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(chosen.data))
}

// choose gives nil when the file goes out as it is.
func (f *file) choose(r *http.Request) (string, *body) {
	if r.Header.Get("Range") != "" {
		return "", nil
	}
	accepted := strings.Join(r.Header.Values("Accept-Encoding"), ",")
	switch {
	case f.br != nil && accepts(accepted, "br"):
		return "br", f.br
	case f.gzip != nil && accepts(accepted, "gzip"):
		return "gzip", f.gzip
	}
	return "", nil
}

// accepts reads an Accept-Encoding header: the name has to stand there, and not
// with the weight 0.
func accepts(header, name string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), name) {
			continue
		}
		digits, isWeight := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		return !isWeight || strings.Trim(digits, "0.") != ""
	}
	return false
}

// servePage answers with the page of the console and the nonce in it. The tag is
// that of the page without a nonce: a page that a browser kept goes with the policy
// that it kept, so 304 brings no other policy.
func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	page, header := h.page, w.Header()
	if page == nil {
		page = h.unbuilt
	}
	tag := `W/"` + page.identity.tag + `"`
	header.Set("Content-Type", page.kind)
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Security-Policy")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	nonce := html.EscapeString(h.nonce(r.Context()))
	data := bytes.ReplaceAll(page.identity.data, []byte(noncePlace), []byte(nonce))
	r.Header.Del("Range") // Two answers differ: parts of them would not fit together.
	r.Header.Del("If-None-Match")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// matches compares tags weakly, as If-None-Match asks.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
