package pvesim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const jsonType = "application/json;charset=UTF-8"

// reply is one answer before it goes over the wire.
type reply struct {
	status      int
	reason      string // "" is the usual one of the status
	contentType string // "" sends no Content-Type
	location    string // of a redirect
	body        []byte

	// warnings are for who reads PVE's log, or its command line.
	warnings []string

	// delay is how long the answer keeps the client waiting.
	delay time.Duration
	// slot, if not nil, is held from before the delay until the answer is out.
	slot chan struct{}
	// mode is how the answer goes wrong on the wire, pace its speed.
	mode wireMode
	pace time.Duration
}

// apiError is a refusal of the API: its text and, for status 400, the
// parameters at fault.
type apiError struct {
	status  int
	message string // with the line feed that PVE's texts end in
	params  map[string]string
}

func (e *apiError) Error() string { return strings.TrimSpace(e.message) }

func failure(format string, args ...any) *apiError {
	return &apiError{status: http.StatusInternalServerError, message: fmt.Sprintf(format, args...) + "\n"}
}

// forbidden is a missing privilege; what is "" where PVE does not say it.
func forbidden(what string) *apiError {
	message := "Permission check failed"
	if what != "" {
		message += " (" + what + ")"
	}
	return &apiError{status: http.StatusForbidden, message: message + "\n"}
}

func badParams(params map[string]string) *apiError {
	return &apiError{status: http.StatusBadRequest, message: "Parameter verification failed.\n", params: params}
}

func notImplemented(method, path string) *apiError {
	return &apiError{status: http.StatusNotImplemented, message: "Method '" + method + " " + path + "' not implemented"}
}

// reply gives the refusal as JSON; its text stands in the body only since PVE
// sends it there.
func (e *apiError) reply(r release) reply {
	body := map[string]any{"data": nil}
	if r.errorMessages() {
		body["message"] = e.message
	}
	if e.params != nil {
		body["errors"] = e.params
	}
	return reply{status: e.status, reason: firstLine(e.message), contentType: jsonType, body: encode(body)}
}

// dataReply is a success.
func dataReply(data any) reply {
	return reply{
		status: http.StatusOK, reason: "OK", contentType: jsonType, body: encode(map[string]any{"data": data}),
	}
}

// bareReply is a refusal of the HTTP server itself: its text is the body, too.
func bareReply(status int, reason string) reply {
	return reply{status: status, reason: reason, body: []byte(reason)}
}

// emptyReply is a refusal without body.
func emptyReply(status int, reason string) reply { return reply{status: status, reason: reason} }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r")
}

// encode writes JSON as Perl does, without escaping HTML.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("pvesim: %v", err)) // only maps, lists and texts come here
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
