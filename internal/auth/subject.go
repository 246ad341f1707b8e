package auth

import (
	"fmt"
	"strings"
	"unicode"
)

// CanSignIn says whether there is a way in: a password, or a subject of the issuer
// that is configured ("" for none).
func (a Administrator) CanSignIn(issuer string) bool {
	return a.Hash != "" || issuer != "" && CheckSubject(issuer, a.Subject) == nil
}

// maxSubject is how long a subject is at most in OpenID Connect Core, in bytes.
const maxSubject = 255

// CheckSubject refuses what does not name somebody at the issuer, as ISSUER|SUB.
func CheckSubject(issuer, subject string) error {
	sub, ours := strings.CutPrefix(subject, issuer+"|")
	switch {
	case !ours:
		return fmt.Errorf("a subject is written %s|SUB, with the value of the claim sub", issuer)
	case sub == "" || len(sub) > maxSubject || strings.ContainsFunc(sub, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("after %s| comes the value of the claim sub: 1 to %d printable characters", issuer, maxSubject)
	}
	return nil
}
