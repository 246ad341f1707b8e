package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pciatlas/internal/auth"
)

const administratorsPath = "/api/v1/administrators"

// withIssuer makes signing in through OpenID Connect possible.
func withIssuer(o *Options) { o.OIDC = &OIDC{Name: "Example", Issuer: "https://id.example"} }

func TestAdministrators(t *testing.T) {
	w := newWorld(t, withIssuer)
	var list Administrators
	w.do("GET", administratorsPath, "", as("auditor")).want(http.StatusOK, "").decode(&list)
	if len(list.Administrators) != 3 || list.Administrators[0].Name != "admin" || !list.Administrators[0].HasPassword {
		t.Errorf("%+v", list)
	}
	var made Administrator
	w.do("POST", administratorsPath, `{"name":"New.One","role":"operator","password":"a long enough one"}`, as("admin")).
		want(http.StatusCreated, "").decode(&made)
	if made.Name != "new.one" || made.Role != "operator" || made.Subject != nil || made.SignedInAt != nil || !made.CreatedAt.Equal(start) {
		t.Errorf("%+v", made)
	}
	w.do("POST", administratorsPath, `{"name":"new.one","role":"operator","subject":"https://id.example|2"}`, as("admin")).want(http.StatusConflict, codeExists)
	w.do("POST", sessionPath, credentials("new.one", "a long enough one")).want(http.StatusOK, "")

	var changed Administrator
	w.do("PATCH", administratorsPath+"/new.one", `{"role":"auditor","subject":"https://id.example|1"}`, as("admin")).want(http.StatusOK, "").decode(&changed)
	if changed.Role != "auditor" || changed.Subject == nil || *changed.Subject != "https://id.example|1" || !changed.HasPassword {
		t.Errorf("%+v", changed)
	}
	w.do("PATCH", administratorsPath+"/new.one", `{"password":"another long one"}`, as("admin")).want(http.StatusOK, "")
	w.do("DELETE", administratorsPath+"/new.one", "", as("admin")).want(http.StatusNoContent, "")
	w.do("DELETE", administratorsPath+"/new.one", "", as("admin")).want(http.StatusNotFound, "administrator_not_found")
	w.do("PATCH", administratorsPath+"/%0d%0a", `{}`, as("admin")).want(http.StatusNotFound, "administrator_not_found")

	written := fmt.Sprint(w.store.audited()) + w.logged()
	for _, secret := range []string{"a long enough one", "another long one", "$argon2"} {
		if strings.Contains(written, secret) {
			t.Errorf("%q is written down", secret)
		}
	}
}

func TestAdministratorsAreAudited(t *testing.T) {
	w := newWorld(t)
	w.do("PATCH", administratorsPath+"/operator", `{"role":"auditor","password":"another long one"}`, by("admin")).want(http.StatusOK, "")
	entry := w.store.audited()[0]
	if entry.Actor != "admin (token id-admin script)" || entry.ActorKind != "token" || entry.Action != "administrator.update" ||
		entry.Object != "administrator operator" || entry.Before["role"] != "operator" || entry.After["role"] != "auditor" ||
		entry.After["password"] != "changed" {
		t.Errorf("%+v", entry)
	}
}

func TestLastAdministrator(t *testing.T) {
	w := newWorld(t)
	w.do("DELETE", administratorsPath+"/admin", "", as("admin")).want(http.StatusConflict, codeLastAdmin)
	w.do("PATCH", administratorsPath+"/admin", `{"role":"auditor"}`, as("admin")).want(http.StatusConflict, codeLastAdmin)
	if len(w.store.audited()) > 0 || w.store.admins["admin"].Role != auth.Admin {
		t.Error("something was changed")
	}
}

func TestAdministratorRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		code, field        string
	}{
		"name":              {"POST", "", `{"name":"-x","role":"admin","password":"a long enough one"}`, 422, codeInvalid, "name"},
		"header in name":    {"POST", "", `{"name":"a\r\nSet-Cookie: x","role":"admin","password":"a long enough one"}`, 422, codeInvalid, "name"},
		"weak password":     {"POST", "", `{"name":"x","role":"admin","password":"short"}`, 422, codeInvalid, "password"},
		"name as one":       {"POST", "", `{"name":"longenoughname","role":"admin","password":"longenoughname"}`, 422, codeInvalid, "password"},
		"neither":           {"POST", "", `{"name":"x","role":"admin"}`, 422, codeInvalid, "password"},
		"role":              {"POST", "", `{"name":"x","role":"root","password":"a long enough one"}`, 422, codeInvalid, "role"},
		"empty password":    {"PATCH", "/oidc", `{"password":""}`, 422, codeInvalid, "password"},
		"another issuer":    {"POST", "", `{"name":"x","role":"admin","subject":"https://id.exam|1"}`, 422, codeInvalid, "subject"},
		"prefix of issuer":  {"POST", "", `{"name":"x","role":"admin","subject":"https://id.example.org|1"}`, 422, codeInvalid, "subject"},
		"no sub":            {"PATCH", "/operator", `{"subject":"https://id.example|"}`, 422, codeInvalid, "subject"},
		"no issuer":         {"PATCH", "/operator", `{"subject":"1"}`, 422, codeInvalid, "subject"},
		"long sub":          {"PATCH", "/operator", `{"subject":"https://id.example|` + strings.Repeat("x", 256) + `"}`, 422, codeInvalid, "subject"},
		"line in sub":       {"PATCH", "/operator", `{"subject":"https://id.example|a\nb"}`, 422, codeInvalid, "subject"},
		"own password":      {"PATCH", "/admin", `{"password":"a long enough one"}`, 403, codeForbidden, ""},
		"no way in":         {"PATCH", "/oidc", `{"subject":""}`, 422, codeInvalid, "subject"},
		"unknown field":     {"PATCH", "/oidc", `{"hash":"x"}`, 422, codeInvalid, "hash"},
		"field in capitals": {"PATCH", "/oidc", `{"ROLE":"admin"}`, 422, codeInvalid, "ROLE"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, withIssuer)
			w.store.admins["oidc"] = auth.Administrator{Name: "oidc", Role: auth.Auditor, Subject: "issuer|1", CreatedAt: start, UpdatedAt: start}
			p := w.do(test.method, administratorsPath+test.path, test.body, as("admin")).want(test.status, test.code).problem()
			if test.field != "" && (len(p.Errors) != 1 || p.Errors[0].Field != test.field) {
				t.Errorf("errors %+v, want one for %s", p.Errors, test.field)
			}
		})
	}
}

// TestSubjectWithoutProvider: an account that nobody can sign in with is not made.
func TestSubjectWithoutProvider(t *testing.T) {
	w := newWorld(t)
	w.store.admins["oidc"] = auth.Administrator{Name: "oidc", Role: auth.Auditor, Subject: "https://id.example|1", CreatedAt: start, UpdatedAt: start}
	w.do("POST", administratorsPath, `{"name":"x","role":"admin","subject":"https://id.example|2"}`, as("admin")).
		want(http.StatusUnprocessableEntity, codeInvalid)
	w.do("PATCH", administratorsPath+"/oidc", `{"subject":"https://id.example|2"}`, as("admin")).
		want(http.StatusUnprocessableEntity, codeInvalid)
	w.do("PATCH", administratorsPath+"/oidc", `{"subject":"https://id.example|1","role":"operator"}`, as("admin")).want(http.StatusOK, "")
	entry := w.store.audited()[0]
	w.do("PATCH", administratorsPath+"/oidc", `{"subject":"","password":"another long one"}`, as("admin")).want(http.StatusOK, "")
	if last := w.store.audited()[1]; entry.Before["subject"] != "https://id.example|1" || last.After["subject"] != nil {
		t.Errorf("audited %v, %v", entry.Before, last.After)
	}
}

// TestSetupAgain: where nobody with the role admin can sign in, the set-up link
// works, whoever else there is.
func TestSetupAgain(t *testing.T) {
	w := newWorld(t)
	w.store.admins["admin"] = auth.Administrator{Name: "admin", Role: auth.Admin, Subject: "https://id.example|1"}
	w.store.setup = auth.HashSecret("link")
	var options SignInOptions
	w.do("GET", "/api/v1/sign-in", "").want(http.StatusOK, "").decode(&options)
	if !options.SetupNeeded {
		t.Error("no set-up is offered")
	}
	w.do("POST", setupPath, setupBody("link", "admin", password)).want(http.StatusConflict, codeExists)
	w.do("POST", setupPath, setupBody("link", "first", password)).want(http.StatusOK, "")
	w.do("POST", setupPath, setupBody("link", "second", password)).want(http.StatusConflict, codeSetupDone)
}

// TestTokensAfterAPassword: who resets the password of somebody else shuts out
// whoever has it; who changes their own keeps what runs with their tokens.
func TestTokensAfterAPassword(t *testing.T) {
	for name, test := range map[string]struct {
		method, path, body, as string
		remains                bool
		audited                any
	}{
		"reset":       {"PATCH", administratorsPath + "/operator", `{"password":"another long one"}`, "admin", false, "removed"},
		"reset, kept": {"PATCH", administratorsPath + "/operator", `{"password":"another long one","keep_tokens":true}`, "admin", true, "kept"},
		"role":        {"PATCH", administratorsPath + "/operator", `{"role":"auditor"}`, "admin", true, nil},
		"own":         {"PUT", sessionPath + "/password", `{"current":"` + password + `","new":"another long one"}`, "operator", true, "kept"},
		"own, ended":  {"PUT", sessionPath + "/password", `{"current":"` + password + `","new":"another long one","end_tokens":true}`, "operator", false, "removed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if got := w.do(test.method, test.path, test.body, as(test.as)); got.Code >= 300 {
				t.Fatal(got.Body)
			}
			status := http.StatusUnauthorized
			if test.remains {
				status = http.StatusOK
			}
			w.do("GET", sessionPath, "", by("operator")).want(status, "")
			w.do("GET", sessionPath, "", by("auditor")).want(http.StatusOK, "")
			if entry := w.store.audited()[0]; entry.After["tokens"] != test.audited {
				t.Errorf("audited %v", entry.After)
			}
		})
	}
}
