package auth

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"
)

// TokenPrefix begins every API token, so that a leaked one is recognized.
const TokenPrefix = "pa_"

// Token is an API token. Its text is shown once, when it is made.
type Token struct {
	ID        string // public, 8 characters; see NewTokenID
	Name      string // says what it is for
	Owner     string // name of an administrator
	Role      Role   // see EffectiveRole
	Hash      string // HashSecret of its text
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	UsedAt    time.Time // zero: never
}

// Valid says whether the token has not expired.
func (t Token) Valid(now time.Time) bool { return t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt) }

// NewSecret makes a text that nobody can guess, prefix and 43 characters that
// need no quoting in URLs, headers and cookies, and the hash to store instead.
func NewSecret(random io.Reader, prefix string) (text, hash string, err error) {
	var raw [32]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", "", fmt.Errorf("read random bytes for a secret: %w", err)
	}
	text = prefix + base64.RawURLEncoding.EncodeToString(raw[:])
	return text, HashSecret(text), nil
}

// HashSecret gives the SHA-256 in hexadecimal digits. That is enough for texts of
// NewSecret, which cannot be guessed, and for nothing that a person chose.
func HashSecret(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// NewTokenID makes the public id of a token.
func NewTokenID(random io.Reader) (string, error) {
	var raw [5]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("read random bytes for the id of a token: %w", err)
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(raw[:])), nil
}
