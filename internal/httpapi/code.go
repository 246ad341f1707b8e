package httpapi

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"
)

// The codes that this package itself answers with. Others come with the errors
// of the store, of the reads and of the operations.
const (
	codeUnauthenticated = "unauthenticated"
	codeForbidden       = "forbidden"
	codeCrossOrigin     = "cross_origin"
	codeSession         = "session_required"
	codeSignIn          = "sign_in_failed"
	codeThrottled       = "too_many_attempts"
	codeBusy            = "busy"
	codeInvalid         = "invalid_parameter"
	codeMalformed       = "malformed_body"
	codeBodyTimeout     = "body_timeout"
	codeBodyTooLarge    = "body_too_large"
	codeMediaType       = "unsupported_media_type"
	codeNotFound        = "not_found"
	codeMethod          = "method_not_allowed"
	codeExists          = "exists"
	codeConflict        = "conflict"
	codeLastAdmin       = "last_admin"
	codeSetupDone       = "setup_done"
	codeSetupToken      = "setup_token"
	codeDatabase        = "database_unavailable"
	codeKeyring         = "keyring_unfit"
	codeUnavailable     = "unavailable"
	codeTimeout         = "timeout"
	codeOIDCState       = "oidc_state"
	codeOIDCDenied      = "oidc_denied"
	codeOIDCRole        = "oidc_no_role"
	codeOIDCSetup       = "oidc_setup"
	codeOIDCProvider    = "oidc_provider"
	codeOIDCToken       = "oidc_token"
	codeInternal        = "internal_error"
	codeDevices         = "devices_unreadable"
	codeTooMany         = "too_many_desktops"
	codeChangesOff      = "changes_off"
	codeApplying        = "apply_running"
	codePlanChanged     = "plan_changed"
	codePlanStopped     = "plan_stopped"
	codeRootOnly        = "root_only"
	codeLacking         = "privilege_missing"
	codePVELogin        = "pve_login"
	codePVEFactor       = "pve_second_factor"
)

// statuses is the one place that gives each code its HTTP status. An error with
// a code that is not here is an internal error.
var statuses = map[string]int{
	codeUnauthenticated: http.StatusUnauthorized,
	codeSignIn:          http.StatusUnauthorized,
	codeSetupToken:      http.StatusUnauthorized,

	codeForbidden:   http.StatusForbidden,
	codeCrossOrigin: http.StatusForbidden,
	codeSession:     http.StatusForbidden,

	codeNotFound:              http.StatusNotFound,
	"administrator_not_found": http.StatusNotFound,
	"token_not_found":         http.StatusNotFound,
	"cluster_not_found":       http.StatusNotFound,
	"node_not_found":          http.StatusNotFound,
	"vm_not_found":            http.StatusNotFound,
	"device_not_found":        http.StatusNotFound,
	"mapping_not_found":       http.StatusNotFound,
	"desktop_not_found":       http.StatusNotFound,

	codeMethod:      http.StatusMethodNotAllowed,
	codeBodyTimeout: http.StatusRequestTimeout,

	codeExists:    http.StatusConflict,
	codeConflict:  http.StatusConflict,
	codeLastAdmin: http.StatusConflict,
	codeSetupDone: http.StatusConflict,
	codeTooMany:   http.StatusConflict,

	codeApplying:    http.StatusConflict,
	codePlanChanged: http.StatusConflict,
	codePlanStopped: http.StatusConflict,

	codeChangesOff: http.StatusForbidden,
	codeRootOnly:   http.StatusForbidden,
	codeLacking:    http.StatusForbidden,
	codePVELogin:   http.StatusForbidden,
	codePVEFactor:  http.StatusForbidden,

	// A stored token of a cluster that cannot be read any more.
	"no_key": http.StatusConflict,
	"sealed": http.StatusConflict,

	"revision_required": http.StatusPreconditionRequired,

	codeBodyTooLarge: http.StatusRequestEntityTooLarge,
	codeMediaType:    http.StatusUnsupportedMediaType,
	codeMalformed:    http.StatusBadRequest,
	codeInvalid:      http.StatusUnprocessableEntity,
	"invalid_text":   http.StatusUnprocessableEntity,
	"secret_needed":  http.StatusUnprocessableEntity,

	codeThrottled: http.StatusTooManyRequests,
	codeBusy:      http.StatusTooManyRequests,

	"pve_unreachable": http.StatusBadGateway,
	"pve_refused":     http.StatusBadGateway,
	"pve_certificate": http.StatusBadGateway,
	codeDevices:       http.StatusBadGateway,
	"pve_timeout":     http.StatusGatewayTimeout,

	codeOIDCState:    http.StatusBadRequest,
	codeOIDCDenied:   http.StatusForbidden,
	codeOIDCRole:     http.StatusForbidden,
	codeOIDCSetup:    http.StatusForbidden,
	codeOIDCProvider: http.StatusBadGateway,
	codeOIDCToken:    http.StatusBadGateway,

	codeDatabase:    http.StatusServiceUnavailable,
	codeKeyring:     http.StatusServiceUnavailable,
	codeUnavailable: http.StatusServiceUnavailable,
	codeTimeout:     http.StatusServiceUnavailable,
	codeInternal:    http.StatusInternalServerError,
}

// humaCodes are the codes of the statuses that huma answers with on its own.
var humaCodes = map[int]string{
	http.StatusBadRequest:            codeMalformed,
	http.StatusRequestTimeout:        codeBodyTimeout,
	http.StatusRequestEntityTooLarge: codeBodyTooLarge,
	http.StatusUnsupportedMediaType:  codeMediaType,
	http.StatusUnprocessableEntity:   codeInvalid,
}

// problemHeaders returns the headers that a problem is answered with.
func problemHeaders(p *Problem) http.Header {
	headers := http.Header{}
	if p.Status == http.StatusUnauthorized {
		headers.Set("WWW-Authenticate", `Bearer realm="pciatlas"`)
	}
	if p.retryAfter > 0 {
		headers.Set("Retry-After", retryAfter(p.retryAfter))
	}
	return headers
}

// retryAfter prints a time to wait in whole seconds, never too short.
func retryAfter(wait time.Duration) string {
	return strconv.FormatInt(int64(math.Ceil(wait.Seconds())), 10)
}

// writeProblem answers with a problem outside an operation.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	p.RequestID = requestID(r.Context())
	maps.Copy(w.Header(), problemHeaders(p))
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // The reader went away: there is nobody to tell.
}
