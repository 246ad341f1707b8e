// Package fleet holds what an operator registers: clusters, managed desktops,
// limits and the entries of the audit log, as plain types with their rules. It
// stands on the standard library alone, and every room may import it.
package fleet

import "strings"

// FieldError says what is wrong with one field.
type FieldError struct {
	// Field is a JSON path such as entries[0], or "line 3" of a file.
	Field string
	// Message is a sentence for the person who filled the field in. It never
	// repeats a text that could hold a secret.
	Message string
}

// InvalidError lists everything that is wrong with a value, at least one field.
type InvalidError struct{ Fields []FieldError }

// Error gives all sentences, each behind the name of its field.
func (e *InvalidError) Error() string {
	sentences := make([]string, len(e.Fields))
	for i, field := range e.Fields {
		sentences[i] = field.Field + ": " + field.Message
	}
	return strings.Join(sentences, "; ")
}

// faults collects what is wrong with a value.
type faults []FieldError

func (f *faults) add(field, message string) {
	*f = append(*f, FieldError{Field: field, Message: message})
}

// err gives nil if nothing is wrong.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return &InvalidError{Fields: f}
}
