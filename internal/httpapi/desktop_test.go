package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pciatlas/internal/fleet"
)

func TestDesktops(t *testing.T) {
	w, clusters, _ := labWorld(t)
	var desktop Desktop
	w.do("PUT", "/api/v1/clusters/default/desktops/100", `{"name":" Desk ","note":"2nd floor"}`, as("operator")).want(http.StatusCreated, "").decode(&desktop)
	if desktop.Name != "Desk" || desktop.VMID != 100 || !desktop.CreatedAt.Equal(start) {
		t.Errorf("%+v", desktop)
	}
	w.pass(1e9)
	w.do("PUT", "/api/v1/clusters/default/desktops/100", `{"name":"Desk 2"}`, as("operator")).want(http.StatusOK, "").decode(&desktop)
	if desktop.Name != "Desk 2" || desktop.Note != "" || !desktop.CreatedAt.Equal(start) || desktop.UpdatedAt.Equal(start) {
		t.Errorf("%+v", desktop)
	}
	var list Desktops
	w.do("GET", "/api/v1/clusters/default/desktops", "", as("auditor")).want(http.StatusOK, "").decode(&list)
	if len(list.Desktops) != 1 || list.DesktopTag != nil {
		t.Errorf("%+v", list)
	}
	for body, field := range map[string]string{`{"name":""}`: "name", `{"name":"x","note":"\u0007"}`: "note", `{"note":"x"}`: ""} {
		p := w.do("PUT", "/api/v1/clusters/default/desktops/101", body, as("operator")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: %+v", body, p)
		}
	}
	w.do("PUT", "/api/v1/clusters/default/desktops/7", `{"name":"x"}`, as("operator")).want(http.StatusUnprocessableEntity, codeInvalid)
	w.do("DELETE", "/api/v1/clusters/default/desktops/101", "", as("operator")).want(http.StatusNotFound, "desktop_not_found")
	w.do("DELETE", "/api/v1/clusters/default/desktops/100", "", as("operator")).want(http.StatusNoContent, "")
	if len(clusters.desktops["default"]) > 0 {
		t.Errorf("%+v", clusters.desktops)
	}
	for _, r := range [][2]string{{"GET", ""}, {"GET", "/export"}, {"DELETE", "/100"}} {
		w.do(r[0], "/api/v1/clusters/x/desktops"+r[1], "", as("operator")).want(http.StatusNotFound, "cluster_not_found")
	}
	entries := w.store.audited()
	if len(entries) != 3 || entries[0].Before != nil || entries[1].Before["name"] != "Desk" || entries[1].After["name"] != "Desk 2" ||
		entries[2].Object != "desktop default/100" || entries[2].After != nil {
		t.Errorf("%+v", entries)
	}
}

var csv = header("Content-Type", "text/csv; charset=utf-8")

func TestImportDesktops(t *testing.T) {
	w, clusters, _ := labWorld(t)
	for _, step := range []struct {
		query, file string
		want        ImportedDesktops
	}{
		{"", "vmid,name,note\n100,Desk 1,\n101,Desk 2,x\n", ImportedDesktops{Created: 2}},
		{"?mode=merge", "\ufeffname;vmid\r\nDesk A;100\r\nDesk 3;102\r\n", ImportedDesktops{Created: 1, Changed: 1}},
		{"?mode=replace", "vmid,name\n100,Desk A\n", ImportedDesktops{Removed: 2}},
	} {
		var got ImportedDesktops
		w.do("POST", "/api/v1/clusters/default/desktops/import"+step.query, step.file, as("operator"), csv).want(http.StatusOK, "").decode(&got)
		if got != step.want {
			t.Errorf("%q: %+v", step.file, got)
		}
	}
	before := len(w.store.audited())
	p := w.do("POST", "/api/v1/clusters/default/desktops/import?mode=replace", "vmid,name\n100,\n7,x\n103,ok\n103,again\n", as("operator"), csv).
		want(http.StatusUnprocessableEntity, codeInvalid).problem()
	var lines []string
	for _, fault := range p.Errors {
		lines = append(lines, fault.Field)
	}
	if diff := cmp.Diff([]string{"line 2", "line 3", "line 5"}, lines); diff != "" || !strings.HasPrefix(p.Detail, "Nothing was imported.") {
		t.Errorf("%s %s", p.Detail, diff)
	}
	if len(clusters.desktops["default"]) != 1 || len(w.store.audited()) != before {
		t.Error("something was imported")
	}
	for query, edits := range map[string][]func(*http.Request){"?mode=bad": {csv}, "": {header("Content-Type", "application/json")}} {
		if got := w.do("POST", "/api/v1/clusters/default/desktops/import"+query, "vmid,name\n", append(edits, as("operator"))...); got.Code != 422 && got.Code != 415 {
			t.Errorf("%q: %d", query, got.Code)
		}
	}
	w.do("POST", "/api/v1/clusters/x/desktops/import", "vmid,name\n", as("operator"), csv).want(http.StatusNotFound, "cluster_not_found")
}

func TestImportSize(t *testing.T) {
	w, _, _ := labWorld(t)
	var file strings.Builder
	file.WriteString("vmid,name,note\n")
	for vmid := 100; file.Len() < maxImport-300; vmid++ {
		fmt.Fprintf(&file, "%d,Desk,%s\n", vmid, strings.Repeat("x", 250))
	}
	file.WriteString("999999,Desk," + strings.Repeat("y", maxImport-file.Len()-len("999999,Desk,\n")) + "\n")
	if file.Len() != maxImport {
		t.Fatalf("%d bytes", file.Len())
	}
	w.do("POST", "/api/v1/clusters/default/desktops/import", file.String(), as("operator"), csv).want(http.StatusOK, "")
	w.do("POST", "/api/v1/clusters/default/desktops/import", file.String()+"\n", as("operator"), csv).want(http.StatusRequestEntityTooLarge, codeBodyTooLarge)
}

func TestExportDesktops(t *testing.T) {
	w, clusters, _ := labWorld(t)
	want := []fleet.Desktop{{VMID: 100, Name: "=1+1", Note: "a\nb"}, {VMID: 101, Name: "Büro, 2. Stock"}}
	for _, desktop := range want {
		clusters.desktops["default"][desktop.VMID] = desktop
	}
	got := w.do("GET", "/api/v1/clusters/default/desktops/export", "", as("auditor")).want(http.StatusOK, "")
	if got.Header().Get("Content-Type") != "text/csv; charset=utf-8" || got.Header().Get("Content-Disposition") != `attachment; filename="desktops-default.csv"` {
		t.Errorf("%v", got.Header())
	}
	file := got.Body.String()
	if strings.Contains(file, "\n100,=") {
		t.Errorf("a formula: %s", file)
	}
	w.do("POST", "/api/v1/clusters/default/desktops/import?mode=replace", file, as("operator"), csv).want(http.StatusOK, "")
	var back []fleet.Desktop
	for _, vmid := range []int{100, 101} {
		back = append(back, clusters.desktops["default"][vmid])
	}
	if diff := cmp.Diff(want, back, cmpopts.IgnoreFields(fleet.Desktop{}, "Cluster", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
}
