package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"pciatlas/internal/fleet"
)

const newClusterBody = `{"name":"lab","entries":["pve-a.example.com","https://192.0.2.1:8006"],"token_id":"atlas@pve!reader","secret":"CANARY-1",
	"tls":{"fingerprints":["` + fingerprint + `"]},"node_addresses":{"pve-b":"192.0.2.2"},"desktop_tag":"VDI","limits":{"per_node":2,"node_budget_ms":8000}}`

const fingerprint = "ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"

func TestCreateCluster(t *testing.T) {
	w, clusters, _ := withClusters(t)
	got := w.do("POST", "/api/v1/clusters", newClusterBody, as("admin")).want(http.StatusCreated, "")
	var cluster Cluster
	got.decode(&cluster)
	if cluster.Entries[0] != "https://pve-a.example.com:8006" || cluster.NodeAddresses["pve-b"] != "https://192.0.2.2:8006" ||
		*cluster.DesktopTag != "vdi" || cluster.Limits.NodeBudgetMS != 8000 || cluster.Revision != 1 || got.Header().Get("ETag") != `"1"` ||
		len(cluster.TLS.Fingerprints) != 1 || cluster.Changes || !cluster.CreatedAt.Equal(start) {
		t.Errorf("%s", got.Body)
	}
	if clusters.secrets["lab"] != "CANARY-1" {
		t.Error("the secret did not arrive")
	}
	w.do("POST", "/api/v1/clusters", newClusterBody, as("admin")).want(http.StatusConflict, codeExists)
	w.do("GET", "/api/v1/clusters/lab", "", as("auditor")).want(http.StatusOK, "")
	list := w.do("GET", "/api/v1/clusters", "", as("auditor")).want(http.StatusOK, "")
	entries := w.store.audited()
	audited, _ := json.Marshal(entries)
	if len(entries) != 1 || entries[0].Action != "cluster.create" || entries[0].Object != "cluster lab" || entries[0].After["token_id"] != "atlas@pve!reader" {
		t.Errorf("audit log: %s", audited)
	}
	for what, text := range map[string]string{"answer": got.Body.String(), "list": list.Body.String(), "audit log": string(audited), "log": w.logged()} {
		if strings.Contains(text, "CANARY") {
			t.Errorf("the %s holds the secret", what)
		}
	}
}

func TestCreateClusterFaults(t *testing.T) {
	for body, fields := range map[string][]string{
		`{"name":"","entries":[],"token_id":"x","secret":"s"}`:                                            {"name", "entries", "token_id"},
		`{"name":"lab","entries":["127.0.0.1"],"token_id":"a@pve!b1","secret":"s"}`:                       {"entries[0]"},
		`{"name":"lab","entries":["http://CANARY:x@y"],"token_id":"a@pve!b1","secret":"s"}`:               {"entries[0]"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!b1","secret":""}`:                                {"secret"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!b1"}`:                                            {""},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!bb","secret":"a@pve!bb=CANARY"}`:                 {"secret"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!bb","secret":"CANARY CANARY"}`:                   {"secret"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!bb","secret":"s","limits":{"node_budget_ms":5}}`: {"limits.node_budget_ms"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!bb","secret":"s","tls":{"cas":"CANARY"}}`:        {"tls.cas"},
		`{"name":"lab","entries":["y"],"token_id":"a@pve!bb","secret":"s","CANARY":1}`:                    {"CANARY"},
	} {
		w, _, _ := withClusters(t)
		got := w.do("POST", "/api/v1/clusters", body, as("admin")).want(http.StatusUnprocessableEntity, codeInvalid)
		p := got.problem()
		if len(p.Errors) != len(fields) {
			t.Errorf("%s: %+v", body, p.Errors)
			continue
		}
		for i, field := range fields {
			if p.Errors[i].Field != field || p.Errors[i].Message == "" {
				t.Errorf("%s: %+v", body, p.Errors[i])
			}
			if field != "CANARY" && strings.Contains(got.Body.String(), "CANARY") {
				t.Errorf("the answer repeats a text: %s", got.Body)
			}
		}
		if entries := w.store.audited(); len(entries) > 0 {
			t.Errorf("%+v", entries)
		}
	}
}

// settings are the settings of a cluster as a body, with changes.
func settings(changes map[string]any) string {
	values := map[string]any{
		"entries": []string{"https://pve-a.example.com:8006"}, "token_id": "atlas@pve!reader",
		"tls": map[string]any{"fingerprints": []string{fingerprint}},
	}
	maps.Copy(values, changes)
	text, _ := json.Marshal(values)
	return string(text)
}

func TestUpdateCluster(t *testing.T) {
	w, clusters, _ := labWorld(t)
	put := func(body string, edits ...func(*http.Request)) answer {
		return w.do("PUT", "/api/v1/clusters/default", body, append(edits, as("admin"))...)
	}
	put(settings(nil)).want(http.StatusPreconditionRequired, "revision_required")
	put(settings(nil), header("If-Match", "*")).want(http.StatusPreconditionRequired, "revision_required")
	for _, tag := range []string{`"2"`, `W/"1"`, "1", `"1`} {
		put(settings(nil), header("If-Match", tag)).want(http.StatusPreconditionFailed, codeConflict)
	}
	put(settings(map[string]any{"revision": 7})).want(http.StatusConflict, codeConflict)
	put(settings(map[string]any{"revision": 7}), header("If-Match", `"1"`)).want(http.StatusConflict, codeConflict)

	got := put(settings(map[string]any{"changes": true, "desktop_tag": "vdi"}), header("If-Match", `"1"`)).want(http.StatusOK, "")
	if got.Header().Get("ETag") != `"2"` || !clusters.clusters["default"].Changes || clusters.secrets["default"] != "stored-secret" {
		t.Errorf("%s, %+v", got.Body, clusters)
	}
	put(settings(map[string]any{"revision": 2, "desktop_tag": nil, "secret": "CANARY-2"})).want(http.StatusOK, "")
	if clusters.secrets["default"] != "CANARY-2" || clusters.clusters["default"].DesktopTag != "" || clusters.clusters["default"].Changes {
		t.Errorf("%+v", clusters)
	}
	entries := w.store.audited()
	if len(entries) != 2 || entries[0].Before["changes"] == entries[0].After["changes"] || entries[1].After["secret"] != "changed" {
		t.Errorf("%+v", entries)
	}
	if audited, _ := json.Marshal(entries); strings.Contains(string(audited)+w.logged(), "CANARY") {
		t.Error("the secret is written down")
	}
	w.do("PUT", "/api/v1/clusters/x", settings(map[string]any{"revision": 1}), as("admin")).want(http.StatusNotFound, "cluster_not_found")
}

// TestSecretIsDemanded makes sure that a stored secret goes nowhere new.
func TestSecretIsDemanded(t *testing.T) {
	for field, value := range map[string]any{
		"entries":        []string{"https://evil.example.com"},
		"node_addresses": map[string]string{"pve-a": "evil.example.com"},
		"tls":            map[string]any{},
		"token_id":       "root@pam!other",
	} {
		w, clusters, _ := labWorld(t)
		body := settings(map[string]any{field: value, "revision": 1})
		p := w.do("PUT", "/api/v1/clusters/default", body, as("admin")).want(http.StatusUnprocessableEntity, "secret_needed").problem()
		if !strings.Contains(p.Detail, field) || len(p.Errors) != 1 || p.Errors[0].Field != "secret" {
			t.Errorf("%s: %+v", field, p)
		}
		if clusters.clusters["default"].Revision != 1 {
			t.Errorf("%s: the cluster was changed", field)
		}
		body = settings(map[string]any{field: value, "revision": 1, "secret": "new"})
		w.do("PUT", "/api/v1/clusters/default", body, as("admin")).want(http.StatusOK, "")
	}
}

func TestDeleteCluster(t *testing.T) {
	w, clusters, _ := labWorld(t)
	clusters.desktops["default"][100] = fleet.Desktop{VMID: 100, Name: "Desk"}
	for _, query := range []string{"", "?confirm=other"} {
		p := w.do("DELETE", "/api/v1/clusters/default"+query, "", as("admin")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
		if !strings.Contains(p.Detail, "1 managed desktops") || !strings.Contains(p.Detail, "confirm=default") {
			t.Error(p.Detail)
		}
	}
	var gone DeletedCluster
	w.do("DELETE", "/api/v1/clusters/default?confirm=default", "", as("admin")).want(http.StatusOK, "").decode(&gone)
	if gone != (DeletedCluster{"default", 1}) || len(clusters.clusters) > 0 {
		t.Errorf("%+v %+v", gone, clusters)
	}
	if entries := w.store.audited(); len(entries) != 1 || entries[0].Action != "cluster.delete" || entries[0].Before["desktops"] != 1 {
		t.Errorf("%+v", entries)
	}
	w.do("DELETE", "/api/v1/clusters/default?confirm=default", "", as("admin")).want(http.StatusNotFound, "cluster_not_found")
	w.do("GET", "/api/v1/clusters/default", "", as("admin")).want(http.StatusNotFound, "cluster_not_found")
}

// fakeTester notes what it is asked to try.
type fakeTester struct {
	cluster fleet.Cluster
	secret  string
	result  ConnectionTest
	err     error
}

func (f *fakeTester) Test(_ context.Context, cluster fleet.Cluster, secret string) (ConnectionTest, error) {
	f.cluster, f.secret = cluster, secret
	return f.result, f.err
}

func TestConnection(t *testing.T) {
	tester := &fakeTester{}
	w := newWorld(t, func(o *Options) { o.Tester = tester })
	addClusters(w.store, labCluster("default"))
	const plain = `{"certificate":null,"problem":null,"reachable":false,"rights":null,"token":null,"version":null}`
	got := w.do("POST", "/api/v1/cluster-test", `{"entries":["pve-a.example.com"]}`, as("admin")).want(http.StatusOK, "")
	var object map[string]any
	got.decode(&object)
	if text, _ := json.Marshal(object); string(text) != plain || tester.cluster.TokenID != "" || tester.secret != "" {
		t.Errorf("%s, asked %+v", text, tester)
	}
	tester.result = ConnectionTest{
		Reachable: true, Version: "9.1.2", TokenUser: "a@pve!bb", TokenOK: new(true), Scope: "unproven",
		Certificate: &Certificate{Fingerprint: "AB:CD", Trusted: false, Reason: "self-signed", Subject: "CN=pve-a", NotAfter: start},
		Missing:     []MissingPrivilege{{"VM.Audit", "/", "VMs stay hidden"}}, Commands: []string{"pveum …"},
	}
	var wire ClusterTest
	w.do("POST", "/api/v1/cluster-test", `{"entries":["pve-a.example.com"],"token_id":"a@pve!bb","secret":"CANARY"}`, as("admin")).want(http.StatusOK, "").decode(&wire)
	if tester.secret != "CANARY" || tester.cluster.TokenID != "a@pve!bb" || wire.Certificate.Value.Trusted || *wire.Certificate.Value.Reason != "self-signed" ||
		wire.Token.Value.OK == nil || !*wire.Token.Value.OK || wire.Rights.Value.Missing[0].Privilege != "VM.Audit" || *wire.Version != "9.1.2" {
		t.Errorf("%+v", wire)
	}
	w.do("POST", "/api/v1/clusters/default/test", "", as("admin")).want(http.StatusOK, "")
	if tester.secret != "stored-secret" || tester.cluster.Name != "default" {
		t.Errorf("%+v", tester)
	}
	w.do("POST", "/api/v1/clusters/x/test", "", as("admin")).want(http.StatusNotFound, "cluster_not_found")
	tester.err = storeError("pve_timeout")
	w.do("POST", "/api/v1/clusters/default/test", "", as("admin")).want(http.StatusGatewayTimeout, "pve_timeout")
	for body, field := range map[string]string{
		`{"entries":["127.0.0.1"]}`:                                  "entries[0]",
		`{"entries":[]}`:                                             "entries",
		`{"entries":["a"],"secret":"CANARY"}`:                        "token_id",
		`{"entries":["a"],"token_id":"a@pve!bb","secret":"CAN ARY"}`: "secret",
	} {
		p := w.do("POST", "/api/v1/cluster-test", body, as("admin")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
		if p.Errors[0].Field != field {
			t.Errorf("%s: %+v", body, p.Errors)
		}
	}
	if strings.Contains(w.logged(), "CANARY") {
		t.Error("the log holds a secret")
	}
}
