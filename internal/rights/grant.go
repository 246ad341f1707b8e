package rights

import (
	"regexp"
	"strings"
	"unicode"

	"pciatlas/internal/pve"
)

// RoleName is the name that Grant gives the least role.
const RoleName = "PciatlasRead"

// GrantCaution goes with the commands of Grant wherever they are shown: a user's own
// rule on a path replaces those of its groups there (PVE::AccessControl, roles).
const GrantCaution = "If the user has rights on / through a group, its own rule there would replace them: " +
	"grant the role to the group with --groups instead, or use a user made for this purpose."

// tokenID is PVE's pattern: user and realm, then the token's own id
// (PVE::Auth::Plugin, user_regex and realm_regex; PVE::AccessControl, token_full_regex).
var tokenID = regexp.MustCompile(`^([^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+)(?:!([A-Za-z][A-Za-z0-9.\-_]+))?$`)

// SplitToken takes USER@REALM!ID apart, without a secret, into USER@REALM and ID.
// It refuses what PVE would not take for a token.
func SplitToken(token string) (user, id string, ok bool) {
	user, id, ok = splitID(token)
	return user, id, ok && id != ""
}

// splitID takes USER@REALM or USER@REALM!ID apart; the id may be empty.
func splitID(text string) (user, id string, ok bool) {
	parts := tokenID.FindStringSubmatch(text)
	if parts == nil || strings.ContainsFunc(text, isInvisible) {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// isInvisible tells the characters that could make a command look like another one.
func isInvisible(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar
}

// Grant gives the commands that grant USER@REALM!ID the least role with which
// everything can be read: the role, the rule for the user, the rule for the token,
// both on / and propagating. A token with privilege separation holds only what both
// it and its user hold, so it needs both rules; without, its own rule is ignored.
// For USER@REALM alone the last command is left out. The result is nil for anything
// that PVE would take for neither.
//
// The commands are for a shell of root on any node of PVE 8 or later (before, there
// are no Mapping privileges) and safe to copy. Show GrantCaution with them.
func Grant(user string) []string {
	owner, id, ok := splitID(user)
	if !ok {
		return nil
	}
	commands := []string{
		"pveum role add " + RoleName + ` --privs "` + strings.Join(leastRole, ",") + `"`,
		"pveum acl modify / --users " + quote(owner) + " --roles " + RoleName,
	}
	if id != "" {
		commands = append(commands, "pveum acl modify / --tokens "+quote(owner+"!"+id)+" --roles "+RoleName)
	}
	return commands
}

// leastRole are the privileges with which everything can be read.
var leastRole = []string{pve.SysAudit, pve.VMAudit, pve.MappingAudit}

// quote makes one word of a POSIX shell. Single quotes also keep an interactive bash
// from taking the ! of a token for its history.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
