package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/fleet"
)

// Problem is the body of every error: an RFC 9457 problem.
type Problem struct { //nolint:errname // its name is that of the schema in the description
	Type      string         `json:"type" example:"about:blank" doc:"Always about:blank: code tells problems apart."`
	Title     string         `json:"title" example:"Not Found" doc:"The words of the HTTP status."`
	Status    int            `json:"status" example:"404"`
	Code      string         `json:"code" example:"node_not_found" doc:"What went wrong, as a stable name for programs."`
	Detail    string         `json:"detail" doc:"A sentence that a person can act on."`
	RequestID string         `json:"request_id" example:"0123456789abcdef" doc:"Names the request in the log of the server."`
	Errors    []FieldProblem `json:"errors,omitempty" doc:"What is wrong with which field or parameter."`

	retryAfter time.Duration
	cause      error
}

// FieldProblem is what is wrong with one field of the body or one parameter.
type FieldProblem struct {
	Field   string `json:"field" example:"entries[0]" doc:"The parameter, or the path in the body; empty for the whole body."`
	Message string `json:"message"`
}

// newProblem returns the problem with the status that belongs to the code.
func newProblem(code, detail string) *Problem {
	status, known := statuses[code]
	if !known {
		status = http.StatusInternalServerError
	}
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail}
}

// notFound returns the problem of a thing that does not exist: code
// cluster_not_found for the kind "cluster".
func notFound(kind, sentence string) *Problem {
	return newProblem(kind+"_not_found", sentence)
}

// invalid returns the problem of one wrong field or parameter.
func invalid(field, message string) *Problem {
	return invalidFields(FieldProblem{Field: field, Message: message})
}

// invalidFields returns the problem of wrong fields or parameters; its detail
// is what is said about them, one sentence after the other.
func invalidFields(fields ...FieldProblem) *Problem {
	sentences := make([]string, 0, len(fields))
	for _, field := range fields {
		text := field.Message
		if field.Field != "" {
			text = field.Field + ": " + text
		}
		sentences = append(sentences, strings.TrimSuffix(text, ".")+".")
	}
	p := newProblem(codeInvalid, strings.Join(sentences, " "))
	p.Errors = fields
	return p
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Unwrap returns the error that the problem was made of; it is for the log only.
func (p *Problem) Unwrap() error { return p.cause }

// GetStatus returns the HTTP status; huma asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that belong to the problem; huma asks for them.
func (p *Problem) GetHeaders() http.Header {
	return problemHeaders(p)
}

// ContentType returns the media type of a problem; huma asks for it.
func (*Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// toProblem turns any error of a handler into a problem. What is not meant for
// the public becomes internal_error; its text goes to the log only.
func toProblem(ctx context.Context, err error) *Problem {
	p := classify(err)
	p.RequestID = requestID(ctx)
	return p
}

func classify(err error) *Problem {
	var known *Problem
	var fields *fleet.InvalidError
	var coded interface {
		error
		ErrorCode() string
	}
	switch {
	case errors.As(err, &known):
		again := *known
		return &again
	case errors.As(err, &fields):
		return fromFields(fields)
	case errors.As(err, &coded):
		return fromCode(coded.ErrorCode(), coded.Error(), err)
	case errors.Is(err, context.DeadlineExceeded):
		return withCause(newProblem(codeTimeout, "The server could not answer in time. Try again."), err)
	case errors.Is(err, context.Canceled):
		return withCause(newProblem(codeUnavailable, "The request was given up."), err)
	default:
		return withCause(newProblem(codeInternal, internalDetail), err)
	}
}

const internalDetail = "The server failed to answer. Its log says why, under the request id."

func withCause(p *Problem, err error) *Problem {
	p.cause = err
	return p
}

// fromCode makes the problem of an error that names its own code. What a
// database says about itself stays in the log.
func fromCode(code, text string, err error) *Problem {
	if _, known := statuses[code]; !known {
		return withCause(newProblem(codeInternal, internalDetail), err)
	}
	if code == codeDatabase {
		text = "The database cannot be used at the moment. Try again; the log of the server says more."
	}
	return withCause(newProblem(code, sentence(text)), err)
}

func fromFields(err *fleet.InvalidError) *Problem {
	fields := make([]FieldProblem, 0, len(err.Fields))
	for _, field := range err.Fields {
		fields = append(fields, FieldProblem{Field: field.Field, Message: field.Message})
	}
	return invalidFields(fields...)
}

// useProblems makes huma answer its own errors as problems, too. Huma keeps the
// functions that do it, and what it takes for valid, in package variables.
var useProblems = sync.OnceFunc(func() {
	huma.NewError = func(status int, message string, causes ...error) huma.StatusError {
		return fromHuma(status, message, causes)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, causes ...error) huma.StatusError {
		p := fromHuma(status, message, causes)
		if ctx != nil {
			p.RequestID = requestID(ctx.Context())
		}
		return p
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

// fromHuma makes the problem of an error that huma found. The values that huma
// would repeat are left out: a wrong body may hold a password.
func fromHuma(status int, message string, causes []error) *Problem {
	code, known := humaCodes[status]
	if !known {
		code = codeInternal
	}
	if len(causes) == 0 || code == codeInternal {
		return newProblem(code, sentence(message))
	}
	fields := make([]FieldProblem, 0, len(causes))
	for _, cause := range causes {
		fields = append(fields, fromDetail(cause))
	}
	p := invalidFields(fields...)
	if code != codeInvalid {
		detail := p.Detail
		p = newProblem(code, detail)
		p.Errors = fields
	}
	return p
}

func fromDetail(cause error) FieldProblem {
	var detailer huma.ErrorDetailer
	if !errors.As(cause, &detailer) {
		return FieldProblem{Message: sentence(cause.Error())}
	}
	detail := detailer.ErrorDetail()
	field := detail.Location
	for _, place := range []string{"body", "query", "path", "header", "cookie"} {
		if rest, cut := strings.CutPrefix(field, place); cut {
			field = strings.TrimPrefix(rest, ".")
			break
		}
	}
	message := detail.Message
	if strings.Contains(message, "2006-01-02") { // a layout of Go
		message = "this is no time; write it as 2026-11-10T09:00:00Z"
	}
	return FieldProblem{Field: field, Message: sentence(message)}
}

// sentence gives a fault found by a library the looks of a sentence.
func sentence(text string) string {
	if text == "" {
		return "The request cannot be answered."
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
