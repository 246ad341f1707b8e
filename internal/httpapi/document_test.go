package httpapi

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

//go:generate go test -run ^TestDocument$ -update .

var update = flag.Bool("update", false, "write api/openapi.yaml")

// TestDocument compares the committed description with what the code says.
func TestDocument(t *testing.T) {
	const file = "../../api/openapi.yaml"
	got := newWorld(t).api.document.yaml
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("api/openapi.yaml is not what the code says: run make generate and read the difference")
	}
	if again := newWorld(t).api.document.yaml; !bytes.Equal(got, again) {
		t.Error("the description differs from one start to the next")
	}
}

type operation struct {
	*huma.Operation

	method, path string
}

// operations are all that the document describes.
func operations(api *API) []operation {
	var all []operation
	paths := api.huma.OpenAPI().Paths
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if op := operationAt(paths[path], method); op != nil {
				all = append(all, operation{op, method, path})
			}
		}
	}
	return all
}

func TestEveryRouteIsDescribed(t *testing.T) {
	api := newWorld(t).api
	var described []string
	for _, op := range operations(api) {
		described = append(described, op.method+" "+op.path)
	}
	routes := slices.Sorted(slices.Values(api.routes))
	slices.Sort(described)
	if !slices.Equal(routes, described) {
		t.Errorf("routes %v\ndescribed %v", routes, described)
	}
}

func TestEveryOperationIsComplete(t *testing.T) {
	ids := map[string]bool{}
	action := regexp.MustCompile(`^[a-z]+\.[a-z]+$`)
	for _, op := range operations(newWorld(t).api) {
		name := op.method + " " + op.path
		role, _ := op.Extensions["x-role"].(string)
		if !slices.Contains([]string{"none", "auditor", "operator", "admin"}, role) {
			t.Errorf("%s declares no role", name)
		}
		if open := len(op.Security) == 0; open != (role == "none") || op.Security == nil {
			t.Errorf("%s: security %v does not fit the role %s", name, op.Security, role)
		}
		if op.OperationID == "" || ids[op.OperationID] {
			t.Errorf("%s: operation id %q is empty or taken", name, op.OperationID)
		}
		ids[op.OperationID] = true
		if op.Summary == "" || strings.HasSuffix(op.Summary, ".") || len(op.Tags) != 1 {
			t.Errorf("%s: needs a summary without full stop and one tag", name)
		}
		if changes(op.method) && !action.MatchString(actionOf(op.Operation)) && op.Extensions["x-read-only"] == nil {
			t.Errorf("%s: the audit log has no name for what it does: %q", name, actionOf(op.Operation))
		}
		for _, part := range regexp.MustCompile(`\{([^}]+)\}`).FindAllStringSubmatch(op.path, -1) {
			if !slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "path" && p.Name == part[1] && p.Required }) {
				t.Errorf("%s does not describe its parameter %s (an embedded struct has to be exported)", name, part[1])
			}
		}
		for _, status := range []string{"500", "503"} {
			if op.Responses[status] == nil {
				t.Errorf("%s does not describe %s", name, status)
			}
		}
	}
}

// TestRoles asks for every operation as everybody.
func TestRoles(t *testing.T) {
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	for _, op := range operations(newWorld(t).api) {
		need := auth.Role(op.Extensions["x-role"].(string))
		path := parameter.ReplaceAllString(op.path, "100")
		body, media := "", ""
		if op.RequestBody != nil {
			body, media = "{}", mediaTypes(op.Operation)
		}
		w := newWorld(t)
		ask := func(t *testing.T, who ...func(*http.Request)) answer {
			t.Helper()
			w.store.seed()
			w.t = t
			return w.do(op.method, path, body, append(who, header("Content-Type", media))...)
		}
		t.Run(op.OperationID+"/nobody", func(t *testing.T) {
			got := ask(t)
			if refused := got.Code == http.StatusUnauthorized; refused != (need != none) {
				t.Errorf("status %d for nobody, the operation needs %s", got.Code, need)
			}
		})
		for _, have := range roles {
			for kind, who := range map[string]func(*http.Request){"session": as(string(have)), "token": by(string(have))} {
				t.Run(fmt.Sprintf("%s/%s/%s", op.OperationID, have, kind), func(t *testing.T) {
					got := ask(t, who)
					may := need == none || have.Covers(need)
					refused := got.Code == http.StatusForbidden && got.problem().Code == codeForbidden
					if refused == may || may && got.Code == http.StatusUnauthorized {
						t.Errorf("status %d for %s, the operation needs %s", got.Code, have, need)
					}
				})
			}
		}
	}
}

func TestRefusedChangesAreWrittenDown(t *testing.T) {
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	for _, op := range operations(newWorld(t).api) {
		if need := needOf(op.Operation); actionOf(op.Operation) == "" || need == none || need == auth.Auditor {
			continue
		}
		t.Run(op.OperationID, func(t *testing.T) {
			w := newWorld(t)
			path := parameter.ReplaceAllString(op.path, "100")
			w.do(op.method, path, "", as("auditor")).want(http.StatusForbidden, codeForbidden)
			entries := w.store.audited()
			if len(entries) != 1 || entries[0].Action != actionOf(op.Operation) || entries[0].Actor != "auditor" ||
				entries[0].Result != "refused" || prefix+entries[0].Object != path || entries[0].RequestID == "" {
				t.Errorf("audit log: %+v", entries)
			}
		})
	}
}

func TestDocs(t *testing.T) {
	w := newWorld(t)
	page := w.do("GET", "/docs", "").want(http.StatusOK, "").Body.String()
	for _, op := range operations(w.api) {
		if !strings.Contains(page, `<section id="`+op.OperationID+`">`) {
			t.Errorf("the page does not describe %s", op.OperationID)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("the page links to %s, which it does not have", link[1])
		}
	}
	if found := regexp.MustCompile(`(?i)<script|<style|\bstyle=|\bon[a-z]+=|https?://`).FindString(page); found != "" {
		t.Errorf("the page has %q, which the content policy or a closed network would stop", found)
	}
	for path, media := range map[string]string{
		"/docs": "text/html; charset=utf-8", "/docs/style.css": "text/css; charset=utf-8",
		"/openapi.json": "application/json", "/openapi.yaml": "application/yaml",
	} {
		if got := w.do("GET", path, "").want(http.StatusOK, ""); got.Header().Get("Content-Type") != media || got.Body.Len() == 0 {
			t.Errorf("%s: %s, %d bytes", path, got.Header().Get("Content-Type"), got.Body.Len())
		}
		if got := w.do("POST", path, "").want(http.StatusMethodNotAllowed, codeMethod); got.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", path, got.Header().Get("Allow"))
		}
	}
}
