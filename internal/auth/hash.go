package auth

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"
)

// argon are the parameters of one hash; memory is in KiB.
type argon struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

// The parameters of new hashes follow OWASP's Password Storage Cheat Sheet.
const (
	argonMemory  = 19456
	argonTime    = 2
	argonThreads = 1
	saltBytes    = 16
	keyBytes     = 32
)

// The most that a stored hash may ask for: somebody could have changed it. The
// shortest salt and key that are taken keep a shortened one from fitting everything.
const (
	maxMemory      = 64 << 10
	maxTime        = 8
	maxThreads     = 4
	minSalt        = 8
	minKey         = 16
	maxSaltOrKey   = 64
	maxHash        = 256
	maxVerifyBytes = 4 * maxPassword
)

// HashPassword gives the argon2id hash of a password as a PHC string. It takes
// about a tenth of a second and 19 MiB. An error comes from the source of
// randomness.
func HashPassword(random io.Reader, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", fmt.Errorf("read random bytes for a password's hash: %w", err)
	}
	a := argon{memory: argonMemory, time: argonTime, threads: argonThreads, salt: salt}
	a.key = a.derive(password, keyBytes)
	return a.String(), nil
}

// VerifyPassword says whether a password has that hash, and whether the hash
// should be made anew because its parameters are not today's (never if the
// password does not fit). A hash that is
// empty, broken or asks for too much fits no password; finding that out takes as
// long as comparing with Dummy, so that it does not show.
func VerifyPassword(hash, password string) (ok, outdated bool) {
	a, err := parseArgon(hash)
	if err != nil || len(password) > maxVerifyBytes {
		a, err = dummy(), errRefused
		password = password[:min(len(password), maxVerifyBytes)]
	}
	same := subtle.ConstantTimeCompare(a.derive(password, len(a.key)), a.key) == 1
	ok = same && err == nil
	return ok, ok && a.outdated()
}

// Dummy is a hash that fits no password: what to compare with for a name that
// does not exist, so that it takes as long as for one that does.
func Dummy() string { return dummy().String() }

// dummy has a key of zeros; no known password leads to it.
func dummy() argon {
	return argon{
		memory: argonMemory, time: argonTime, threads: argonThreads,
		salt: make([]byte, saltBytes), key: make([]byte, keyBytes),
	}
}

func (a argon) derive(password string, length int) []byte {
	return argon2.IDKey([]byte(password), a.salt, a.time, a.memory, a.threads, uint32(length))
}

func (a argon) outdated() bool {
	return a.memory != argonMemory || a.time != argonTime || a.threads != argonThreads ||
		len(a.salt) != saltBytes || len(a.key) != keyBytes
}

// String gives the PHC string.
func (a argon) String() string {
	return fmt.Sprintf("%sm=%d,t=%d,p=%d$%s$%s", argonHead, a.memory, a.time, a.threads,
		base64.RawStdEncoding.EncodeToString(a.salt), base64.RawStdEncoding.EncodeToString(a.key))
}

// argonHead begins a PHC string of argon2id, version 1.3.
const argonHead = "$argon2id$v=19$"

var errRefused = errors.New("the hash of the password is not one of argon2id with usual parameters")

// parseArgon reads a PHC string in exactly the form that String gives.
func parseArgon(text string) (argon, error) {
	body, ok := strings.CutPrefix(text, argonHead)
	parts := strings.Split(body, "$")
	if !ok || len(text) > maxHash || len(parts) != 3 {
		return argon{}, errRefused
	}
	var a argon
	if _, err := fmt.Sscanf(parts[0], "m=%d,t=%d,p=%d", &a.memory, &a.time, &a.threads); err != nil {
		return argon{}, errRefused
	}
	strict := base64.RawStdEncoding.Strict()
	var saltErr, keyErr error
	a.salt, saltErr = strict.DecodeString(parts[1])
	a.key, keyErr = strict.DecodeString(parts[2])
	if saltErr != nil || keyErr != nil || !a.usual() || a.String() != text {
		return argon{}, errRefused
	}
	return a, nil
}

func (a argon) usual() bool {
	return a.threads >= 1 && a.threads <= maxThreads && a.time >= 1 && a.time <= maxTime &&
		a.memory >= 8*uint32(a.threads) && a.memory <= maxMemory &&
		len(a.salt) >= minSalt && len(a.salt) <= maxSaltOrKey && len(a.key) >= minKey && len(a.key) <= maxSaltOrKey
}
