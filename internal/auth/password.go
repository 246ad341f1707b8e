package auth

import (
	"strings"
	"unicode/utf8"
)

// How many characters a password has.
const (
	minPassword = 12
	maxPassword = 256
)

// CheckPassword says whether a password may be chosen for the administrator with
// that name. The error is a *RuleError with one of the codes password_too_short,
// password_too_long, password_repeats, password_is_name and password_invalid.
// There are no rules on kinds of characters: length is what counts.
func CheckPassword(name, password string) error {
	characters := utf8.RuneCountInString(password)
	first, _ := utf8.DecodeRuneInString(password)
	switch {
	case !utf8.ValidString(password):
		return &RuleError{Code: "password_invalid", Message: "the password is not valid text"}
	case characters < minPassword:
		return &RuleError{Code: "password_too_short", Message: "a password has at least 12 characters; a few words in a row are easy to remember"}
	case characters > maxPassword:
		return &RuleError{Code: "password_too_long", Message: "a password has up to 256 characters"}
	case strings.Count(password, string(first)) == characters:
		return &RuleError{Code: "password_repeats", Message: "the password is one character again and again"}
	case strings.EqualFold(password, name):
		return &RuleError{Code: "password_is_name", Message: "the password must not be the name"}
	}
	return nil
}
