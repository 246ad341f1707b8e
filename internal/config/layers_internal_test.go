package config

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// sample holds values of one field that are all different and valid.
type sample struct {
	flag, variable, file string // file as YAML
	// shown are the values as they are explained, where that is not what was given.
	shown [3]string
	with  map[string]string // variables that the field needs
}

var (
	postgres = map[string]string{"PCIATLAS_DATABASE": "postgres://u@h/d"}
	provider = map[string]string{
		"PCIATLAS_OIDC_ISSUER": "https://id.example.com", "PCIATLAS_OIDC_CLIENT_ID": "p", "PCIATLAS_PUBLIC_URL": "https://p.example.com",
	}
)

func path(with map[string]string) sample {
	return sample{flag: "a", variable: "b", file: "c", shown: [3]string{"/srv/a", "/srv/b", "/etc/p/c"}, with: with}
}

// samples has an entry for every field.
var samples = map[string]sample{
	"listen": {flag: "[::1]:1", variable: "localhost:2", file: `":3"`, shown: [3]string{2: ":3"}},
	"data":   path(nil),
	"database": {
		flag: "sqlite:a", variable: "postgres://u:p@h/d", file: "postgresql://u@h/d",
		shown: [3]string{"sqlite:/srv/a", "postgres://u:xxxxx@h/d", "postgresql://u@h/d"},
	},
	"database-password-file": path(postgres),
	"database-password":      {variable: "x", shown: [3]string{1: hidden}, with: postgres},
	"key-file":               path(nil),
	"tls-cert":               path(nil),
	"tls-key":                path(nil),
	"public-url":             {flag: "https://a.example.com", variable: "https://b.example.com:8443", file: "http://localhost"},
	"trusted-proxies": {
		flag: "10.0.0.1", variable: "10.0.0.0/8, fd00::/64", file: "[192.0.2.1, 192.0.2.2]",
		shown: [3]string{2: "192.0.2.1, 192.0.2.2"},
	},
	"allow-local-endpoints":   {flag: "true", variable: "yes", file: "true"},
	"metrics-open":            {flag: "true", variable: "on", file: "true"},
	"log-format":              {flag: "json", variable: "json", file: "json"},
	"log-level":               {flag: "debug", variable: "warn", file: "error"},
	"share":                   {flag: "1s", variable: "0s", file: "1m"},
	"limits.max-vms":          {flag: "1", variable: "2", file: "3"},
	"limits.per-node":         {flag: "1", variable: "2", file: "3"},
	"limits.per-entry":        {flag: "1", variable: "2", file: "3"},
	"limits.per-cluster":      {flag: "1", variable: "2", file: `"3"`, shown: [3]string{2: "3"}},
	"limits.node-budget":      {flag: "1s", variable: "2s", file: "3s"},
	"limits.request":          {flag: "1s", variable: "2s", file: "3s"},
	"oidc.issuer":             {flag: "https://a.example.com", variable: "https://b.example.com/", file: "https://c.example.com/realm", with: provider},
	"oidc.client-id":          {flag: "a", variable: "b", file: "007", with: provider},
	"oidc.client-secret-file": path(provider),
	"oidc.client-secret":      {variable: "x", shown: [3]string{1: hidden}, with: provider},
	"oidc.name":               {flag: "A", variable: "B b", file: `"C: c"`, shown: [3]string{2: "C: c"}, with: provider},
	"oidc.scopes":             {flag: "openid", variable: "openid, groups", file: "openid email", shown: [3]string{2: "openid, email"}, with: provider},
	"oidc.role-claim":         {flag: "a", variable: "b", file: "c", with: provider},
	"oidc.role-map": {
		flag: "cn=a,dc=b=admin", variable: "b=operator; c=auditor", file: "{cn=c: admin}",
		shown: [3]string{1: "b=operator, c=auditor", 2: "cn=c=admin"}, with: provider,
	},
	"oidc.default-role": {flag: "admin", variable: "operator", file: "auditor", with: provider},
}

// parsed gives flags as they are after parsing.
func parsed(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

// inMemory makes an input of variables and a file of settings at /etc/p/c.yaml;
// other files hold their name.
func inMemory(variables map[string]string, settings string) Input {
	variables = maps.Clone(variables)
	if variables == nil {
		variables = map[string]string{}
	}
	if variables["HOME"] == "" {
		variables["HOME"] = "/home/p"
	}
	if settings != "" {
		variables["PCIATLAS_CONFIG"] = "/etc/p/c.yaml"
	}
	return Input{
		Getenv: func(name string) string { return variables[name] },
		Dir:    "/srv",
		ReadFile: func(path string) ([]byte, fs.FileMode, error) {
			if path == "/etc/p/c.yaml" && settings != "" {
				return []byte(settings), 0o600, nil
			}
			return []byte(path), 0o600, nil
		},
	}
}

func yamlOf(key, text string) string {
	section, name, ok := strings.Cut(key, ".")
	if !ok {
		return "\n" + key + ": " + text
	}
	return section + ":\n  " + name + ": " + text
}

func rowOf(c *Config, key string) (Row, bool) {
	at := slices.IndexFunc(c.rows, func(row Row) bool { return row.Key == key })
	if at < 0 {
		return Row{}, false
	}
	return c.rows[at], true
}

// TestPrecedence gives every field through more and more layers.
func TestPrecedence(t *testing.T) {
	for i := range fields {
		f := &fields[i]
		t.Run(f.key, func(t *testing.T) {
			s, ok := samples[f.key]
			if !ok {
				t.Fatal("the field has no sample")
			}
			given := []string{s.flag, s.variable, s.file}
			want := [3]string{}
			for i := range want {
				want[i] = s.shown[i]
				if want[i] == "" {
					want[i] = given[i]
				}
			}
			names := [3]string{"--" + f.flag(), f.variable(), "/etc/p/c.yaml:2"}
			seen := []*Config{}
			for layers := range 4 { // default, then the file, too, the variable, the flag
				if f.secret && (layers == 1 || layers == 3) {
					continue
				}
				variables, settings := maps.Clone(s.with), ""
				if variables == nil {
					variables = map[string]string{}
				}
				delete(variables, f.variable())
				if layers >= 1 && !f.secret {
					settings = yamlOf(f.key, s.file)
				}
				if layers >= 2 {
					variables[f.variable()] = s.variable
				}
				in := inMemory(variables, settings)
				if layers >= 3 {
					in.Flags = parsed(t, "--"+f.flag()+"="+s.flag)
				}
				config, faults := Check(in)
				checkLayer(t, f, config, faults, layers, want, names)
				seen = append(seen, config)
			}
			if f.kind != kindTruth && f.key != "log-format" { // their samples are equal
				for i := range seen {
					for j := range i {
						if equal(seen[i], seen[j]) {
							t.Errorf("layers %d and %d give the same settings: %+v", i, j, seen[i])
						}
					}
				}
			} else if equal(seen[0], seen[1]) {
				t.Error("the value changes nothing")
			}
		})
	}
	if len(samples) != len(fields) {
		t.Errorf("%d samples for %d fields", len(samples), len(fields))
	}
}

// checkLayer checks what is said about a field that the first layers give, counted from
// the default upwards.
func checkLayer(t *testing.T, f *field, config *Config, faults []Fault, layers int, want, names [3]string) {
	t.Helper()
	for _, fault := range faults {
		// What one sample alone lacks is checked elsewhere.
		if !strings.HasPrefix(f.key, "tls-") && f.key != "oidc.issuer" && fault.Key == f.key {
			t.Errorf("%d layers: %s", layers, fault)
		}
	}
	row, shown := rowOf(config, f.key)
	switch {
	case layers == 0 && f.secret:
		if shown {
			t.Errorf("a secret that is not given is shown: %+v", row)
		}
	case layers == 0:
		if !shown || row.Source != SourceDefault || len(row.Overridden) > 0 {
			t.Errorf("default: %+v", row)
		}
	default:
		top := 3 - layers
		var overridden []Overridden
		for i := top + 1; i < 3 && !f.secret; i++ {
			overridden = append(overridden, Overridden{want[i], names[i]})
		}
		wanted := Row{f.key, want[top], names[top], overridden}
		if !reflect.DeepEqual(row, wanted) {
			t.Errorf("%d layers: %+v, want %+v", layers, row, wanted)
		}
	}
}

// equal compares settings without their explanation.
func equal(a, b *Config) bool {
	x, y := *a, *b
	x.rows, y.rows = nil, nil
	return reflect.DeepEqual(x, y)
}

// TestSecretsHaveNoFlag: a secret can be given neither by a flag nor in the file.
func TestSecretsHaveNoFlag(t *testing.T) {
	for i := range fields {
		f := &fields[i]
		if !f.secret {
			continue
		}
		if parsed(t).Lookup(f.flag()) != nil {
			t.Errorf("there is a flag --%s", f.flag())
		}
		config, faults := Check(inMemory(nil, yamlOf(f.key, "CANARY")))
		if len(faults) != 1 || !strings.Contains(faults[0].Message, f.variable()) || strings.Contains(fmt.Sprint(faults, config), "CANARY") {
			t.Errorf("%s: %v", f.key, faults)
		}
	}
}

// TestExample reads the example back: as it stands, and with every key in use.
func TestExample(t *testing.T) {
	var b strings.Builder
	if err := Example(&b); err != nil {
		t.Fatal(err)
	}
	want, faults := Check(inMemory(nil, ""))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if len(line) > 2 && line[0] == '#' && (line[1] != ' ' || line[2] == ' ') {
			line = line[1:]
		}
		lines = append(lines, line)
	}
	for name, text := range map[string]string{"as it stands": b.String(), "with every key": strings.Join(lines, "")} {
		got, faults := Check(inMemory(nil, text))
		if len(faults) > 0 || !equal(got, want) {
			t.Errorf("%s: %v\n%+v, want\n%+v", name, faults, got, want)
		}
		for _, row := range got.Explain() {
			if inUse := row.Source != SourceDefault; inUse != (name != "as it stands") {
				t.Errorf("%s: %s is from %s", name, row.Key, row.Source)
			}
		}
	}
}

// FuzzFile: no file of settings breaks the reader, and what it takes has a line.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"listen: x", "oidc:\n  role-map: {a: admin}", "[", "a: [b", "? a\n: b", "- &a *a", "<<: {a: b}", "listen: |\n  x", "---\n---\nx", "\ufeffa: 'b",
		"%YAML 9", "listen: !!str x", "a: {b: }", "\"a: b", ":::", "listen: @x", "x: >9z\n  CANARY",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := inMemory(nil, "")
		in.Flags = pflag.NewFlagSet("", pflag.ContinueOnError)
		AddFlags(in.Flags)
		if err := in.Flags.Set("config", "c.yaml"); err != nil {
			t.Fatal(err)
		}
		in.ReadFile = func(path string) ([]byte, fs.FileMode, error) {
			if path != "/srv/c.yaml" {
				return nil, 0, os.ErrNotExist
			}
			return []byte(text), 0o600, nil
		}
		config, faults := Check(in)
		if len(faults) > 0 {
			return
		}
		for _, row := range config.Explain() {
			if row.Source != SourceDefault && !strings.HasPrefix(row.Source, "c.yaml:") {
				t.Errorf("%+v", row)
			}
		}
	})
}
