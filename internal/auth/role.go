package auth

import "errors"

// Role is what an administrator or a token may do.
type Role string

// The roles, each of which may do everything that the next one may.
const (
	Admin    Role = "admin"    // everything
	Operator Role = "operator" // reads, managed desktops, mappings where changes are allowed
	Auditor  Role = "auditor"  // reads
)

// rank orders the roles; 0 is none of them.
func (r Role) rank() int {
	switch r {
	case Admin:
		return 3
	case Operator:
		return 2
	case Auditor:
		return 1
	default:
		return 0
	}
}

// Covers says whether the role includes what need includes. A role that does not
// exist covers nothing and is covered by none.
func (r Role) Covers(need Role) bool { return need.rank() > 0 && r.rank() >= need.rank() }

// ParseRole reads the name of a role.
func ParseRole(text string) (Role, error) {
	if role := Role(text); role.rank() > 0 {
		return role, nil
	}
	return "", errors.New("a role is one of admin, operator and auditor")
}

// EffectiveRole is what a token may do: its own role, but never more than its
// owner's at that time. It is "" (nothing) if one of them is not a role.
func EffectiveRole(token, owner Role) Role {
	switch {
	case token.rank() == 0 || owner.rank() == 0:
		return ""
	case owner.Covers(token):
		return token
	default:
		return owner
	}
}
