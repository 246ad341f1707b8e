package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// readJSON reads one JSON value and refuses what readers may understand
// differently: text that is not UTF-8 and keys that come twice. Its errors
// never repeat what was sent.
func readJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("the body is not UTF-8")
	}
	if err := checkKeys(data); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s has the wrong type", kind.Field)
	case err != nil:
		return errors.New("the body is not the JSON that is expected")
	}
	return nil
}

// checkKeys finds keys that come twice in one object, and text that is not JSON.
func checkKeys(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := checkValue(decoder); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body holds more than one JSON value")
	}
	return nil
}

var errNotJSON = errors.New("the body is not JSON")

// level is an object or list that checkValue is in; keys is nil for a list.
type level struct {
	keys  map[string]bool
	isKey bool
}

// checkValue walks one value. It keeps its place in a list instead of calling
// itself, so that a deep body costs no stack.
func checkValue(decoder *json.Decoder) error {
	var levels []level
	for {
		token, err := decoder.Token()
		if err != nil {
			return errNotJSON
		}
		if n := len(levels); n > 0 && levels[n-1].isKey {
			if key, ok := token.(string); ok {
				if levels[n-1].keys[key] {
					return errors.New("an object of the body has a key twice")
				}
				levels[n-1].keys[key], levels[n-1].isKey = true, false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{keys: map[string]bool{}, isKey: true})
			continue
		case json.Delim('['):
			levels = append(levels, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
		if len(levels) == 0 {
			return nil
		}
		levels[len(levels)-1].isKey = levels[len(levels)-1].keys != nil
	}
}

// OrNull is a value or null, in JSON and in its schema; nil is null.
type OrNull[T any] struct{ Value *T }

// MarshalJSON writes the value or null.
func (o OrNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON reads the value or null.
func (o *OrNull[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &o.Value) }

// Schema says that there is a value or null; huma asks for it.
func (OrNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[T](), true, reflect.TypeFor[T]().Name()),
		{Type: "null"},
	}}
}

// timestamp puts a time into the form of the interface: UTC, whole seconds.
func timestamp(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// timestampOrNull is nil for the zero time, which stands for never.
func timestampOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = timestamp(t)
	return &t
}
