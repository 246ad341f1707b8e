package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

// TestWrongCertificate: with another pin, nothing is sent.
func TestWrongCertificate(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo()})
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	wrong := connection(lab.tls.URL, strings.Repeat("00:", 31)+"00")
	test := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", wrong)
	certificate := test["certificate"].(object)
	if !isTrue(test["reachable"]) || isTrue(certificate["trusted"]) || certificate["fingerprint"] != lab.tls.Fingerprint || !strings.Contains(certificate["reason"].(string), "not the expected one") {
		t.Errorf("%v", test)
	}
	s.register(t, "lab", wrong)
	problem := s.want(t, http.StatusBadGateway, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	if codeOf(problem) != "pve_certificate" || !strings.Contains(problem["detail"].(string), lab.tls.Fingerprint) {
		t.Errorf("%v", problem)
	}
	if requests := lab.Stats().Requests; requests != 0 {
		t.Errorf("%d requests were sent", requests)
	}
}

// TestChangedCertificate: a renewed certificate stops the reads until it is pinned.
func TestChangedCertificate(t *testing.T) {
	before := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	after := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	gate := newGate(t, before.tls.URL)
	impatient := settings(t.TempDir())
	impatient.Share = 0
	s := begin(t, server.Options{Config: impatient})
	s.setUp(t)
	s.register(t, "lab", connection(gate.url, before.tls.Fingerprint))
	s.want(t, http.StatusOK, http.MethodGet, "/resources/gpus?node=pve-a", nil)

	gate.lead(after.tls.URL)
	problem := s.want(t, http.StatusBadGateway, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	if codeOf(problem) != "pve_certificate" || !strings.Contains(problem["detail"].(string), after.tls.Fingerprint) || after.Stats().Requests != 0 {
		t.Errorf("%v, %d requests", problem, after.Stats().Requests)
	}
	update := connection(gate.url, after.tls.Fingerprint)
	update["revision"] = s.want(t, http.StatusOK, http.MethodGet, "/clusters/lab", nil)["revision"]
	s.want(t, http.StatusOK, http.MethodPut, "/clusters/lab", update)
	s.want(t, http.StatusOK, http.MethodGet, "/resources/gpus?node=pve-a", nil)
}

// gate passes connections on to one server, later to another one.
type gate struct {
	url    string
	target atomic.Value // HOST:PORT
	mu     sync.Mutex
	open   []net.Conn
}

func newGate(t *testing.T, url string) *gate {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{url: "https://" + listener.Addr().String()}
	g.lead(url)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			outer, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { g.pass(t, outer) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		g.lead(url)
		running.Wait()
	})
	return g
}

// lead chooses the server of new connections and ends the others.
func (g *gate) lead(url string) {
	g.target.Store(strings.TrimPrefix(url, "https://"))
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, connection := range g.open {
		_ = connection.Close()
	}
	g.open = nil
}

func (g *gate) pass(t *testing.T, outer net.Conn) {
	t.Helper()
	inner, err := new(net.Dialer).DialContext(t.Context(), "tcp", g.target.Load().(string))
	if err != nil {
		_ = outer.Close()
		return
	}
	g.mu.Lock()
	g.open = append(g.open, outer, inner)
	g.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{outer, inner}, {inner, outer}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_ = way[0].Close()
		})
	}
	both.Wait()
}

// TestRedirect: an answer that leads elsewhere leads nowhere.
func TestRedirect(t *testing.T) {
	var elsewhere atomic.Int64
	target, err := pvesim.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	entry, err := pvesim.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer entry.Close()
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	given := connection(entry.URL, entry.Fingerprint, target.Fingerprint)
	test := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", given)
	if test["token"].(object)["ok"] != nil || !strings.Contains(test["problem"].(string), "307") {
		t.Errorf("%v", test)
	}
	s.register(t, "lab", given)
	problem := s.want(t, http.StatusBadGateway, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	if codeOf(problem) != "pve_refused" || elsewhere.Load() != 0 {
		t.Errorf("%v, %d requests elsewhere", problem, elsewhere.Load())
	}
}

// TestServesTLS: with a certificate the server speaks TLS only, and its cookie goes
// nowhere else.
func TestServesTLS(t *testing.T) {
	folder := t.TempDir()
	protected := settings(folder)
	protected.TLSCert, protected.TLSKey = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	pool := writeCertificate(t, protected.TLSCert, protected.TLSKey)
	s := begin(t, server.Options{Config: protected})
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	answer, err := s.call(t.Context(), http.MethodPost, "/setup", object{"token": s.SetupToken(), "name": "root", "password": password})
	if err != nil || answer.status != http.StatusOK || !strings.Contains(answer.header.Get("Set-Cookie"), "Secure") || !strings.HasPrefix(s.URL(), "https://") {
		t.Errorf("%d, %v: %v", answer.status, err, answer.header)
	}
	s.want(t, http.StatusOK, http.MethodGet, "/session", nil)

	protected = settings(t.TempDir())
	protected.TLSCert, protected.TLSKey = filepath.Join(folder, "key.pem"), filepath.Join(folder, "cert.pem")
	swapped, err := server.New(server.Options{Config: protected})
	if err != nil {
		t.Fatal(err)
	}
	if err := swapped.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

// TestRenewedCertificate: a renewed certificate is shown without a restart, and one
// that cannot be used is not.
func TestRenewedCertificate(t *testing.T) {
	folder := t.TempDir()
	protected := settings(folder)
	protected.TLSCert, protected.TLSKey = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	before := writeCertificate(t, protected.TLSCert, protected.TLSKey)
	s := begin(t, server.Options{Config: protected})
	reach := func(pool *x509.CertPool) error {
		connection, err := (&tls.Dialer{Config: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}).
			DialContext(t.Context(), "tcp", s.Addr().String())
		if err == nil {
			_ = connection.Close()
		}
		return err
	}
	if err := reach(before); err != nil {
		t.Fatal(err)
	}
	// Half a renewal: the key does not belong to the certificate.
	other := filepath.Join(folder, "other.pem")
	after := writeCertificate(t, other, protected.TLSKey)
	for range 2 {
		if err := reach(before); err != nil {
			t.Errorf("with a broken pair: %v", err)
		}
	}
	if said := strings.Count(s.log.String(), "the one before stays in use"); said != 1 {
		t.Errorf("the log says %d times that the pair is broken", said)
	}
	if err := os.Rename(other, protected.TLSCert); err != nil {
		t.Fatal(err)
	}
	if err := reach(after); err != nil {
		t.Errorf("renewed: %v", err)
	}
	if err := reach(before); err == nil {
		t.Error("the old certificate is still shown")
	}
	if err := os.Remove(protected.TLSKey); err != nil {
		t.Fatal(err)
	}
	if err := reach(after); err != nil || strings.Contains(s.log.String(), "PRIVATE") {
		t.Errorf("without a key: %v", err)
	}
}

func writeCertificate(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: raw}, keyFile: {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		data := pem.EncodeToMemory(block)
		pool.AppendCertsFromPEM(data)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}
