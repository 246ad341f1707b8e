package pveapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Shown is what one address showed of itself before anything was sent to it.
type Shown struct {
	// Address is HOST:PORT.
	Address string
	// Certificate is that of the server, Fingerprint its SHA-256; nil and zero if it
	// showed none.
	Certificate *x509.Certificate
	Fingerprint Fingerprint
	// Err is nil if the certificate is trusted, else why the address is of no use: its
	// code is CodeCertificate, CodeTimeout or CodeUnreachable.
	Err *Error
}

// probesAtOnce bounds the connections of Probe.
const probesAtOnce = 64

// Probe connects to each entry node and to each node's own address, in this order
// and the nodes by name, and says what they show. It sends nothing, neither the
// token nor a request.
func (c *Client) Probe(ctx context.Context) []Shown {
	bases := slices.Clone(c.endpoints)
	for _, name := range slices.Sorted(maps.Keys(c.nodes)) {
		bases = append(bases, c.nodes[name])
	}
	shown := make([]Shown, len(bases))
	var all errgroup.Group
	all.SetLimit(probesAtOnce)
	for i, base := range bases {
		all.Go(func() error {
			shown[i] = c.probe(ctx, strings.TrimPrefix(base, "https://"))
			return nil
		})
	}
	_ = all.Wait() // none of them gives an error
	return shown
}

func (c *Client) probe(ctx context.Context, address string) Shown {
	ctx, cancel := context.WithTimeout(ctx, c.options.Limits.Request)
	defer cancel()
	shown := Shown{Address: address}
	transport := newTransport(&c.options)
	plain, err := transport.DialContext(ctx, "tcp", address)
	if err != nil {
		shown.Err = connectionError("connect to "+address, address, err)
		return shown
	}
	defer func() { _ = plain.Close() }()
	config, seen := watched(transport.TLSClientConfig)
	config.ServerName, _, _ = net.SplitHostPort(address) // it was checked when the client was made
	connection := tls.Client(plain, config)
	err = connection.HandshakeContext(ctx)
	if refused, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(refused.UnverifiedCertificates) > 0 {
		shown.Certificate = refused.UnverifiedCertificates[0]
	} else {
		shown.Certificate = seen()
	}
	if shown.Certificate != nil {
		shown.Fingerprint = fingerprintOf(shown.Certificate)
	}
	if err != nil {
		shown.Err = connectionError("connect to "+address, address, err)
	}
	return shown
}

// watched gives a configuration that decides as another does, and remembers the
// certificate that it decided about.
func watched(original *tls.Config) (config *tls.Config, seen func() *x509.Certificate) {
	var certificate *x509.Certificate
	config = original.Clone()
	verify := config.VerifyConnection
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) > 0 {
			certificate = state.PeerCertificates[0]
		}
		if verify == nil {
			return nil
		}
		return verify(state)
	}
	return config, func() *x509.Certificate { return certificate }
}
