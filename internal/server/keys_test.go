package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

// TestLostKeyring: no new keyring takes the place of one that is needed.
func TestLostKeyring(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo()})
	kept := settings(t.TempDir())
	s := begin(t, server.Options{Config: kept})
	s.setUp(t)
	s.register(t, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
	s.stop(t)
	if err := os.Rename(kept.KeyFile, kept.KeyFile+".away"); err != nil {
		t.Fatal(err)
	}
	lost, err := server.New(server.Options{Config: kept})
	if err != nil {
		t.Fatal(err)
	}
	err = lost.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), kept.KeyFile) || !strings.Contains(err.Error(), "(lab)") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(kept.KeyFile); err == nil {
		t.Error("a new keyring was made")
	}
	if err := os.Rename(kept.KeyFile+".away", kept.KeyFile); err != nil {
		t.Fatal(err)
	}
	begin(t, server.Options{Config: kept})
}

// TestForeignKeyring: the server says that it cannot open the tokens, and is ready
// again once they were entered.
func TestForeignKeyring(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo()})
	kept := settings(t.TempDir())
	s := begin(t, server.Options{Config: kept})
	s.setUp(t)
	s.register(t, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
	kept.Listen = s.Addr().String()
	s.stop(t)
	kept.KeyFile = filepath.Join(kept.Data, "foreign")
	if err := os.WriteFile(kept.KeyFile, []byte("new "+strings.Repeat("A", 43)+"=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := begin(t, server.Options{Config: kept})
	again.client = s.client
	if !strings.Contains(again.log.String(), "opens none of the stored tokens of clusters (lab)") {
		t.Errorf("the log: %s", again.log)
	}
	if status, body := again.ready(t); status != http.StatusServiceUnavailable || !strings.Contains(body, `"keyring_unfit"`) || strings.Contains(body, kept.Data) {
		t.Errorf("%d: %s", status, body)
	}
	update := connection(lab.tls.URL, lab.tls.Fingerprint)
	update["revision"] = again.want(t, http.StatusOK, http.MethodGet, "/clusters/lab", nil)["revision"]
	again.want(t, http.StatusOK, http.MethodPut, "/clusters/lab", update)
	again.stop(t)
	third := begin(t, server.Options{Config: kept})
	if status, body := third.ready(t); status != http.StatusOK {
		t.Errorf("%d: %s", status, body)
	}
}

// ready asks whether the server is ready.
func (s *site) ready(t *testing.T) (int, string) {
	t.Helper()
	response, err := s.client.Do(newRequest(t, s.base()+"/readyz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}
