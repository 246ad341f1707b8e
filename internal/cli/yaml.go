package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// writeYAML writes what writeJSON writes, in the same order. Every string is in
// double quotes, so that no reader takes 01:00.0 for a number, whichever version
// of YAML it follows; no control character is written as itself.
func writeYAML(w io.Writer, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	tree, err := yamlTree(decoder)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	var b strings.Builder
	writeYAMLBlock(&b, tree, "", "")
	_, err = io.WriteString(w, b.String())
	return err
}

// What a value of YAML is made of: yamlMap, yamlList, or a string that is the
// text of a scalar.
type (
	yamlMap   []yamlEntry
	yamlEntry struct {
		key   string
		value any
	}
	yamlList []any
)

// yamlTree reads the next value of a JSON text and keeps the order of its keys.
func yamlTree(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return yamlMapOf(decoder)
		}
		return yamlListOf(decoder)
	case string:
		return quoteYAML(token), nil
	case nil:
		return "null", nil
	default:
		return fmt.Sprint(token), nil
	}
}

func yamlMapOf(decoder *json.Decoder) (any, error) {
	entries := yamlMap{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("a key is no string")
		}
		value, err := yamlTree(decoder)
		if err != nil {
			return nil, err
		}
		entries = append(entries, yamlEntry{yamlKey(name), value})
	}
	_, err := decoder.Token()
	return entries, err
}

func yamlListOf(decoder *json.Decoder) (any, error) {
	list := yamlList{}
	for decoder.More() {
		value, err := yamlTree(decoder)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := decoder.Token()
	return list, err
}

// writeYAMLBlock writes a value as lines. The first begins with first, the
// others with indent.
func writeYAMLBlock(b *strings.Builder, value any, first, indent string) {
	switch value := value.(type) {
	case yamlMap:
		if len(value) == 0 {
			b.WriteString(first + "{}\n")
		}
		for _, entry := range value {
			switch inner := entry.value.(type) {
			case yamlMap:
				if len(inner) > 0 {
					b.WriteString(first + entry.key + ":\n")
					writeYAMLBlock(b, inner, indent+"  ", indent+"  ")
				} else {
					b.WriteString(first + entry.key + ": {}\n")
				}
			case yamlList:
				if len(inner) > 0 {
					b.WriteString(first + entry.key + ":\n")
					writeYAMLBlock(b, inner, indent, indent)
				} else {
					b.WriteString(first + entry.key + ": []\n")
				}
			default:
				fmt.Fprintf(b, "%s%s: %s\n", first, entry.key, inner)
			}
			first = indent
		}
	case yamlList:
		if len(value) == 0 {
			b.WriteString(first + "[]\n")
		}
		for _, item := range value {
			writeYAMLBlock(b, item, first+"- ", indent+"  ")
			first = indent
		}
	default:
		fmt.Fprintf(b, "%s%s\n", first, value)
	}
}

var (
	plainYAMLKey = regexp.MustCompile(`^[a-z][a-z0-9_]+$`)
	yamlWords    = []string{"yes", "no", "on", "off", "true", "false", "null"}
)

func yamlKey(key string) string {
	if plainYAMLKey.MatchString(key) && !slices.Contains(yamlWords, key) {
		return key
	}
	return quoteYAML(key)
}

// quoteYAML writes a string in double quotes with the escapes of JSON; what
// cannot be printed is escaped.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r) && !unprintable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
