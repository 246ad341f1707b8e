package pveapi

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fingerprint is the SHA-256 of a certificate, as `pvenode cert info` shows it.
type Fingerprint [sha256.Size]byte

// ParseFingerprint reads 32 bytes in hexadecimal digits, with or without colons.
func ParseFingerprint(s string) (Fingerprint, error) {
	var f Fingerprint
	digits := strings.ReplaceAll(strings.TrimSpace(s), ":", "")
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(f) {
		return f, errors.New("a certificate's fingerprint is 32 bytes in hexadecimal digits, such as 15:95:E3:…, the SHA-256 that `pvenode cert info` shows")
	}
	copy(f[:], raw)
	return f, nil
}

// String gives the fingerprint as Proxmox VE writes it.
func (f Fingerprint) String() string {
	parts := make([]string, len(f))
	for i, b := range f {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// CertificateError says that the certificate of an address is not trusted. Seen
// is its fingerprint, to be compared with what the node itself says.
type CertificateError struct {
	Address string
	Seen    Fingerprint
	// Pinned: another certificate was expected.
	Pinned bool
	Err    error
}

// Error says what is wrong.
func (e *CertificateError) Error() string {
	if e.Pinned {
		return fmt.Sprintf("the certificate of %s is not the expected one; its fingerprint is %s", e.Address, e.Seen)
	}
	return fmt.Sprintf("the certificate of %s is not trusted; its fingerprint is %s", e.Address, e.Seen)
}

// Unwrap gives the reason.
func (e *CertificateError) Unwrap() error { return e.Err }

// Proxmox VE closes idle connections after 5 s.
const idleTimeout = 4 * time.Second

// connectTimeout leaves time for the next entry node when one does not answer.
const connectTimeout = 4 * time.Second

func newTransport(options *Options) *http.Transport {
	connect := min(connectTimeout, options.Limits.Request)
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 15 * time.Second}
	if options.RefuseLocal {
		dialer.Control = refuseLocal
	}
	return &http.Transport{
		DialContext:         dialer.DialContext,
		TLSClientConfig:     tlsConfig(options),
		TLSHandshakeTimeout: connect,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: options.Limits.PerCluster,
		MaxConnsPerHost:     options.Limits.PerCluster,
		// Proxmox VE sends a few hundred bytes of them.
		MaxResponseHeaderBytes: 64 << 10,
		ResponseHeaderTimeout:  0, // the context of each request bounds it
	}
}

func tlsConfig(options *Options) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.CAs}
	if len(options.Fingerprints) == 0 {
		return config
	}
	// The pin takes the place of the chain: only these certificates are trusted.
	config.InsecureSkipVerify = true
	pins := slices.Clone(options.Fingerprints)
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		seen := fingerprintOf(state.PeerCertificates[0])
		if !slices.Contains(pins, seen) {
			return &CertificateError{Address: state.ServerName, Seen: seen, Pinned: true}
		}
		return nil
	}
	return config
}

func fingerprintOf(certificate *x509.Certificate) Fingerprint { return sha256.Sum256(certificate.Raw) }

// certificateError finds the certificate in an error of the connection, nil if
// it was another kind of error.
func certificateError(address string, err error) *CertificateError {
	if pinned, ok := errors.AsType[*CertificateError](err); ok {
		return &CertificateError{Address: address, Seen: pinned.Seen, Pinned: true, Err: pinned.Err}
	}
	if refused, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(refused.UnverifiedCertificates) > 0 {
		return &CertificateError{Address: address, Seen: fingerprintOf(refused.UnverifiedCertificates[0]), Err: refused.Err}
	}
	return nil
}
