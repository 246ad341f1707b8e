package pvesim

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// TLSServer serves a handler on a free port of 127.0.0.1 with a certificate of
// its own, as a node of PVE does.
type TLSServer struct {
	// URL is https://127.0.0.1:PORT.
	URL string
	// Fingerprint is the SHA-256 fingerprint of the certificate in PVE's spelling,
	// AA:BB:….
	Fingerprint string
	// Certificate signs itself; Pool trusts nothing else.
	Certificate *x509.Certificate
	Pool        *x509.CertPool

	server   *http.Server
	listener *trackedListener
	running  sync.WaitGroup
}

// NewTLSServer starts serving. Close ends it.
func NewTLSServer(handler http.Handler) (*TLSServer, error) {
	certificate, err := selfSigned()
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	plain, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &TLSServer{
		URL: "https://" + plain.Addr().String(), Fingerprint: colonHex(sha256.Sum256(certificate.Leaf.Raw)),
		Certificate: certificate.Leaf, Pool: x509.NewCertPool(),
		listener: &trackedListener{Listener: plain, open: map[net.Conn]struct{}{}},
	}
	s.Pool.AddCert(certificate.Leaf)
	s.server = &http.Server{
		Handler: s.counted(handler), ReadHeaderTimeout: defaultIdle, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // no HTTP/2: PVE has none
	}
	s.running.Go(func() {
		_ = s.server.ServeTLS(s.listener, "", "") // ends with ErrServerClosed
	})
	return s, nil
}

// Client gives a client that trusts the certificate.
func (s *TLSServer) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.Pool, MinVersion: tls.VersionTLS12}, IdleConnTimeout: defaultIdle - time.Second,
	}}
}

// Close closes the listener and all connections and waits for all answers to
// end.
func (s *TLSServer) Close() {
	_ = s.server.Close() // what can be closed is
	s.listener.closeAll()
	s.running.Wait()
}

// counted lets Close wait for handlers that took their connection over.
func (s *TLSServer) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Done()
		handler.ServeHTTP(w, r)
	})
}

// selfSigned makes a certificate for the loopback address.
func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make key: %w", err)
	}
	now := time.Now()
	template := x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "pve", Organization: []string{"PVE Cluster Node"}},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(2, 0, 0), DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("sign: %w", err)
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read back: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key, Leaf: leaf}, nil
}

// trackedListener knows its open connections: net/http forgets those that a
// handler takes over.
type trackedListener struct {
	net.Listener
	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// Accept gives the next connection.
func (l *trackedListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http looks at the error itself
	}
	tracked := &trackedConn{Conn: nc, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = nc.Close() // too late for it
	}
	l.open[tracked] = struct{}{}
	return tracked, nil
}

func (l *trackedListener) closeAll() {
	l.mu.Lock()
	l.closed = true
	open := make([]net.Conn, 0, len(l.open))
	for nc := range l.open {
		open = append(open, nc)
	}
	l.mu.Unlock()
	for _, nc := range open {
		_ = nc.Close() // it may be closed already
	}
}

type trackedConn struct {
	net.Conn
	listener *trackedListener
}

// Close closes the connection and forgets it.
func (c *trackedConn) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.open, c)
	c.listener.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // a connection's own error
}
