package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pciatlas/internal/config"
)

// file is a file of a test.
type file struct {
	text string
	mode fs.FileMode
	err  error
}

// world is what the settings of a test are made of. The file of settings is
// /etc/p/c.yaml.
type world struct {
	settings  string
	mode      fs.FileMode // of the settings; 0: 0600
	flags     []string
	variables map[string]string
	files     map[string]file
	root      bool
	homeless  bool
}

func (w world) input(t *testing.T) config.Input {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	config.AddFlags(flags)
	if err := flags.Parse(w.flags); err != nil {
		t.Fatal(err)
	}
	files := map[string]file{"/etc/p/c.yaml": {text: w.settings, mode: 0o600}}
	if w.mode != 0 {
		files["/etc/p/c.yaml"] = file{text: w.settings, mode: w.mode}
	}
	maps.Copy(files, w.files)
	getenv := func(name string) string {
		switch text, given := w.variables[name]; {
		case given:
			return text
		case name == "HOME" && !w.homeless:
			return "/home/p"
		case name == "PCIATLAS_CONFIG" && w.settings != "":
			return "/etc/p/c.yaml"
		default:
			return ""
		}
	}
	readFile := func(path string) ([]byte, fs.FileMode, error) {
		f, ok := files[path]
		if !ok {
			return nil, 0, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(f.text), f.mode, f.err
	}
	return config.Input{Flags: flags, Getenv: getenv, ReadFile: readFile, Dir: "/srv", Root: w.root}
}

// pair makes a certificate and its key.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certDER, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certDER})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

// TestFaults: what is wrong is said once, with its place and what to do.
func TestFaults(t *testing.T) {
	cert, key := pair(t)
	otherCert, _ := pair(t)
	tls := map[string]file{
		"/c": {text: cert, mode: 0o644}, "/k": {text: key, mode: 0o600}, "/other": {text: otherCert, mode: 0o644},
		"/open": {text: key, mode: 0o644}, "/x": {text: "x", mode: 0o600}, "/empty": {text: "\n", mode: 0o600},
		"/lines": {text: "a\nb", mode: 0o600}, "/secret": {text: "x\n", mode: 0o640}, "/it's": {text: "x", mode: 0o604},
		"/folder": {err: errors.New("/folder is a folder; give the name of a regular file")},
	}
	oidc := "public-url: https://p\noidc:\n  issuer: https://id\n  client-id: p\n"
	for name, test := range map[string]struct {
		world world
		want  []string // each the begin of a fault, a | and a part of it
	}{
		"unknown key":              {world{settings: "listn: x"}, []string{"listn (/etc/p/c.yaml:1)|do you mean listen?"}},
		"letters swapped":          {world{settings: "listne: x"}, []string{"listne|do you mean listen?"}},
		"other spelling":           {world{settings: "Trusted_Proxies: x"}, []string{"Trusted_Proxies|do you mean trusted-proxies?"}},
		"unlike any":               {world{settings: "\n\nbanana: x"}, []string{"banana (/etc/p/c.yaml:3)|pciatlas config example"}},
		"flag's word":              {world{settings: "oidc-issuer: x"}, []string{"oidc-issuer|issuer in the section oidc"}},
		"dotted":                   {world{settings: "oidc.issuer: https://x"}, []string{"oidc.issuer|issuer in the section oidc"}},
		"outside of section":       {world{settings: "max-vms: 3"}, []string{"max-vms|max-vms in the section limits"}},
		"within section":           {world{settings: "limits:\n  listen: x"}, []string{"limits.listen (/etc/p/c.yaml:2)|listen, outside of the section"}},
		"value for a key":          {world{settings: "'postgres://u:pw@h': x"}, []string{"config (/etc/p/c.yaml:1)|no such setting"}},
		"twice":                    {world{settings: "share: 1s\nlog-level: info\nshare: 2s"}, []string{"share (/etc/p/c.yaml:3)|first in line 1"}},
		"twice in a section":       {world{settings: "limits:\n  request: 1s\n  request: 2s"}, []string{"limits.request (/etc/p/c.yaml:3)|first in line 2"}},
		"section twice":            {world{settings: "limits: {request: 1s}\nlimits: {request: 2s}"}, []string{"limits (/etc/p/c.yaml:2)|first in line 1"}},
		"no mapping":               {world{settings: "- listen"}, []string{"config (/etc/p/c.yaml:1)|KEY: VALUE"}},
		"text for a section":       {world{settings: "oidc: x"}, []string{"oidc (/etc/p/c.yaml:1)|KEY: VALUE"}},
		"empty section":            {world{settings: "oidc:\n"}, []string{"oidc (/etc/p/c.yaml:1)|empty"}},
		"not YAML":                 {world{settings: "listen: x\nshare: \"5s\nx: [1"}, []string{"config (/etc/p/c.yaml:2)|not YAML"}},
		"unclosed list":            {world{settings: "trusted-proxies: [10.0.0.1"}, []string{"config (/etc/p/c.yaml:1)|not YAML"}},
		"tab":                      {world{settings: "oidc:\n\tissuer: x"}, []string{"config (/etc/p/c.yaml:2)|not YAML"}},
		"not UTF-8":                {world{settings: "listen: \xff"}, []string{"config (PCIATLAS_CONFIG)|UTF-8"}},
		"too large":                {world{settings: strings.Repeat("#", 1<<17)}, []string{"config|no file of settings"}},
		"two documents":            {world{settings: "share: 1s\n---\nshare: 2s"}, []string{"config (/etc/p/c.yaml:3)|one document"}},
		"anchor":                   {world{settings: "listen: &a 127.0.0.1:1"}, []string{"listen (/etc/p/c.yaml:1)|one value"}},
		"merge":                    {world{settings: "limits:\n  <<: {request: 1s}"}, []string{"limits (/etc/p/c.yaml:2)|merged keys"}},
		"no value":                 {world{settings: "listen:"}, []string{"listen (/etc/p/c.yaml:1)|no value"}},
		"null":                     {world{settings: "database: ~"}, []string{"database (/etc/p/c.yaml:1)|no value"}},
		"empty text":               {world{settings: `listen: ""`}, []string{"listen (/etc/p/c.yaml:1)|the default, 127.0.0.1:8080"}},
		"empty list":               {world{settings: "oidc: {scopes: []}"}, []string{"oidc.scopes (/etc/p/c.yaml:1)|no value"}},
		"list for one":             {world{settings: "listen: [a, b]"}, []string{"listen (/etc/p/c.yaml:1)|one value"}},
		"section for a list":       {world{settings: "trusted-proxies: {a: b}"}, []string{"trusted-proxies (/etc/p/c.yaml:1)|list"}},
		"empty flag":               {world{flags: []string{"--listen="}}, []string{"listen (--listen)|empty value"}},
		"empty flag of a list":     {world{flags: []string{"--trusted-proxies="}}, []string{"trusted-proxies (--trusted-proxies)|empty value"}},
		"empty file name":          {world{flags: []string{"--config="}}, []string{"config (--config)|empty value"}},
		"no file":                  {world{flags: []string{"--config=x"}}, []string{"config (--config)|open /srv/x: file does not exist"}},
		"folder as the file":       {world{flags: []string{"--config=/folder"}, files: tls}, []string{"config (--config)|is a folder"}},
		"no port":                  {world{flags: []string{"--listen=localhost"}}, []string{"listen|HOST:PORT"}},
		"large port":               {world{flags: []string{"--listen=:65536"}}, []string{"listen|65535"}},
		"named port":               {world{flags: []string{"--listen=:http"}}, []string{"listen|65535"}},
		"bad address":              {world{flags: []string{"--listen=127.0.0.256:1"}}, []string{"listen|neither an address nor a name"}},
		"home folder":              {world{settings: "data: ~/x"}, []string{"data (/etc/p/c.yaml:1)|whole path"}},
		"no home":                  {world{homeless: true}, []string{"data (default)|--data"}},
		"proxy name":               {world{flags: []string{"--trusted-proxies=proxy"}}, []string{"trusted-proxies|neither an address nor a network"}},
		"network with host":        {world{flags: []string{"--trusted-proxies=10.0.0.1/24"}}, []string{"trusted-proxies|10.0.0.0/24 for the network"}},
		"bits too many":            {world{flags: []string{"--trusted-proxies=10.0.0.0/33"}}, []string{"trusted-proxies|neither"}},
		"everybody":                {world{flags: []string{"--trusted-proxies=::/0"}}, []string{"trusted-proxies|everybody"}},
		"mapped network":           {world{flags: []string{"--trusted-proxies=::ffff:10.0.0.0/104"}}, []string{"trusted-proxies|neither"}},
		"no URL":                   {world{flags: []string{"--public-url=p.example.com"}}, []string{"public-url|https://HOST"}},
		"plain http":               {world{flags: []string{"--public-url=http://p.example.com"}}, []string{"public-url|loopback"}},
		"URL with a path":          {world{flags: []string{"--public-url=https://p/x"}}, []string{"public-url|path"}},
		"URL with a query":         {world{flags: []string{"--public-url=https://p/?"}}, []string{"public-url|?"}},
		"URL with port 0":          {world{flags: []string{"--public-url=https://p:0"}}, []string{"public-url|port"}},
		"neither true nor not":     {world{variables: map[string]string{"PCIATLAS_METRICS_OPEN": "maybe"}}, []string{"metrics-open (PCIATLAS_METRICS_OPEN)|neither true nor false"}},
		"time without unit":        {world{settings: "share: 5"}, []string{"share|unit"}},
		"time too long":            {world{settings: "share: 61s"}, []string{"share|from 0s to 1m;"}},
		"number too small":         {world{settings: "limits: {max-vms: 0}"}, []string{"limits.max-vms|from 1"}},
		"unknown level":            {world{settings: "log-level: INFO"}, []string{"log-level|debug, info"}},
		"certificate alone":        {world{settings: "tls-cert: /c", files: tls}, []string{"tls-cert (/etc/p/c.yaml:1)|needs its key"}},
		"key alone":                {world{settings: "tls-key: /k", files: tls}, []string{"tls-key (/etc/p/c.yaml:1)|needs its certificate"}},
		"key of another":           {world{settings: "tls-cert: /other\ntls-key: /k", files: tls}, []string{"tls-cert|does not match"}},
		"swapped":                  {world{settings: "tls-cert: /k\ntls-key: /c", mode: 0o600, files: map[string]file{"/k": {text: key, mode: 0o600}, "/c": {text: cert, mode: 0o600}}}, []string{"tls-cert|PEM"}},
		"no PEM":                   {world{settings: "tls-cert: /x\ntls-key: /k", files: tls}, []string{"tls-cert|PEM"}},
		"key open to all":          {world{settings: "tls-cert: /c\ntls-key: /open", files: tls}, []string{"tls-key|chmod o= '/open'"}},
		"no certificate":           {world{settings: "tls-cert: no\ntls-key: /folder", files: tls}, []string{"tls-cert|open /etc/p/no", "tls-key|is a folder"}},
		"kind of database":         {world{settings: "database: mysql://h/d"}, []string{"database|sqlite:PATH"}},
		"password in a flag":       {world{flags: []string{"--database=postgres://u:p@h/d"}}, []string{"database (--database)|--database-password-file"}},
		"password in an open file": {world{settings: "database: postgres://u:p@h/d", mode: 0o644}, []string{"database (/etc/p/c.yaml:1)|chmod o= '/etc/p/c.yaml'"}},
		"in memory":                {world{settings: "database: 'sqlite::memory:'"}, []string{"database|lose everything"}},
		"no path":                  {world{settings: "database: 'sqlite:'"}, []string{"database|no name of a file"}},
		"two slashes":              {world{settings: "database: sqlite://x.db"}, []string{"database|sqlite:PATH"}},
		"password for SQLite":      {world{flags: []string{"--database-password-file=/secret"}, files: tls}, []string{"database-password (--database-password-file)|SQLite"}},
		"secret open to all":       {world{settings: "database: postgres://u@h/d\ndatabase-password-file: \"/it's\"", files: tls}, []string{`database-password-file|chmod o= '/it'\''s'`}},
		"empty secret":             {world{settings: "database: postgres://u@h/d\ndatabase-password-file: /empty", files: tls}, []string{"database-password-file|empty"}},
		"secret of lines":          {world{settings: oidc + "  client-secret-file: /lines", files: tls}, []string{"oidc.client-secret-file (/etc/p/c.yaml:5)|one line"}},
		"secret that is a dir":     {world{settings: oidc + "  client-secret-file: /folder", files: tls}, []string{"oidc.client-secret-file|is a folder"}},
		"secret twice":             {world{settings: oidc + "  client-secret-file: /secret", variables: map[string]string{"PCIATLAS_OIDC_CLIENT_SECRET": "x"}, files: tls}, []string{"oidc.client-secret|two places"}},
		"no client":                {world{settings: "public-url: https://p\noidc: {issuer: https://id}"}, []string{"oidc.issuer|oidc.client-id"}},
		"no public URL":            {world{settings: "oidc: {issuer: https://id, client-id: p}"}, []string{"oidc.issuer|public-url"}},
		"no issuer":                {world{settings: "oidc: {client-id: p}"}, []string{"oidc.client-id|oidc.issuer"}},
		"faulty issuer":            {world{settings: "public-url: https://p\noidc: {issuer: 'http://id', client-id: p}"}, []string{"oidc.issuer|https"}},
		"no openid":                {world{settings: oidc + "  scopes: [email]"}, []string{"oidc.scopes|openid"}},
		"unknown role":             {world{settings: oidc + "  role-map: {a: root}"}, []string{"oidc.role-map|admin, operator, auditor"}},
		"role for no value":        {world{settings: oidc, flags: []string{"--oidc-role-map==admin"}}, []string{"oidc.role-map (--oidc-role-map)|VALUE=ROLE"}},
		"two roles":                {world{settings: oidc, flags: []string{"--oidc-role-map=a=admin", "--oidc-role-map=a=auditor"}}, []string{"oidc.role-map|two roles"}},
		"list for roles":           {world{settings: oidc + "  role-map: [a=admin]"}, []string{"oidc.role-map|VALUE: ROLE"}},
		"role with a sign in it":   {world{settings: oidc + "  role-map: {a: b=admin}"}, []string{"oidc.role-map|VALUE: ROLE"}},
		"several at once": {
			world{settings: "listen: x\nshare: y\nbanana: z", flags: []string{"--log-level=x"}},
			[]string{"banana|", "listen|", "log-level (--log-level)|", "share|"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings, err := config.Load(test.world.input(t))
			invalid, ok := errors.AsType[*config.InvalidError](err)
			if !ok || settings != nil {
				t.Fatalf("no fault: %v, %+v", err, settings)
			}
			if len(invalid.Faults) != len(test.want) {
				t.Errorf("%d faults, want %d", len(invalid.Faults), len(test.want))
			}
			for i, want := range test.want {
				begin, part, _ := strings.Cut(want, "|")
				if i < len(invalid.Faults) {
					if got := invalid.Faults[i].String(); !strings.HasPrefix(got, begin+" (") && !strings.HasPrefix(got, begin+":") || !strings.Contains(got, part) {
						t.Errorf("%s\nwant %s", got, want)
					}
				}
			}
			if strings.Count(err.Error(), "\n") != len(invalid.Faults)-1 {
				t.Errorf("not one line for each fault: %s", err)
			}
		})
	}
}

// TestFine: what looks odd and is right.
func TestFine(t *testing.T) {
	cert, key := pair(t)
	for name, test := range map[string]struct {
		world world
		get   func(*config.Config) any
		want  string
	}{
		"port 0":             {world{flags: []string{"--listen=[fe80::1%eth0]:0"}}, func(c *config.Config) any { return c.Listen }, "[fe80::1%eth0]:0"},
		"systemd":            {world{root: true, variables: map[string]string{"STATE_DIRECTORY": "/var/lib/private/p:/x"}}, func(c *config.Config) any { return c.KeyFile }, "/var/lib/private/p/keyring"},
		"root":               {world{root: true, variables: map[string]string{"XDG_STATE_HOME": "/x"}}, func(c *config.Config) any { return c.Data }, "/var/lib/pciatlas"},
		"XDG":                {world{variables: map[string]string{"XDG_STATE_HOME": "/x"}}, func(c *config.Config) any { return c.Database.Reveal() }, "sqlite:/x/pciatlas/pciatlas.db"},
		"relative XDG":       {world{variables: map[string]string{"XDG_STATE_HOME": "x"}}, func(c *config.Config) any { return c.Data }, "/home/p/.local/state/pciatlas"},
		"of the file":        {world{settings: "data: ../s"}, func(c *config.Config) any { return c.Data }, "/etc/s"},
		"of the flag":        {world{settings: "share: 1s", flags: []string{"--data=../s"}}, func(c *config.Config) any { return c.Data }, "/s"},
		"of the variable":    {world{variables: map[string]string{"PCIATLAS_DATABASE": "sqlite:s.db"}}, func(c *config.Config) any { return c.Database.Reveal() }, "sqlite:/srv/s.db"},
		"database of a file": {world{settings: "database: sqlite:s.db"}, func(c *config.Config) any { return c.Database.Reveal() }, "sqlite:/etc/p/s.db"},
		"three slashes":      {world{settings: "database: sqlite:///s.db"}, func(c *config.Config) any { return c.Database.Reveal() }, "sqlite:/s.db"},
		"empty variable":     {world{settings: "share: 1s", variables: map[string]string{"PCIATLAS_SHARE": ""}}, func(c *config.Config) any { return c.Share }, "1s"},
		"empty file":         {world{settings: "# nothing\n"}, func(c *config.Config) any { return c.Share }, "5s"},
		"Windows":            {world{settings: "\ufeffshare: 1s\r\nlog-level: warn\r\n"}, func(c *config.Config) any { return c.LogLevel }, "WARN"},
		"slash at the end":   {world{flags: []string{"--public-url=https://p.example.com/"}}, func(c *config.Config) any { return c.PublicURL }, "https://p.example.com"},
		"flag not true":      {world{settings: "metrics-open: true", flags: []string{"--metrics-open=false"}}, func(c *config.Config) any { return c.MetricsOpen }, "false"},
		"fault overridden":   {world{settings: "share: x", flags: []string{"--share=2s"}}, func(c *config.Config) any { return c.Share }, "2s"},
		"proxies":            {world{flags: []string{"--trusted-proxies=10.0.0.1", "--trusted-proxies=fd00::/8,::1"}}, func(c *config.Config) any { return c.TrustedProxies }, "[10.0.0.1/32 fd00::/8 ::1/128]"},
		"password file": {
			world{
				settings: "database: postgres://u@h/d\ndatabase-password-file: pw",
				files:    map[string]file{"/etc/p/pw": {text: "p@/?#%:\n", mode: 0o640}},
			},
			func(c *config.Config) any { return c.Database.Reveal() }, "postgres://u:p%40%2F%3F%23%25%3A@h/d",
		},
		"password for a socket": {
			world{variables: map[string]string{"PCIATLAS_DATABASE": "postgres:///d?host=/run/pg&user=u", "PCIATLAS_DATABASE_PASSWORD": "x"}},
			func(c *config.Config) any { return c.Database.Reveal() }, "postgres://:x@/d?host=/run/pg&user=u",
		},
		"TLS": {
			world{settings: "tls-cert: c\ntls-key: k", files: map[string]file{"/etc/p/c": {text: cert, mode: 0o644}, "/etc/p/k": {text: key, mode: 0o440}}},
			func(c *config.Config) any { return c.TLSKey }, "/etc/p/k",
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings, err := config.Load(test.world.input(t))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(test.get(settings)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestSecretsStaySecret plants a secret wherever one may be, or may slip to, and
// searches all that can be shown.
func TestSecretsStaySecret(t *testing.T) {
	const canary = "CANARY"
	pg := "postgres://u:" + canary + "@h/d"
	for name, w := range map[string]world{
		"URL by variable":      {variables: map[string]string{"PCIATLAS_DATABASE": pg}},
		"URL by flag":          {flags: []string{"--database=" + pg}},
		"URL by file":          {settings: "database: " + pg},
		"URL by open file":     {settings: "database: " + pg, mode: 0o644},
		"overridden":           {settings: "database: " + pg, variables: map[string]string{"PCIATLAS_DATABASE": pg}, flags: []string{"--database=sqlite:x"}},
		"parameter":            {variables: map[string]string{"PCIATLAS_DATABASE": "postgres://h/d?user=u&Password=" + canary}},
		"key's parameter":      {variables: map[string]string{"PCIATLAS_DATABASE": "postgres://h/d?sslpassword=" + canary + "&x=%41"}},
		"slash":                {settings: "database: postgres://u:1/" + canary + "@h/d"},
		"slash at first":       {settings: "database: postgres://u:" + canary + "/x@h/d"},
		"question mark":        {settings: "database: postgres://u:1?" + canary + "@h/d"},
		"hash":                 {settings: "database: postgres://u:1#" + canary + "@h/d"},
		"at":                   {settings: "database: postgres://u:x@" + canary + "@h/d"},
		"at and slash":         {settings: "database: postgres://u:1@x/" + canary + "@h/d"},
		"percent":              {settings: "database: postgres://u:%" + canary + "@h/d"},
		"blank":                {settings: "database: postgres://u:a " + canary + "@h/d"},
		"words":                {settings: "database: host=h password=" + canary},
		"other scheme":         {settings: "database: postgers://u:" + canary + "@h/d"},
		"wrong field":          {settings: "listen: " + pg + "\npublic-url: " + pg + "\nlog-level: " + pg + "\nshare: " + pg + "\noidc: {issuer: '" + pg + "'}"},
		"public URL":           {flags: []string{"--public-url=https://u:" + canary + "@h"}},
		"as a list":            {flags: []string{"--trusted-proxies=" + pg}},
		"as a role":            {flags: []string{"--oidc-role-map=" + pg + "=x"}},
		"as a key":             {settings: "'" + pg + "': x"},
		"as a file":            {settings: pg},
		"broken":               {settings: "database: \"" + pg + "\nx: [" + canary},
		"broken list":          {settings: "database: [" + pg + ", " + canary + ": }"},
		"broken block":         {settings: "database: |9" + canary + "\n  x"},
		"broken version":       {settings: "%YAML " + canary + "\n---\nx: y"},
		"broken tag":           {settings: "database: !!" + canary + " [x"},
		"nested":               {settings: "database:\n  password: " + canary},
		"in the settings":      {settings: "database-password: " + canary + "\noidc: {client-secret: " + canary + "}"},
		"password by variable": {variables: map[string]string{"PCIATLAS_DATABASE": "postgres://u@h/d", "PCIATLAS_DATABASE_PASSWORD": canary}},
		"of several lines":     {variables: map[string]string{"PCIATLAS_DATABASE": "postgres://u@h/d", "PCIATLAS_DATABASE_PASSWORD": canary + "\n" + canary}},
		"in two places":        {variables: map[string]string{"PCIATLAS_DATABASE": pg, "PCIATLAS_DATABASE_PASSWORD": canary}},
		"password by file":     {settings: "database: postgres://u@h/d\ndatabase-password-file: /pw", files: map[string]file{"/pw": {text: canary, mode: 0o600}}},
		"open password file":   {settings: "database: postgres://u@h/d\ndatabase-password-file: /pw", files: map[string]file{"/pw": {text: canary, mode: 0o644}}},
		"client secret": {
			settings:  "public-url: https://p\noidc: {issuer: https://id, client-id: p}",
			variables: map[string]string{"PCIATLAS_OIDC_CLIENT_SECRET": canary},
		},
		"key for a certificate": {
			settings: "tls-cert: /k\ntls-key: /k",
			files:    map[string]file{"/k": {text: "-----BEGIN PRIVATE KEY-----\n" + canary + "\n-----END PRIVATE KEY-----", mode: 0o600}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings, faults := config.Check(w.input(t))
			encoded, err := json.Marshal(settings)
			if err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "settings", settings, "database", settings.Database)
			slog.New(slog.NewTextHandler(&log, nil)).Info("x", "settings", settings, "secret", settings.OIDC.ClientSecret)
			shown := fmt.Sprintf("%v %+v %#v %s %q %x %s %s %s", faults, settings, settings, settings.Database, settings.OIDC.ClientSecret,
				settings.Database, settings.Explain(), encoded, log.String())
			if strings.Contains(shown, canary) || strings.Contains(shown, fmt.Sprintf("%x", canary)) {
				t.Errorf("it shows: %s", shown)
			}
		})
	}
}
