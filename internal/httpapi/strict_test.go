package httpapi

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestParameters(t *testing.T) {
	w, _, _ := labWorld(t)
	for name, path := range map[string]string{
		"twice":         "/api/v1/audit?limit=1&limit=2",
		"twice alike":   "/api/v1/clusters/default/vms?passthrough=true&passthrough=true",
		"bad escape":    "/api/v1/audit?actor=%zz",
		"cut escape":    "/api/v1/audit?actor=%e",
		"semicolon":     "/api/v1/audit?actor=a;limit=1",
		"zero before":   "/api/v1/clusters/default/vms/0100",
		"plus":          "/api/v1/clusters/default/vms/+100",
		"zero in query": "/api/v1/clusters/default/findings?vmid=0100",
	} {
		t.Run(name, func(t *testing.T) {
			r := func(r *http.Request) { r.URL.RawQuery = query(path) }
			p := w.do("GET", strings.Split(path, "?")[0], "", as("auditor"), r).want(http.StatusUnprocessableEntity, codeInvalid).problem()
			if len(p.Errors) != 1 {
				t.Errorf("%+v", p)
			}
		})
	}
	p := w.do("GET", "/api/v1/audit?since=yesterday", "", as("auditor")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
	if p.Errors[0].Field != "since" || strings.Contains(p.Detail, "2006") {
		t.Errorf("%+v", p)
	}
}

func query(path string) string {
	_, query, _ := strings.Cut(path, "?")
	return query
}

func TestMediaType(t *testing.T) {
	w := newWorld(t)
	body := credentials("admin", password)
	w.do("POST", sessionPath, body, header("Content-Type", "Application/JSON")).want(http.StatusOK, "")
	w.do("POST", sessionPath, body, header("Content-Encoding", "identity")).want(http.StatusOK, "")
	w.do("POST", sessionPath, body, header("Content-Encoding", "gzip")).want(http.StatusUnsupportedMediaType, codeMediaType)
}

// TestSeveralCookies: another program on the host may have set one of the name.
func TestSeveralCookies(t *testing.T) {
	w := newWorld(t)
	planted := func(n int) func(*http.Request) {
		return func(r *http.Request) {
			for range n {
				withCookie("pciatlas", "planted")(r)
			}
		}
	}
	w.do("GET", sessionPath, "", planted(1), as("admin")).want(http.StatusOK, "")
	w.do("GET", sessionPath, "", planted(3), as("admin")).want(http.StatusOK, "")
	w.do("GET", sessionPath, "", planted(4), as("admin")).want(http.StatusUnauthorized, codeUnauthenticated)
	w.do("GET", sessionPath, "", planted(2)).want(http.StatusUnauthorized, codeUnauthenticated)
}

// TestOriginWithoutTLS: what speaks for the host without TLS may be anybody.
func TestOriginWithoutTLS(t *testing.T) {
	const origin = "http://atlas.example.com"
	for secure, want := range map[bool]int{true: http.StatusForbidden, false: http.StatusOK} {
		w := newWorld(t, func(o *Options) { o.SecureCookies = secure })
		r := func(r *http.Request) { r.Host = "atlas.example.com" }
		w.do("POST", sessionPath, credentials("admin", password), r, header("Origin", origin)).want(want, "")
		w.do("POST", sessionPath, credentials("admin", password), r, header("Origin", "https://atlas.example.com")).want(http.StatusOK, "")
	}
}

// TestPacedReader: a body that keeps coming gets the time it needs.
func TestPacedReader(t *testing.T) {
	var deadlines []time.Duration
	body := io.MultiReader(strings.NewReader(strings.Repeat("x", bodyRate)), strings.NewReader(strings.Repeat("x", 2*bodyRate)))
	p := &pacedReader{body: io.NopCloser(body), began: start, extend: func(at time.Time) error {
		deadlines = append(deadlines, at.Sub(start))
		return nil
	}}
	for range 3 {
		_, _ = p.Read(make([]byte, 2*bodyRate))
	}
	if len(deadlines) != 3 || deadlines[0] != bodyTime || deadlines[1] != bodyTime+time.Second || deadlines[2] != bodyTime+3*time.Second {
		t.Errorf("%v", deadlines)
	}
}

// TestUseNotWritten: a database that can only be read answers those who read.
func TestUseNotWritten(t *testing.T) {
	w := newWorld(t)
	w.api.Store = untouchable{w.store}
	w.pass(2 * time.Minute)
	w.do("GET", sessionPath, "", as("admin")).want(http.StatusOK, "")
	w.do("GET", sessionPath, "", by("admin")).want(http.StatusOK, "")
	if strings.Count(w.logged(), "could not be written down") != 2 {
		t.Error("the log does not say so")
	}
}

func TestEmptyReplace(t *testing.T) {
	w, clusters, _ := labWorld(t)
	w.do("POST", "/api/v1/clusters/default/desktops/import", "vmid,name\n100,Desk\n", as("operator"), csv).want(http.StatusOK, "")
	const path = "/api/v1/clusters/default/desktops/import?mode=replace"
	w.do("POST", path, "vmid,name\n", as("operator"), csv).want(http.StatusUnprocessableEntity, codeInvalid)
	if len(clusters.desktops["default"]) != 1 {
		t.Error("it is gone")
	}
	w.do("POST", path+"&confirm=default", "vmid,name\n", as("operator"), csv).want(http.StatusOK, "")
	if len(clusters.desktops["default"]) != 0 {
		t.Error("it is still there")
	}
}

// untouchable is a store that cannot write down a use.
type untouchable struct{ *fakeStore }

func (untouchable) TouchSession(context.Context, string, time.Time) error {
	return storeError("database_unavailable")
}

func (untouchable) TouchToken(context.Context, string, time.Time) error {
	return storeError("database_unavailable")
}

// TestManagedIsNotGuessed: without the tags of a VM, the tag rule says nothing.
func TestManagedIsNotGuessed(t *testing.T) {
	w, clusters, _ := labWorld(t, unreadVM)
	managed := func() *bool {
		t.Helper()
		var vm VMDetail
		w.do("GET", "/api/v1/clusters/default/vms/103", "", as("auditor")).want(http.StatusOK, "").decode(&vm)
		var list VMs
		w.do("GET", "/api/v1/clusters/default/vms", "", as("auditor")).want(http.StatusOK, "").decode(&list)
		row := list.VMs[len(list.VMs)-1]
		if row.VMID != 103 || (row.Managed == nil) != (vm.Managed == nil) {
			t.Fatalf("list %+v, VM %+v", row, vm)
		}
		return vm.Managed
	}
	if is := managed(); is == nil || *is {
		t.Error("no rule: not managed")
	}
	tagged := clusters.clusters["default"]
	tagged.DesktopTag = "vdi"
	tagged.Revision++
	clusters.clusters["default"] = tagged
	if managed() != nil {
		t.Error("it is not known")
	}
	w.do("PUT", "/api/v1/clusters/default/desktops/103", `{"name":"Desk"}`, as("operator")).want(http.StatusCreated, "")
	if is := managed(); is == nil || !*is {
		t.Error("registered")
	}
}
