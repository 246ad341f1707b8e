package server

import (
	"context"
	"errors"
	"fmt"

	"pciatlas/internal/pveapi"
)

// clusterError is a failure with a stable code and a sentence for the public.
type clusterError struct {
	code, text string
	err        error
}

// Error gives the sentence.
func (e *clusterError) Error() string { return e.text }

// ErrorCode gives the code.
func (e *clusterError) ErrorCode() string { return e.code }

// Unwrap gives the cause.
func (e *clusterError) Unwrap() error { return e.err }

// publicError says which cluster could not be read, why, and what to do about it.
// That a caller gave up stays what it is; nil stays nil.
func publicError(cluster string, err error) error {
	failure, ok := errors.AsType[*pveapi.Error](err)
	switch {
	case ok:
		return &clusterError{failure.Code, "cluster " + cluster + ": " + explain(failure), err}
	case errors.Is(err, context.DeadlineExceeded):
		return &clusterError{pveapi.CodeTimeout, fmt.Sprintf("cluster %s did not answer in time", cluster), err}
	default:
		return err
	}
}

// explain says what a failure means, with what a person can do.
func explain(failure *pveapi.Error) string {
	if certificate, ok := errors.AsType[*pveapi.CertificateError](failure); ok {
		return certificate.Error() + ". Compare it with what `pvenode cert info` says on the node. If they are equal, " +
			"trust this fingerprint in the settings of the cluster; if not, something else answers at this address"
	}
	switch {
	case failure.Code == pveapi.CodeLogin, failure.Code == pveapi.CodeSecondFactor:
		return failure.Err.Error()
	case failure.Status == 401:
		return failure.Error() + ". Proxmox VE does not accept the token: see that it is complete and has not expired"
	case failure.Status == 0 && failure.Code == pveapi.CodeUnreachable:
		return "no entry node answers. " + failure.Error() + ". See that the addresses are right and can be reached from the server"
	default:
		return failure.Error()
	}
}
