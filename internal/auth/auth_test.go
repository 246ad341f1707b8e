package auth_test

import (
	"errors"
	"strings"
	"testing"

	"pciatlas/internal/auth"
)

func TestRoles(t *testing.T) {
	roles := []auth.Role{auth.Auditor, auth.Operator, auth.Admin} // ascending
	for i, role := range roles {
		for j, need := range roles {
			if got := role.Covers(need); got != (i >= j) {
				t.Errorf("%s covers %s: %v", role, need, got)
			}
			if got := auth.EffectiveRole(role, need); got != roles[min(i, j)] {
				t.Errorf("a token of %s owned by %s may do what %s may", role, need, got)
			}
		}
		if got, err := auth.ParseRole(string(role)); err != nil || got != role {
			t.Errorf("%s: %s, %v", role, got, err)
		}
	}
	for _, odd := range []auth.Role{"", "Admin", "root", "admin "} {
		if auth.Admin.Covers(odd) || odd.Covers(auth.Auditor) || odd.Covers(odd) {
			t.Errorf("%q counts as a role", odd)
		}
		if got := auth.EffectiveRole(odd, auth.Admin) + auth.EffectiveRole(auth.Admin, odd); got != "" {
			t.Errorf("with %q, a token may do what %s may", odd, got)
		}
		if got, err := auth.ParseRole(string(odd)); err == nil {
			t.Errorf("%q is read as %s", odd, got)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]string{
		"admin": "admin", "Eve.Smith@Example.COM": "eve.smith@example.com", "7_a-b": "7_a-b", strings.Repeat("a", 63): strings.Repeat("a", 63),
	} {
		if got, err := auth.CheckName(name); err != nil || got != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", " admin", "admin\n", ".a", "@a", "a b", "a/b", "имя", "\u212aate", "a\u0130", "a\xff", "a\x7f", strings.Repeat("a", 64)} {
		got, err := auth.CheckName(name)
		if rule, ok := errors.AsType[*auth.RuleError](err); !ok || rule.ErrorCode() != "name_invalid" || got != "" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

func TestCheckPassword(t *testing.T) {
	for _, c := range []struct{ name, password, code string }{
		{"admin", "demo-only-12", ""},
		{"admin", "twelve chars", ""},
		{"admin", strings.Repeat("aб", 128), ""},
		{"admin", "пароль-из-12", ""},
		{"admin", "", "password_too_short"},
		{"admin", "elevenchars", "password_too_short"},
		{"admin", strings.Repeat("😀", 11), "password_too_short"},
		{"admin", strings.Repeat("ab", 129), "password_too_long"},
		{"admin", strings.Repeat("x", 12), "password_repeats"},
		{"admin", strings.Repeat("字", 100), "password_repeats"},
		{"eve@example.com", "Eve@Example.com", "password_is_name"},
		{"admin", "twelve chars\xff", "password_invalid"},
	} {
		err := auth.CheckPassword(c.name, c.password)
		code := ""
		if rule, ok := errors.AsType[*auth.RuleError](err); ok {
			code = rule.Code
		}
		if code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%q: %v, want %q", c.password, err, c.code)
		}
		if err != nil && c.password != "" && strings.Contains(err.Error(), c.password) {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}
