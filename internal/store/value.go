package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// sqliteTime is how SQLite's driver writes a time as text.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

// moment is the value of a column of type TIMESTAMPTZ: UTC in microseconds, the
// finest that PostgreSQL keeps; NULL for the zero time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Truncate(time.Microsecond)
}

// momentInto reads what moment wrote.
type momentInto struct{ to *time.Time }

func at(to *time.Time) momentInto { return momentInto{to} }

// Scan takes the text that SQLite gives for a type it does not know.
func (m momentInto) Scan(value any) error {
	switch value := value.(type) {
	case nil:
		*m.to = time.Time{}
	case time.Time:
		*m.to = value.UTC()
	case string:
		t, err := time.Parse(sqliteTime, value)
		if err != nil {
			return errors.New("a stored time cannot be read")
		}
		*m.to = t.UTC()
	default:
		return fmt.Errorf("a stored time is a %T", value)
	}
	return nil
}

// optional is the value of a text column where "" is NULL.
func optional(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// optionalInto reads what optional wrote.
type optionalInto[T ~string] struct{ to *T }

func maybe[T ~string](to *T) optionalInto[T] { return optionalInto[T]{to} }

func (o optionalInto[T]) Scan(value any) error {
	switch value := value.(type) {
	case nil:
		*o.to = ""
	case string:
		*o.to = T(value)
	default:
		return fmt.Errorf("a stored text is a %T", value)
	}
	return nil
}

// document is the value of a text column that holds JSON.
func document(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("write a value as JSON: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// documentInto reads what document wrote; NULL leaves the destination alone.
type documentInto struct{ to any }

func (d documentInto) Scan(value any) error {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		if err := json.Unmarshal([]byte(value), d.to); err != nil {
			return errors.New("a stored value is not the JSON that was written")
		}
		return nil
	default:
		return fmt.Errorf("a stored value is a %T", value)
	}
}
