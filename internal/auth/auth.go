// Package auth holds who may use the server: administrators, their roles,
// passwords, sessions and API tokens, and how failed sign-ins are slowed down.
// Hashing is computation, so all of it is pure: time and randomness are
// arguments. It imports no other room, and every room may import it.
package auth

// RuleError says which rule a name or password breaks.
type RuleError struct {
	Code    string // stable, for programs
	Message string // a sentence for the person who chose it; never repeats a password
}

// Error gives the sentence.
func (e *RuleError) Error() string { return e.Message }

// ErrorCode gives the code.
func (e *RuleError) ErrorCode() string { return e.Code }
