package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/server"
)

// TestForeignHost: a name that leads to this machine by a trick is refused, in the
// demo with another port as well.
func TestForeignHost(t *testing.T) {
	plain := begin(t, server.Options{Config: settings(t.TempDir())})
	public := settings(t.TempDir())
	public.PublicURL = "https://atlas.example.com"
	behind := begin(t, server.Options{Config: public})
	demo, err := server.StartDemo(t.Context(), server.DemoOptions{Listen: "127.0.0.1:0", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = demo.Stop(t.Context()) })
	port := demo.URL()[strings.LastIndex(demo.URL(), ":"):]
	for _, test := range []struct {
		s      *server.Server
		host   string
		status int
	}{
		{plain.Server, "", http.StatusOK},
		{plain.Server, "localhost:1", http.StatusOK},
		{plain.Server, "LOCALHOST", http.StatusOK},
		{plain.Server, "[::1]", http.StatusOK},
		{plain.Server, "127.1.2.3:80", http.StatusOK},
		{plain.Server, "evil.example.com", http.StatusMisdirectedRequest},
		{plain.Server, "127.0.0.1.nip.io:8080", http.StatusMisdirectedRequest},
		{plain.Server, "192.0.2.1", http.StatusMisdirectedRequest},
		{behind.Server, "atlas.example.com", http.StatusOK},
		{demo.Server, "", http.StatusOK},
		{demo.Server, "localhost" + port, http.StatusOK},
		{demo.Server, "[::1]" + port, http.StatusOK},
		{demo.Server, "localhost:1", http.StatusMisdirectedRequest},
		{demo.Server, "evil.example.com" + port, http.StatusMisdirectedRequest},
	} {
		request := newRequest(t, "http://"+test.s.Addr().String()+"/api/v1/sign-in")
		if test.host != "" {
			request.Host = test.host
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%q: %d, want %d", test.host, response.StatusCode, test.status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
