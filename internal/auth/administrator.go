package auth

import (
	"regexp"
	"strings"
	"time"
)

// Administrator is a person who may sign in.
type Administrator struct {
	Name    string // as CheckName gives it
	Role    Role
	Hash    string // PHC string of the password; "": signs in through OpenID Connect only
	Subject string // issuer|sub of OpenID Connect, "" for none
	CreatedAt, UpdatedAt,
	SignedInAt time.Time // zero: never
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._@-]{0,62}$`)

// CheckName gives the name of an administrator in lower case. The error is a
// *RuleError with the code name_invalid.
func CheckName(name string) (string, error) {
	for _, r := range name {
		if r > '~' { // some of these have an ASCII letter as their lower case
			return "", errName
		}
	}
	name = strings.ToLower(name)
	if !namePattern.MatchString(name) {
		return "", errName
	}
	return name, nil
}

var errName = &RuleError{
	Code:    "name_invalid",
	Message: "a name has up to 63 of the letters a to z, digits and . _ @ -, and begins with a letter or digit",
}
