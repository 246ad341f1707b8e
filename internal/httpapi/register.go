package httpapi

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

// none is the need of an operation that asks for no account.
const none auth.Role = "none"

// How large bodies may be, in bytes.
const (
	maxBody   = 64 << 10
	maxImport = 2 << 20
)

// metaNeed and metaAction are the keys of an operation's metadata.
const (
	metaNeed   = "role"
	metaAction = "action"
)

// register adds an operation that changes nothing that the audit log follows.
// The path is the one below /api/v1; need is the least role, or none; the
// statuses in op.Errors are those that the operation answers in addition to
// what every operation may answer. Errors of the handler become problems.
func register[I, O any](a *API, op huma.Operation, need auth.Role, handler func(context.Context, *I) (*O, error)) {
	op.Path = prefix + op.Path
	op.Metadata = merged(op.Metadata, metaNeed, need)
	op.Extensions = merged(op.Extensions, "x-role", string(need))
	op.Security = securityOf(need)
	op.BodyReadTimeout = -1 // readBody has read it already
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = maxBody
	}
	op.Errors = errorsOf(&op, need)
	huma.Register(a.huma, op, func(ctx context.Context, input *I) (*O, error) {
		output, err := handler(ctx, input)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return output, nil
	})
}

// change adds an operation that the audit log follows: like register, and a
// refusal for lack of rights is written down under the action's name
// (object.verb). The handler hands a.audit(ctx, object) to the store.
func change[I, O any](a *API, op huma.Operation, need auth.Role, action string, handler func(context.Context, *I) (*O, error)) {
	op.Metadata = merged(op.Metadata, metaAction, action)
	register(a, op, need, handler)
}

func merged(values map[string]any, key string, value any) map[string]any {
	more := map[string]any{key: value}
	maps.Copy(more, values)
	return more
}

func needOf(op *huma.Operation) auth.Role {
	need, _ := op.Metadata[metaNeed].(auth.Role)
	return need
}

func actionOf(op *huma.Operation) string {
	action, _ := op.Metadata[metaAction].(string)
	return action
}

// securityOf declares how a caller proves an account; an empty list is for
// operations that ask for none.
func securityOf(need auth.Role) []map[string][]string {
	if need == none {
		return []map[string][]string{}
	}
	return []map[string][]string{{schemeCookie: {}}, {schemeToken: {}}}
}

// errorsOf returns the statuses of the problems that an operation may answer.
func errorsOf(op *huma.Operation, need auth.Role) []int {
	all := append([]int{
		http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}, op.Errors...)
	if need != none {
		all = append(all, http.StatusUnauthorized)
	}
	if need != none && need != auth.Auditor || changes(op.Method) {
		all = append(all, http.StatusForbidden)
	}
	if op.Method == http.MethodPost || op.Method == http.MethodPut || op.Method == http.MethodPatch {
		all = append(all, http.StatusBadRequest, http.StatusRequestTimeout,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// humaConfig is what all operations share. The version is that of the
// interface, not of the program.
func humaConfig() huma.Config {
	config := huma.DefaultConfig("pciatlas", "1")
	config.Info.Description = "Which VM refers to which PCI device of a Proxmox VE cluster. Every operation names the least role it needs as x-role: none, auditor, operator or admin."
	config.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	config.OpenAPIPath, config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", "", nil
	config.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: writeJSON, Unmarshal: readJSON}
	config.Formats = map[string]huma.Format{"application/json": format, "json": format}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeCookie: {Type: "apiKey", In: "cookie", Name: cookieName(true), Description: "The session of a browser; without TLS the cookie is called " + cookieName(false) + "."},
		schemeToken:  {Type: "http", Scheme: "bearer", Description: "An API token, which begins with " + auth.TokenPrefix + "."},
	}
	return config
}

// The names of the ways to prove an account in the OpenAPI document.
const (
	schemeCookie = "session"
	schemeToken  = "token"
)
