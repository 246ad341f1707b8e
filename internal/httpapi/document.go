package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// document is the description of the interface, ready to be sent.
type document struct{ json, yaml, page []byte }

func newDocument(description *huma.OpenAPI) (document, error) {
	asJSON, err := description.MarshalJSON()
	if err != nil {
		return document{}, err
	}
	asYAML, err := description.YAML()
	if err != nil {
		return document{}, err
	}
	page, err := renderDocs(description)
	return document{json: asJSON, yaml: asYAML, page: page}, err
}

// serveDocument answers the addresses of the description; false for others.
func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/openapi.json":
		serveBytes(w, r, "application/json", a.document.json)
	case "/openapi.yaml":
		serveBytes(w, r, "application/yaml", a.document.yaml)
	case "/docs":
		serveBytes(w, r, "text/html; charset=utf-8", a.document.page)
	case "/docs/style.css":
		serveBytes(w, r, "text/css; charset=utf-8", docsStyle)
	default:
		return false
	}
	return true
}

func serveBytes(w http.ResponseWriter, r *http.Request, mediaType string, data []byte) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, r, newProblem(codeMethod, "This address takes GET only."))
		return
	}
	w.Header().Set("Content-Type", mediaType)
	_, _ = w.Write(data)
}
