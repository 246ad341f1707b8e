package pveapi

import (
	"errors"
	"strings"
)

// Token is an API token of Proxmox VE.
type Token struct {
	ID     string // USER@REALM!NAME
	Secret string
}

// ParseToken reads USER@REALM!NAME=SECRET, as Proxmox VE shows a new token. The
// error never repeats the text.
func ParseToken(s string) (Token, error) {
	id, secret, found := strings.Cut(strings.TrimSpace(s), "=")
	user, name, isToken := strings.Cut(id, "!")
	at := strings.LastIndexByte(user, '@')
	switch {
	case !found || secret == "":
		return Token{}, errors.New("an API token is written as USER@REALM!NAME=SECRET; the = with the secret behind it is missing")
	case !isToken || name == "":
		return Token{}, errors.New("an API token is written as USER@REALM!NAME=SECRET; the ! with the token's name behind it is missing (a user's password does not work here)")
	case at <= 0 || at == len(user)-1:
		return Token{}, errors.New("an API token is written as USER@REALM!NAME=SECRET; the realm is missing, for example @pve or @pam")
	case strings.ContainsAny(id+secret, " \t\r\n\x00;"):
		return Token{}, errors.New("an API token holds no blanks, line breaks or semicolons")
	}
	return Token{ID: id, Secret: secret}, nil
}

// String gives the token without its secret.
func (t Token) String() string { return t.ID }

// GoString gives the token without its secret.
func (t Token) GoString() string { return t.ID }

// LogValue keeps the secret out of logs.
func (t Token) header() string { return "PVEAPIToken=" + t.ID + "=" + t.Secret }
