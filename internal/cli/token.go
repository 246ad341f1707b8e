package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pciatlas/internal/pveapi"
	"pciatlas/internal/rights"
)

// tokenVariable holds the API token where no file is given.
const tokenVariable = "PCIATLAS_TOKEN" //nolint:gosec // the name of a variable, no secret

// token reads the API token. A file that others can read is refused: the token
// in it is no secret any more. No error repeats anything of what was read.
func (s *source) token(env Env) (pveapi.Token, error) {
	if s.tokenFile == "" {
		text := env.Getenv(tokenVariable)
		if strings.TrimSpace(text) == "" {
			return pveapi.Token{}, errNoToken()
		}
		return parseToken(tokenVariable, []byte(text))
	}
	data, info, err := readRegular(s.tokenFile, maxToken)
	switch {
	case err != nil:
		return pveapi.Token{}, failed(fmt.Errorf("read the token: %w", err))
	case info.Mode().Perm()&0o077 != 0:
		return pveapi.Token{}, failed(fmt.Errorf("others can read the token in %s, so it is not used; change that with: chmod 600 %s",
			s.tokenFile, quote(s.tokenFile)))
	default:
		return parseToken(s.tokenFile, data)
	}
}

const tokenForm = "it must hold one line: USER@REALM!NAME=SECRET"

// parseToken reads a token with what editors, Windows and shells leave around it.
func parseToken(where string, data []byte) (pveapi.Token, error) {
	text := unwrapToken(data)
	switch {
	case text == "":
		return pveapi.Token{}, failed(fmt.Errorf("%s is empty; %s", where, tokenForm))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, notInToken):
		return pveapi.Token{}, failed(fmt.Errorf(
			"%s holds several lines, or characters that cannot be seen, or is not UTF-8; %s", where, tokenForm))
	}
	token, err := pveapi.ParseToken(text)
	if err != nil {
		return pveapi.Token{}, failed(fmt.Errorf("%s: %w", where, err))
	}
	return token, nil
}

// unwrapToken takes away a byte order mark, blanks and one pair of quotes.
func unwrapToken(data []byte) string {
	text := strings.TrimSpace(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
	for _, mark := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(text, mark); ok && strings.HasSuffix(inner, mark) {
			return strings.TrimSpace(strings.TrimSuffix(inner, mark))
		}
	}
	return text
}

func notInToken(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		r == unicode.ReplacementChar
}

// errNoToken gives every command that leads to a token, for a cluster that knows
// none of what they make.
func errNoToken() error {
	const user = "pciatlas@pve"
	grant := rights.Grant(user)
	commands := []string{grant[0], "pveum user add " + user}
	commands = append(append(commands, grant[1:]...), "pveum user token add "+user+" scan --privsep 0")
	return &exitError{exitUsage, &advice{
		err: errors.New("--endpoint needs an API token: give a file with --token-file, or the token in " + tokenVariable),
		text: ". As root on a node, these commands make a user that may only read, and its token:\n  " +
			strings.Join(commands, "\n  ") +
			"\nPut " + user + "!scan= and the value that the last command shows into a file that only you can read (chmod 600)",
	}}
}
