package config

import (
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
)

// Secret is a text that shows itself to nobody who prints, encodes or logs it.
// The zero value is none.
type Secret struct{ text string }

const hidden = "(hidden)"

// NewSecret makes a secret of a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal gives the text.
func (s Secret) Reveal() string { return s.text }

// IsZero tells that there is none.
func (s Secret) IsZero() bool { return s.text == "" }

// String gives "", or a word in place of the text.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return hidden
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is String, for encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// mask gives a value that may be shown: a URL with a password in it is not. What
// looks like a URL with a password, but is not read as one, is hidden whole.
func mask(text string) string {
	lower := strings.ToLower(text)
	if strings.Contains(text, "://") && (strings.ContainsAny(text, "@#") || strings.Contains(lower, "pass")) ||
		strings.Contains(lower, "password=") {
		return hidden
	}
	return text
}

// maskDatabase gives the value of database as it may be shown.
func maskDatabase(text string) string {
	if path, ok := strings.CutPrefix(text, sqliteScheme); ok {
		return sqliteScheme + path
	}
	parsed, err := parsePostgres(text)
	if err != nil {
		return hidden
	}
	query := parsed.Query()
	for key := range query {
		if isPassword(key) {
			query.Set(key, "xxxxx")
			parsed.RawQuery = query.Encode()
		}
	}
	return parsed.Redacted()
}

const sqliteScheme = "sqlite:"

// isPassword tells whether a parameter of the URL holds a password; passfile names
// a file.
func isPassword(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "pass") && key != "passfile"
}

var errDatabaseURL = errors.New("this is no URL of PostgreSQL; write postgres://USER@HOST:PORT/DATABASE, " +
	"and put the password into a file (database-password-file), or write each of its characters such as / ? # @ % as %2F %3F %23 %40 %25")

// parsePostgres reads a URL of PostgreSQL. Its error repeats nothing of the text.
// A password with special characters can make a URL that reads well and has a part
// of the password elsewhere; that is refused.
func parsePostgres(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" || parsed.Opaque != "" ||
		parsed.Fragment != "" || strings.Count(text, "@") > 1 || strings.Contains(text, "#") ||
		strings.Contains(text, "@") && parsed.User == nil || !strings.Contains(text, "://") {
		return nil, errDatabaseURL
	}
	if _, err := url.ParseQuery(parsed.RawQuery); err != nil {
		return nil, errDatabaseURL
	}
	return parsed, nil
}

func hasPassword(parsed *url.URL) bool {
	if password, ok := parsed.User.Password(); ok && password != "" {
		return true
	}
	for key := range parsed.Query() {
		if isPassword(key) {
			return true
		}
	}
	return false
}

// setDatabase checks what is given as the database.
func setDatabase(c *Config, text string) error {
	path, isFile := strings.CutPrefix(text, sqliteScheme)
	switch {
	case !isFile && !strings.HasPrefix(text, "postgres"):
		return errors.New("this is neither sqlite:PATH nor postgres://USER@HOST:PORT/DATABASE; leave it out for a file in the data folder")
	case !isFile:
		if _, err := parsePostgres(text); err != nil {
			return err
		}
	case strings.Contains(path, ":memory:"):
		return errors.New("a database in memory would lose everything at the end; give sqlite:PATH with the name of a file")
	}
	c.Database = NewSecret(text)
	return nil
}

// resolveDatabase makes the path of a database file absolute.
func resolveDatabase(base, text string) (string, error) {
	path, ok := strings.CutPrefix(text, sqliteScheme)
	if !ok {
		return text, nil
	}
	if rest, ok := strings.CutPrefix(path, "//"); ok && !strings.HasPrefix(rest, "/") {
		return text, errors.New("after sqlite: comes a path, and // begins none; write sqlite:PATH or sqlite:///PATH")
	}
	path, err := resolvePath(base, path)
	return sqliteScheme + path, err
}

var (
	errNoPath = errors.New("this is no name of a file; give a path without control characters")
	errTilde  = errors.New("~ does not stand for a home folder here; write the whole path")
)

// resolvePath makes a path absolute that belongs to a folder.
func resolvePath(base, path string) (string, error) {
	switch {
	case path == "" || strings.ContainsFunc(path, isControl):
		return path, errNoPath
	case path == "~" || strings.HasPrefix(path, "~/"):
		return path, errTilde
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	default:
		return filepath.Join(base, path), nil
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
