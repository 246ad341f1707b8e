package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

const password = "horse battery staple"

// settings are those of a server that keeps its data in a folder and may ask the
// simulated cluster.
func settings(folder string) *config.Config {
	return &config.Config{
		Listen: "127.0.0.1:0", Data: folder, KeyFile: filepath.Join(folder, "keyring"),
		Database:            config.NewSecret("sqlite:" + filepath.Join(folder, "pciatlas.db")),
		AllowLocalEndpoints: true, Share: time.Minute,
	}
}

// site is a running server and one who uses it.
type site struct {
	*server.Server

	log    *lockedBuffer
	client *http.Client
	bearer string // sent in place of the cookie
	remote string // address of a server of another process; "" for the Server
}

func (s *site) base() string {
	if s.remote != "" {
		return s.remote
	}
	return s.URL()
}

// begin starts a server. It is stopped at the end of the test, and its log must not
// hold any secret of the tests.
func begin(t testing.TB, options server.Options) *site {
	t.Helper()
	s := &site{log: &lockedBuffer{}, client: browser(t)}
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	if s.Server, err = server.New(options); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.stop(t)
		for _, secret := range []string{password, secretOf(pvesim.DemoToken), "pa_", s.SetupToken()} {
			if secret != "" && strings.Contains(s.log.String(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
	return s
}

func (s *site) stop(t testing.TB) {
	t.Helper()
	s.client.CloseIdleConnections()
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func browser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport}
}

type object = map[string]any

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request below /api/v1.
func (s *site) call(ctx context.Context, method, path string, body any, header ...string) (reply, error) {
	var data io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		data = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base()+"/api/v1"+path, data)
	if err != nil {
		return reply{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.bearer != "" {
		request.Header.Set("Authorization", "Bearer "+s.bearer)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer := reply{status: response.StatusCode, header: response.Header}
	answer.body, err = io.ReadAll(response.Body)
	return answer, err
}

// want sends a request that has to be answered with a status, and gives the answer.
func (s *site) want(t testing.TB, status int, method, path string, body any, header ...string) object {
	t.Helper()
	answer, err := s.call(t.Context(), method, path, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if answer.status != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, answer.status, status, answer.body)
	}
	var decoded object
	if len(answer.body) > 0 {
		if err := json.Unmarshal(answer.body, &decoded); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, answer.body)
		}
	}
	return decoded
}

// setUp makes the administrator root, who is signed in afterwards.
func (s *site) setUp(t testing.TB) {
	t.Helper()
	s.setUpWith(t, s.SetupToken())
}

func (s *site) setUpWith(t testing.TB, token string) {
	t.Helper()
	s.want(t, http.StatusOK, http.MethodPost, "/setup", object{"token": token, "name": "root", "password": password})
}

// lab is a simulated cluster.
type lab struct {
	*pvesim.Server

	tls *pvesim.TLSServer
}

func newLab(t testing.TB, simulated *pvesim.Server) *lab {
	t.Helper()
	tls, err := pvesim.NewTLSServer(simulated)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tls.Close)
	return &lab{simulated, tls}
}

// connection is what is needed to reach a cluster with the demo's token.
func connection(url string, fingerprints ...string) object {
	id, secret, _ := strings.Cut(pvesim.DemoToken, "=")
	return object{"entries": []string{url}, "tls": object{"fingerprints": fingerprints}, "token_id": id, "secret": secret}
}

func secretOf(token string) string {
	_, secret, _ := strings.Cut(token, "=")
	return secret
}

// register registers a cluster under a name.
func (s *site) register(t testing.TB, name string, cluster object) {
	t.Helper()
	named := object{"name": name}
	maps.Copy(named, cluster)
	s.want(t, http.StatusCreated, http.MethodPost, "/clusters", named)
}

// isTrue tells whether a value of an answer is true.
func isTrue(value any) bool {
	truth, ok := value.(bool)
	return ok && truth
}

// codeOf is the code of a problem.
func codeOf(problem object) string {
	code, _ := problem["code"].(string)
	return code
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(20 * time.Second)
	for !so() {
		select {
		case <-deadline:
			t.Fatalf("not so after 20 s: %s", what)
		case <-ticker.C:
		}
	}
}
