package pveapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"pciatlas/internal/facts"
)

// Codes of errors that end a read as a whole.
const (
	CodeUnreachable = "pve_unreachable"
	CodeRefused     = "pve_refused"
	CodeTimeout     = "pve_timeout"
	CodeCertificate = "pve_certificate"
)

// Error is the failure of one request, or of a whole read. Code is one of the
// codes above. Status and Reason are those of Proxmox VE, 0 and "" if it did not
// answer. Problem is the code that the failure has as a facts.Problem.
type Error struct {
	Code    string
	Status  int
	Reason  string
	Request string
	Problem string
	Err     error
}

// Error gives a sentence with PVE's own status and reason.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", e.Request)
	switch {
	case e.Status != 0:
		fmt.Fprintf(&b, "Proxmox VE answered %d %s", e.Status, e.Reason)
	case e.Problem == facts.ProblemTimeout:
		b.WriteString("no answer in time")
	case e.Err != nil && e.Problem != facts.ProblemUnreachable:
		return b.String() + e.Err.Error() // no question of an answer
	default:
		b.WriteString("no answer")
	}
	if e.Err != nil {
		fmt.Fprintf(&b, " (%s)", e.Err)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode gives Code.
func (e *Error) ErrorCode() string { return e.Code }

func (e *Error) problem() facts.Problem {
	message := "no answer"
	switch {
	case e.Status != 0:
		message = strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Reason))
	case e.Problem == facts.ProblemTimeout:
		message = "no answer in time"
	case e.Err != nil && e.Problem != facts.ProblemUnreachable:
		return facts.Problem{Code: e.Problem, Subject: e.Request, Message: e.Err.Error()}
	}
	if e.Err != nil {
		message += " (" + e.Err.Error() + ")"
	}
	return facts.Problem{Code: e.Problem, Subject: e.Request, Message: message}
}

// problemOf turns any failure of a request into a problem.
func problemOf(request string, err error) facts.Problem {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.problem()
	}
	return facts.Problem{Code: facts.ProblemIO, Subject: request, Message: err.Error()}
}

// connectionError translates a failure before an answer.
func connectionError(request, address string, err error) *Error {
	failure := &Error{Code: CodeUnreachable, Request: request, Problem: facts.ProblemUnreachable}
	if certificate := certificateError(address, err); certificate != nil {
		failure.Code, failure.Err = CodeCertificate, certificate
		return failure
	}
	timeout, isNet := errors.AsType[net.Error](err)
	if errors.Is(err, context.DeadlineExceeded) || isNet && timeout.Timeout() {
		failure.Code, failure.Problem = CodeTimeout, facts.ProblemTimeout
		return failure
	}
	failure.Err = plainCause(err)
	return failure
}

// plainCause drops the URL from an error of net/http: the request is named
// already.
func plainCause(err error) error {
	for {
		if operation, ok := errors.AsType[*net.OpError](err); ok {
			return operation.Err
		}
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// statusError translates an answer that is not 200.
func statusError(request string, status int, reason string) *Error {
	failure := &Error{Code: CodeRefused, Status: status, Reason: reason, Request: request, Problem: facts.ProblemRefused}
	switch status {
	case 401, 403:
		failure.Problem = facts.ProblemPermission
	case 501:
		failure.Problem = facts.ProblemUnsupported
	case 595, 596, 599:
		// The node that was asked did not answer the node that was asked first.
		failure.Code, failure.Problem = CodeUnreachable, facts.ProblemUnreachable
	}
	return failure
}

func malformed(request string, err error) *Error {
	return &Error{Code: CodeRefused, Status: 200, Reason: "OK", Request: request, Problem: facts.ProblemMalformed, Err: err}
}
