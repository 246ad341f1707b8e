package pveapi_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestRefuseLocal: the check holds for what a name resolves to, and nothing
// reaches the server.
func TestRefuseLocal(t *testing.T) {
	server := serve(t, demoServer())
	fingerprint, err := pveapi.ParseFingerprint(server.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, reason string }{
		{"127.0.0.1", "loopback"},
		{"localhost", "loopback"},
		{"[::1]", "loopback"},
		{"[::ffff:127.0.0.1]", "loopback"},
		{"169.254.169.254", "link-local"},
		{"[fe80::1]", "link-local"},
	} {
		t.Run(c.host, func(t *testing.T) {
			options := pveapi.Options{
				Cluster: "lab", Token: parseToken(t, pvesim.DemoToken), Limits: patient,
				Endpoints:    []string{"https://" + c.host + ":" + at.Port()},
				Fingerprints: []pveapi.Fingerprint{fingerprint}, RefuseLocal: true,
			}
			client, err := pveapi.New(options)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			_, err = client.Read(t.Context(), pveapi.Request{})
			failure, ok := errors.AsType[*pveapi.Error](err)
			if !ok || failure.Code != pveapi.CodeUnreachable || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("want a refusal that says %s, got %v", c.reason, err)
			}
		})
	}
	read(t, newClient(t, patient, server)) // without the option, the same server answers
}
