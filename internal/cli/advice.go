package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/pveapi"
)

// advise adds to an error of the API what a person can do about it.
func (s *source) advise(env Env, err error, token pveapi.Token) error {
	if certificate, ok := errors.AsType[*pveapi.CertificateError](err); ok {
		return adviseCertificate(env, certificate)
	}
	failure, ok := errors.AsType[*pveapi.Error](err)
	switch {
	case !ok || errors.Is(err, context.Canceled):
		return err
	case failure.Status == 401:
		return advised(err, ".\nProxmox VE does not accept the token %s. It does not say why; look at these:\n"+
			"  - the name is complete, with realm and token: USER@REALM!NAME\n"+
			"  - the secret is the one shown when the token was made (it cannot be shown again)\n"+
			"  - neither the user nor the token has expired or is disabled: pveum user token list %s",
			token.String(), quote(strings.Split(token.ID, "!")[0]))
	case failure.Status == 0:
		return advised(err, ".\nNo entry node answers at %s. Is the address right, with port 8006, and reachable from here?",
			strings.Join(s.endpoints, ", "))
	default:
		return err
	}
}

// advised adds advice to an error; the values in it are cleaned.
func advised(err error, format string, args ...any) error {
	return &advice{err, cleanf(format, args)}
}

// adviseCertificate leads from an unknown certificate to a pinned one.
func adviseCertificate(env Env, e *pveapi.CertificateError) error {
	if e.Pinned {
		return advised(e, ".\nIf the node's certificate was renewed, compare that fingerprint with what the node itself says:\n"+
			"  pvenode cert info\nand give it with --tls-fingerprint. If it was not renewed, something else answers at this address: do not go on")
	}
	return advised(e, ".\n%s Compare the fingerprint with what the node says:\n"+
		"  pvenode cert info\nIf they are equal, repeat the command with it:\n  %s", certificateFault(env, e.Err), commandWith(env.args, e.Seen))
}

// certificateFault says in a sentence why a certificate is not trusted.
func certificateFault(env Env, err error) string {
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return "It is not for " + name.Host + ", but for " + certificateNames(name.Certificate) +
			". If that is the node you mean, give one of these names with --endpoint."
	}
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	if !ok || invalid.Reason != x509.Expired || invalid.Cert == nil {
		return "The reason: " + err.Error() + ". That is usual for a node with the certificate it made itself."
	}
	now := env.Now()
	if now.Before(invalid.Cert.NotBefore) {
		return "It is valid from " + day(invalid.Cert.NotBefore) + " on only, and the clock of this machine says " + day(now) + "."
	}
	return "It expired on " + day(invalid.Cert.NotAfter) + " (the clock of this machine says " + day(now) +
		"); renew it on the node, or trust just this one."
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func certificateNames(certificate *x509.Certificate) string {
	names := slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no name at all"
	}
	return strings.Join(names, ", ")
}

// commandWith gives a command line once more, word for word, with a fingerprint. No
// secret is in it: the token is in a file or a variable.
func commandWith(args []string, fingerprint pveapi.Fingerprint) string {
	words := []string{"pciatlas"}
	// After -- a flag would be taken for a value.
	if slices.Contains(args, "--") {
		words = append(words, "--tls-fingerprint="+fingerprint.String())
	}
	for _, arg := range args {
		words = append(words, quote(arg))
	}
	if len(words) == len(args)+1 {
		words = append(words, "--tls-fingerprint", fingerprint.String())
	}
	return strings.Join(words, " ")
}
