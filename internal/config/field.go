package config

import (
	"strings"
	"time"
)

// kind says in which form a value is written.
type kind int

const (
	kindText  kind = iota
	kindTruth      // true or false
	kindList       // several texts; in one text they are separated by commas or blanks
	kindPairs      // KEY=VALUE; in a variable they are separated by semicolons
)

// field is one setting. The table of fields is all there is to say about them:
// flags, variables, file, explanation and example follow it.
type field struct {
	key  string // as in the file; a dot separates the section
	kind kind
	// usage says in half a line what it is for, with the form of the value in
	// backquotes as pflag wants it.
	usage string
	// more are further sentences for the example file; "": none.
	more string
	// def is the default; nil: none.
	def []string
	// secret is never shown, and given by a variable only.
	secret bool
	// path is the name of a file or folder.
	path bool
	// derive gives the value that takes the place of none; nil: there is none.
	derive func(*reader) (text string, err error)
	// mask gives a value as it may be shown; nil: mask.
	mask func(string) string
	// set checks a value that is not empty and puts it into place.
	set func(*Config, []string) error
}

// one makes set of a function for fields that have one text.
func one(set func(*Config, string) error) func(*Config, []string) error {
	return func(c *Config, values []string) error { return set(c, strings.Join(values, ",")) }
}

const prefix = "PCIATLAS_"

var flagWords = strings.NewReplacer(".", "-")

func (f *field) flag() string { return flagWords.Replace(f.key) }

func (f *field) variable() string {
	return prefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(f.key))
}

// shown gives a value as it may be shown.
func (f *field) shown(values []string) string {
	if f.secret {
		return NewSecret(strings.Join(values, "")).String()
	}
	parts := make([]string, len(values))
	for i, text := range values {
		switch {
		case text == "":
		case f.mask != nil:
			parts[i] = f.mask(text)
		default:
			parts[i] = mask(text)
		}
	}
	return strings.Join(parts, ", ")
}

// fields are all settings, in the order in which they are explained.
var fields = []field{
	{
		key: "listen", usage: "listen at this `HOST:PORT`; port 0 takes a free one, an empty host all addresses",
		def: []string{"127.0.0.1:8080"}, set: one(setListen),
	},
	{
		key: "data", usage: "keep everything in this `folder`", path: true, derive: (*reader).dataFolder,
		more: "Empty: the state folder that systemd gives, /var/lib/pciatlas for root, else pciatlas in $XDG_STATE_HOME or ~/.local/state.",
		set:  one(func(c *Config, text string) error { c.Data = text; return nil }),
	},
	{
		key: "database", usage: "keep data in `sqlite:PATH`, or in postgres://USER@HOST:PORT/DATABASE", mask: maskDatabase,
		more: "Empty: SQLite in the data folder. A URL with a password in it is refused in a flag, and in a file that others can read.",
		derive: func(r *reader) (string, error) {
			return sqliteScheme + r.inData("pciatlas.db"), nil
		},
		set: one(setDatabase),
	},
	{
		key: "database-password-file", usage: "`file` with the password of PostgreSQL", path: true,
		more: "Others must not be able to read it. The password itself may be given in " + prefix + "DATABASE_PASSWORD.",
		set:  one(nothing),
	},
	{key: "database-password", secret: true, set: one(nothing)},
	{
		key: "key-file", usage: "`file` with the keys that seal the tokens of clusters", path: true,
		more:   "Empty: keyring in the data folder. It is made at the first start. Without it, a backup cannot give the tokens back.",
		derive: func(r *reader) (string, error) { return r.inData("keyring"), nil },
		set:    one(func(c *Config, text string) error { c.KeyFile = text; return nil }),
	},
	{
		key: "tls-cert", usage: "PEM `file` with the certificate of the server and those between it and the authority", path: true,
		more: "Empty: the server speaks plain HTTP, which is for loopback and for proxies that speak TLS.",
		set:  one(func(c *Config, text string) error { c.TLSCert = text; return nil }),
	},
	{
		key: "tls-key", usage: "PEM `file` with the key of the certificate", path: true,
		more: "Others must not be able to read it.",
		set:  one(func(c *Config, text string) error { c.TLSKey = text; return nil }),
	},
	{
		key: "public-url", usage: "where browsers find the server: `https://HOST`",
		more: "For links, cookies and OpenID Connect. Needed behind a proxy that speaks TLS.",
		set:  one(setPublicURL),
	},
	{
		key: "trusted-proxies", kind: kindList, usage: "believe proxies in this `network` what they say about callers (may be repeated)",
		more: "Addresses or networks such as 10.0.0.0/24.",
		set:  setProxies,
	},
	{
		key: "allow-local-endpoints", kind: kindTruth, usage: "let clusters have loopback and link-local addresses",
		def: []string{"false"}, set: truth(func(c *Config) *bool { return &c.AllowLocalEndpoints }),
	},
	{
		key: "metrics-open", kind: kindTruth, usage: "show metrics without a token",
		def: []string{"false"}, set: truth(func(c *Config) *bool { return &c.MetricsOpen }),
	},
	{
		key: "log-format", usage: "`format` of the log: text, json",
		def: []string{LogText}, set: one(func(c *Config, text string) error { return choose(&c.LogFormat, text, LogText, LogJSON) }),
	},
	{
		key: "log-level", usage: "least `level` that is logged: debug, info, warn, error",
		def: []string{"info"}, set: one(setLogLevel),
	},
	{
		key: "share", usage: "how old an answer may be that is given to a second caller: a `time` from 0s to 1m",
		def: []string{"5s"}, set: duration(func(c *Config) *time.Duration { return &c.Share }, 0, time.Minute),
	},
	limit("max-vms", "read at most this `number` of VMs of one node", "200", func(c *Config) *int { return &c.Limits.VMsPerNode }),
	limit("per-node", "at most this `number` of requests at a time for one node", "4", func(c *Config) *int { return &c.Limits.PerNode }),
	limit("per-entry", "at most this `number` of requests at a time at one entry node", "12", func(c *Config) *int { return &c.Limits.PerEntry }),
	limit("per-cluster", "at most this `number` of requests at a time to one cluster", "20", func(c *Config) *int { return &c.Limits.PerCluster }),
	{
		key: "limits.node-budget", usage: "let one node keep a read waiting for this `time`, from 1s to 10m",
		def: []string{"12s"}, set: duration(func(c *Config) *time.Duration { return &c.Limits.NodeBudget }, time.Second, 10*time.Minute),
	},
	{
		key: "limits.request", usage: "let one request to the cluster as a whole take this `time`, from 1s to 10m",
		def: []string{"12s"}, set: duration(func(c *Config) *time.Duration { return &c.Limits.Request }, time.Second, 10*time.Minute),
	},
	{
		key: "oidc.issuer", usage: "let people sign in through the OpenID Connect provider with this `URL`",
		more: "Exactly as the provider gives it. It needs client-id and public-url, too. Empty: off.",
		set:  one(setIssuer),
	},
	{
		key: "oidc.client-id", usage: "`name` of this program at the provider",
		set: one(func(c *Config, text string) error { return plainText(&c.OIDC.ClientID, text) }),
	},
	{
		key: "oidc.client-secret-file", usage: "`file` with the secret of this program at the provider", path: true,
		more: "Others must not be able to read it. The secret itself may be given in " + prefix + "OIDC_CLIENT_SECRET.",
		set:  one(nothing),
	},
	{key: "oidc.client-secret", secret: true, set: one(nothing)},
	{
		key: "oidc.name", usage: "`name` of the provider on the page for signing in", def: []string{"OpenID Connect"},
		set: one(func(c *Config, text string) error { return plainText(&c.OIDC.Name, text) }),
	},
	{
		key: "oidc.scopes", kind: kindList, usage: "`scopes` to ask the provider for", def: []string{"openid", "profile", "email"},
		set: setScopes,
	},
	{
		key: "oidc.role-claim", usage: "`claim` whose values give the role", def: []string{"groups"},
		set: one(func(c *Config, text string) error { return plainText(&c.OIDC.RoleClaim, text) }),
	},
	{
		key: "oidc.role-map", kind: kindPairs, usage: "give people with this value of the claim this role: `VALUE=ROLE` (may be repeated)",
		more: "Roles are admin, operator and auditor; who has several values gets the highest. In the variable, pairs are separated by semicolons.",
		set:  setRoleMap,
	},
	{
		key: "oidc.default-role", usage: "`role` of people without such a value: admin, operator, auditor",
		more: "Empty: they cannot sign in, unless an administrator made an account for them.",
		set:  one(func(c *Config, text string) error { return choose(&c.OIDC.DefaultRole, text, roles...) }),
	},
}

// nothing is for fields that finish puts into place.
func nothing(*Config, string) error { return nil }

func limit(name, usage, def string, target func(*Config) *int) field {
	return field{key: "limits." + name, usage: usage, def: []string{def}, set: number(target, 10_000)}
}
