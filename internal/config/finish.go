package config

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
)

// openToAll are the permissions that make a file no secret. A group may share one:
// services are given their files that way.
const openToAll fs.FileMode = 0o007

func openError(path string, mode fs.FileMode) error {
	return fmt.Errorf("everybody on this machine can get at %s (mode %04o), so it is not used; change that with: chmod o= %s",
		path, mode.Perm(), shellWord(path))
}

func shellWord(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// secret gives the secret that a variable or a file holds. Its errors repeat
// nothing of it.
func (r *reader) secret(key string) (Secret, bool) {
	direct, hasDirect := r.given[key]
	file, hasFile := r.given[key+"-file"]
	var text string
	var err error
	switch {
	case hasDirect && hasFile && len(file.texts) > 0:
		r.fault(key, direct.source, "the secret is given in two places, here and with %s (%s); give it once", key+"-file", file.source)
		return Secret{}, false
	case hasDirect:
		text, err = secretText([]byte(strings.Join(direct.texts, "")))
		file = direct
	case hasFile && len(file.texts) > 0 && file.err == nil:
		key += "-file"
		text, err = r.secretFile(file.texts[0])
	default:
		return Secret{}, false
	}
	if err != nil {
		r.fault(key, file.source, "%s", err)
		return Secret{}, false
	}
	return NewSecret(text), true
}

func (r *reader) secretFile(path string) (string, error) {
	data, mode, err := r.in.ReadFile(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("the secret cannot be read: %w", err)
	case mode.Perm()&openToAll != 0:
		return "", openError(path, mode)
	default:
		return secretText(data)
	}
}

// secretText takes away what editors leave around a secret.
func secretText(data []byte) (string, error) {
	text := strings.TrimRight(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\r\n")
	switch {
	case text == "":
		return "", errors.New("the secret is empty; it must be one line")
	case len(text) > 4096 || strings.ContainsFunc(text, isControl):
		return "", errors.New("the secret has several lines, control characters or more than 4096 bytes; it must be one line")
	default:
		return text, nil
	}
}

// finishDatabase puts the password into the URL.
func (r *reader) finishDatabase() {
	const key = "database"
	given := r.given[key]
	password, hasPasswordOfItsOwn := r.secret("database-password")
	text := r.config.Database.Reveal()
	parsed, err := parsePostgres(text)
	if err != nil { // SQLite, or a fault that is known
		if _, passwordGiven := r.passwordSource(); passwordGiven && strings.HasPrefix(text, sqliteScheme) {
			source, _ := r.passwordSource()
			r.fault("database-password", source, "a password is for PostgreSQL, but the database is SQLite; give database, or take the password out")
		}
		return
	}
	inURL := hasPassword(parsed)
	switch {
	case inURL && given.layer == layerFlag:
		r.fault(key, given.source, "everybody on this machine can see the password in a flag; put it into a file and name that with --database-password-file, or give the URL in %s", find(key).variable())
	case inURL && given.layer == layerFile && r.mode.Perm()&openToAll != 0:
		r.fault(key, given.source, "it holds a password, and %s", openError(r.path, r.mode))
	case inURL && hasPasswordOfItsOwn:
		r.fault(key, given.source, "the password is given in two places, in the URL and by itself; give it once")
	case hasPasswordOfItsOwn:
		parsed.User = url.UserPassword(parsed.User.Username(), password.Reveal())
		r.config.Database = NewSecret(parsed.String())
	}
}

func (r *reader) passwordSource() (string, bool) {
	for _, key := range []string{"database-password", "database-password-file"} {
		if v, ok := r.given[key]; ok && len(v.texts) > 0 {
			return v.source, true
		}
	}
	return "", false
}

// finishTLS checks that certificate and key fit together.
func (r *reader) finishTLS() {
	cert, key := r.config.TLSCert, r.config.TLSKey
	certSource, keySource := r.given["tls-cert"].source, r.given["tls-key"].source
	switch {
	case cert == "" && key == "":
		return
	case key == "":
		r.faultUnlessKnown("tls-key", "tls-cert", certSource, "the certificate needs its key; give the file with it in tls-key")
		return
	case cert == "":
		r.faultUnlessKnown("tls-cert", "tls-key", keySource, "the key needs its certificate; give the file with it in tls-cert")
		return
	}
	certData, _, certErr := r.in.ReadFile(cert)
	keyData, mode, keyErr := r.in.ReadFile(key)
	if certErr != nil {
		r.fault("tls-cert", certSource, "the certificate cannot be read: %s", certErr)
	}
	switch {
	case keyErr != nil:
		r.fault("tls-key", keySource, "the key cannot be read: %s", keyErr)
	case mode.Perm()&openToAll != 0:
		r.fault("tls-key", keySource, "%s", openError(key, mode))
	case certErr == nil:
		if _, err := tls.X509KeyPair(certData, keyData); err != nil {
			r.fault("tls-cert", certSource, "certificate and key cannot be used together: %s; both must be PEM, the server's certificate first",
				strings.TrimPrefix(err.Error(), "tls: "))
		}
	}
}

// faultUnlessKnown says what another setting lacks, unless that has a fault itself.
func (r *reader) faultUnlessKnown(lacking, key, source, message string) {
	if v, given := r.given[lacking]; !given || len(v.texts) == 0 && v.err == nil {
		r.fault(key, source, "%s", message)
	}
}

// finishOIDC checks that what belongs together is there.
func (r *reader) finishOIDC() {
	secret, _ := r.secret("oidc.client-secret")
	oidc := &r.config.OIDC
	oidc.ClientSecret = secret
	issuer := r.given["oidc.issuer"]
	if len(issuer.texts) == 0 && issuer.err == nil {
		for i := range fields {
			key := fields[i].key
			v := r.given[key] // without texts where it was not given
			if strings.HasPrefix(key, "oidc.") && len(v.texts) > 0 && !slices.Equal(v.texts, fields[i].def) {
				r.fault(key, v.source, "it does nothing without oidc.issuer; give that, too, or take this out")
			}
		}
		return
	}
	if oidc.ClientID == "" {
		r.faultUnlessKnown("oidc.client-id", "oidc.issuer", issuer.source, "it needs the name of this program at the provider; give oidc.client-id")
	}
	if r.config.PublicURL == "" {
		r.faultUnlessKnown("public-url", "oidc.issuer", issuer.source,
			"the provider must be told where to send people back to; give public-url")
	}
}
