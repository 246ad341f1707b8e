package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

func TestOIDCNames(t *testing.T) {
	tests := []struct {
		names []string
		want  string
	}{
		{[]string{"anna"}, "anna"},
		{[]string{"Anna.Smith@Example.COM"}, "anna.smith@example.com"},
		{[]string{`CORP\Anna`}, "corp-anna"},
		{[]string{"<script>alert(1)</script>"}, "script-alert-1-script"},
		{[]string{"Anna  Lena"}, "anna-lena"},
		{[]string{"Jörg"}, "j-rg"},
		{[]string{"\u212Aarl"}, "arl"}, // the sign of Kelvin
		{[]string{"-._@x-"}, "x"},
		{[]string{"名前", "n@example.com"}, "n@example.com"},
		{[]string{"", "  "}, "user"},
		{nil, "user"},
		{[]string{strings.Repeat("a", 62) + " b"}, strings.Repeat("a", 62) + "-"},
		{[]string{"a\x00b\n"}, "a-b"},
	}
	for _, test := range tests {
		got := nameOf(person{names: test.names})
		if got != test.want {
			t.Errorf("%q is called %q, want %q", test.names, got, test.want)
		}
		for _, n := range []int{1, 2, maxNamesakes} {
			if plain, err := auth.CheckName(numbered(got, n)); err != nil || plain != numbered(got, n) {
				t.Errorf("%q is no name: %v", numbered(got, n), err)
			}
		}
	}
}

func FuzzPlainName(f *testing.F) {
	f.Add("Anna <b>")
	f.Add("..ä@-")
	f.Fuzz(func(t *testing.T, text string) {
		name := nameOf(person{names: []string{text}})
		if plain, err := auth.CheckName(name); err != nil || plain != name {
			t.Errorf("%q becomes %q: %v", text, name, err)
		}
	})
}

// TestOIDCNamesakes has people come whose names others have already.
func TestOIDCNamesakes(t *testing.T) {
	w := newOIDCWorld(t)
	local := w.store.admins["admin"]
	for i, want := range []string{"admin-2", "admin-3", "admin-2"} {
		w.provider.person = claims{"sub": fmt.Sprint("s-", i%2), "preferred_username": "Admin", "groups": "audit"}
		b := w.browser()
		b.visit(oidcStart)
		if b.session() != want+" auditor" {
			t.Errorf("signed in as %q, want %s", b.session(), want)
		}
	}
	if w.store.admins["admin"] != local {
		t.Errorf("the local account became %+v", w.store.admins["admin"])
	}
}

func TestOIDCSubjectDecides(t *testing.T) {
	w := newOIDCWorld(t)
	w.browser().visit(oidcStart)
	w.provider.person["preferred_username"] = "renamed"
	b := w.browser()
	b.visit(oidcStart)
	if b.session() != "anna operator" || len(w.store.admins) != len(roles)+1 {
		t.Errorf("signed in as %q, accounts %v", b.session(), w.store.admins)
	}
}

func TestOIDCRoleChanges(t *testing.T) {
	w := newOIDCWorld(t)
	w.browser().visit(oidcStart)
	w.provider.person["groups"] = "gpu-admins"
	b := w.browser()
	b.visit(oidcStart)
	entries := w.store.audited()
	changed := entries[len(entries)-2]
	if b.session() != "anna admin" || changed.Action != "administrator.update" || changed.Object != "administrator anna" ||
		changed.Before["role"] != "operator" || changed.After["role"] != "admin" || changed.ActorKind != fleet.System {
		t.Errorf("signed in as %q, entry %+v", b.session(), changed)
	}
	count := len(entries)
	b.visit(oidcStart)
	if again := w.actions()[count:]; slices.ContainsFunc(again, func(text string) bool { return strings.HasPrefix(text, "administrator.") }) {
		t.Errorf("an unchanged role is written down: %q", again)
	}
	w.provider.person["groups"] = "gone"
	other := w.browser()
	other.visit(oidcStart).wantFailure(t, codeOIDCRole)
	last := w.actions()[len(w.actions())-1]
	if other.session() != "" || last != "session.create administrator anna refused" || w.store.admins["anna"].Role != auth.Admin {
		t.Errorf("signed in as %q, last entry %q", other.session(), last)
	}
}

func TestOIDCLastAdminIsNotDemoted(t *testing.T) {
	w := newOIDCWorld(t)
	w.provider.person["groups"] = "gpu-admins"
	w.browser().visit(oidcStart)
	delete(w.store.admins, "admin")
	w.provider.person["groups"] = "audit"
	b := w.browser()
	got := b.visit(oidcStart).wantFailure(t, codeLastAdmin)
	last := w.actions()[len(w.actions())-1]
	if b.session() != "" || !strings.Contains(got.text, "last administrator") || last != "session.create administrator anna refused" ||
		w.store.admins["anna"].Role != auth.Admin {
		t.Errorf("signed in as %q, last entry %q, page %s", b.session(), last, got.text)
	}
}

func TestOIDCSetup(t *testing.T) {
	w := newOIDCWorld(t)
	clear(w.store.admins)
	w.store.setup = auth.HashSecret("link")
	w.browser().visit(oidcStart).wantFailure(t, codeOIDCSetup)
	if len(w.store.admins) > 0 {
		t.Fatalf("accounts %v", w.store.admins)
	}
	w.provider.person["groups"] = "gpu-admins"
	b := w.browser()
	b.visit(oidcStart)
	want := []string{
		"session.create subject " + w.provider.issuer() + "|s-1 refused", "setup.complete administrator anna done", "session.create administrator anna done",
	}
	if b.session() != "anna admin" || !slices.Equal(w.actions(), want) {
		t.Errorf("signed in as %q, audit log %q", b.session(), w.actions())
	}
	w.do("POST", setupPath, setupBody("link", "second", password)).want(http.StatusConflict, codeSetupDone)
}

// TestOIDCKeptRoles is about a provider whose groups mean nothing here.
func TestOIDCKeptRoles(t *testing.T) {
	w := newOIDCWorld(t, func(o *OIDC) { o.RoleMap = nil })
	w.browser().visit(oidcStart).wantFailure(t, codeOIDCRole)
	w.store.admins["root"] = auth.Administrator{Name: "root", Role: auth.Admin, Subject: w.provider.issuer() + "|s-1"}
	b := w.browser()
	b.visit(oidcStart)
	if b.session() != "root admin" {
		t.Errorf("signed in as %q", b.session())
	}
}

func TestOIDCWithoutDatabase(t *testing.T) {
	w := newOIDCWorld(t)
	w.store.broken = storeError("database_unavailable")
	b := w.browser()
	b.visit(oidcStart).wantFailure(t, codeDatabase)
}
