package pveapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
)

// scalar is a JSON string, number or boolean as text; booleans are 1 and 0, as
// Proxmox VE writes most of them. set is false for null and what is absent.
type scalar struct {
	text string
	set  bool
}

// UnmarshalJSON accepts every form that Proxmox VE sends a value in.
func (s *scalar) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.Equal(data, []byte("null")):
		*s = scalar{}
		return nil
	case bytes.Equal(data, []byte("true")):
		*s = scalar{"1", true}
		return nil
	case bytes.Equal(data, []byte("false")):
		*s = scalar{"0", true}
		return nil
	case len(data) > 0 && data[0] == '"':
		s.set = true
		return json.Unmarshal(data, &s.text)
	case len(data) > 0 && (data[0] == '{' || data[0] == '['):
		return errors.New("a plain value is expected")
	default:
		*s = scalar{string(data), true}
		return nil
	}
}

// number gives the value as a whole number.
func (s scalar) number() (int, error) {
	if !s.set {
		return 0, errors.New("a number is missing")
	}
	if n, err := strconv.Atoi(strings.TrimSpace(s.text)); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s.text, 64)
	if err != nil || f != float64(int(f)) {
		return 0, fmt.Errorf("%q is not a whole number", shorten(s.text))
	}
	return int(f), nil
}

// flag gives the value as a boolean; what is absent is false.
func (s scalar) flag() bool { return s.set && s.text != "" && s.text != "0" }

func (s scalar) pointer() *string {
	if !s.set {
		return nil
	}
	return &s.text
}

func shorten(s string) string {
	const limit = 60
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// maxBadRows is how many rows may be wrong before the list is.
const maxBadRows = 1000

// decodeRows decodes a list row by row: a row that is not as expected is a
// problem and costs only itself. The error is for data that is no list.
func decodeRows[T any](request string, data json.RawMessage, convert func(json.RawMessage) (T, error)) ([]T, []facts.Problem, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, nil, malformed(request, errors.New("a list is expected"))
	}
	rows := make([]T, 0, len(raw))
	var problems []facts.Problem
	for i, row := range raw {
		value, err := convert(row)
		if err != nil && len(problems) == maxBadRows {
			return nil, nil, malformed(request, fmt.Errorf("more than %d of %d rows are not as expected", maxBadRows, len(raw)))
		}
		if err != nil {
			problems = append(problems, facts.Problem{
				Code: facts.ProblemMalformed, Subject: request,
				Message: fmt.Sprintf("row %d of %d is not as expected: %s", i+1, len(raw), plainJSON(err)),
			})
			continue
		}
		rows = append(rows, value)
	}
	return rows, problems, nil
}

// withoutTwice leaves out rows whose subject an earlier row of a sorted list has,
// and says so: which of them is true cannot be told.
func withoutTwice[T any](request string, rows []T, subject func(T) string) ([]T, []facts.Problem) {
	var problems []facts.Problem
	kept := rows[:0]
	for _, row := range rows {
		if len(kept) > 0 && subject(kept[len(kept)-1]) == subject(row) {
			problems = append(problems, facts.Problem{
				Code: facts.ProblemMalformed, Subject: request, Message: subject(row) + " is listed more than once",
			})
			continue
		}
		kept = append(kept, row)
	}
	return kept, problems
}

// plainJSON keeps the content of an answer out of messages: encoding/json
// repeats parts of it.
func plainJSON(err error) string {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "a value has another type"
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return "it is not JSON"
	}
	return err.Error()
}

// rowState gives the state of a list some of whose rows were left out.
func rowState(problems []facts.Problem) facts.ReadState {
	if len(problems) > 0 {
		return facts.Partial
	}
	return facts.OK
}

// repairText undoes the double encoding of texts of the mapping file: bytes of
// UTF-8 that were taken for Latin-1. Other text comes back as it is.
func repairText(s string) string {
	raw := make([]byte, 0, len(s))
	wide := false
	for _, r := range s {
		if r > 0xff {
			return s
		}
		wide = wide || r >= 0x80
		raw = append(raw, byte(r))
	}
	if repaired := string(raw); wide && strings.ToValidUTF8(repaired, "") == repaired {
		return repaired
	}
	return s
}
