package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// table is one that a backup holds, with its columns. Sessions, failed sign-ins,
// known addresses and set-up tokens are left out: they concern one running
// installation, and nothing is lost with them.
type table struct {
	name    string
	columns []column
}

type column struct {
	name string
	kind columnKind
}

type columnKind int

const (
	textColumn columnKind = iota
	optionalTextColumn
	numberColumn
	truthColumn
	timeColumn
)

// tables stand in an order in which no row refers to a later one.
var tables = []table{
	{"administrators", []column{
		{"name", textColumn},
		{"role", textColumn},
		{"hash", textColumn},
		{"subject", optionalTextColumn},
		{"created_at", timeColumn},
		{"updated_at", timeColumn},
		{"signed_in_at", timeColumn},
	}},
	{"api_tokens", []column{
		{"id", textColumn},
		{"name", textColumn},
		{"owner", textColumn},
		{"role", textColumn},
		{"hash", textColumn},
		{"created_at", timeColumn},
		{"expires_at", timeColumn},
		{"used_at", timeColumn},
	}},
	{"clusters", []column{
		{"name", textColumn},
		{"entries", textColumn},
		{"node_addresses", textColumn},
		{"cas", textColumn},
		{"fingerprints", textColumn},
		{"token_id", textColumn},
		{"secret", textColumn},
		{"changes", truthColumn},
		{"desktop_tag", textColumn},
		{"limits", textColumn},
		{"revision", numberColumn},
		{"desktops_revision", numberColumn},
		{"created_at", timeColumn},
		{"updated_at", timeColumn},
	}},
	{"managed_desktops", []column{
		{"cluster", textColumn},
		{"vmid", numberColumn},
		{"name", textColumn},
		{"note", textColumn},
		{"created_at", timeColumn},
		{"updated_at", timeColumn},
	}},
	{"audit_log", []column{
		{"id", numberColumn},
		{"at", timeColumn},
		{"actor", textColumn},
		{"actor_kind", textColumn},
		{"address", textColumn},
		{"request_id", textColumn},
		{"action", textColumn},
		{"object", textColumn},
		{"before_value", optionalTextColumn},
		{"after_value", optionalTextColumn},
		{"result", textColumn},
		{"reason", textColumn},
	}},
}

// tableRow holds a value for each column: a string, number, truth or time, nil
// for NULL.
type tableRow []any

// fields gives pointers to fresh values, which values reads.
func (t table) fields() []any {
	to := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch c.kind {
		case numberColumn:
			to[i] = new(int64)
		case truthColumn:
			to[i] = new(bool)
		case timeColumn:
			to[i] = at(new(time.Time))
		case optionalTextColumn:
			to[i] = new(*string)
		case textColumn:
			to[i] = new(string)
		}
	}
	return to
}

// values gives what was read into fields, fit for JSON.
func (t table) values(fields []any) tableRow {
	row := make(tableRow, len(fields))
	for i, field := range fields {
		switch field := field.(type) {
		case momentInto:
			if !field.to.IsZero() {
				row[i] = *field.to
			}
		default:
			row[i] = field
		}
	}
	return row
}

// arguments reads the values of a row of JSON, as arguments of an INSERT.
func (t table) arguments(values []json.RawMessage) ([]any, error) {
	if len(values) != len(t.columns) {
		return nil, errors.New("a row does not have one value for each column")
	}
	args := make([]any, len(values))
	for i, c := range t.columns {
		var err error
		if args[i], err = c.argument(values[i]); err != nil {
			return nil, fmt.Errorf("column %s: the value is not what it has to be", c.name)
		}
	}
	return args, nil
}

func (c column) argument(value json.RawMessage) (any, error) {
	if string(value) == "null" {
		if c.kind != optionalTextColumn && c.kind != timeColumn {
			return nil, errors.New("a value is missing")
		}
		return nil, nil //nolint:nilnil // nil is NULL
	}
	switch c.kind {
	case numberColumn:
		return decode[int64](value)
	case truthColumn:
		return decode[bool](value)
	case timeColumn:
		t, err := decode[time.Time](value)
		return moment(t), err
	case optionalTextColumn, textColumn:
		return decode[string](value)
	}
	return nil, errors.New("a column of no kind")
}

func decode[T any](value json.RawMessage) (T, error) {
	var to T
	err := json.Unmarshal(value, &to)
	return to, err
}
