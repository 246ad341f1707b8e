package config

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Row says what one setting is and where that came from.
type Row struct {
	Key string
	// Value is the value in effect, "" for none. No password is in it.
	Value string
	// Source is --FLAG, a variable, FILE:LINE or SourceDefault.
	Source string
	// Overridden are values that do not count, the nearest first.
	Overridden []Overridden
}

// Overridden is a value that another one took the place of.
type Overridden struct{ Value, Source string }

// Explain gives all settings. Secrets that are not set are left out.
func (c *Config) Explain() []Row { return slices.Clone(c.rows) }

// AddFlags adds a flag for every setting that is no secret, and --config.
func AddFlags(flags *pflag.FlagSet) {
	flags.String(keyFile, "", "read settings from this YAML `file` ("+fileVariable+")")
	for i := range fields {
		f := &fields[i]
		switch {
		case f.secret:
		case f.kind == kindTruth:
			flags.Bool(f.flag(), false, f.usage)
		case f.kind == kindList || f.kind == kindPairs:
			flags.StringArray(f.flag(), f.def, f.usage)
		default:
			flags.String(f.flag(), strings.Join(f.def, ","), f.usage)
		}
	}
}

const exampleHead = `# Settings of pciatlas serve, with their defaults. To change one, take away the #
# in front of its key, and in front of its section. A flag or a variable comes
# first: for a setting such as oidc.issuer they are --oidc-issuer and
# PCIATLAS_OIDC_ISSUER. Relative paths belong to the folder of this file.
# See what is in effect with: pciatlas config check --config FILE
`

const exampleWidth = 78

// Example writes a file of settings in which every key has its default, as a comment.
func Example(w io.Writer) error {
	var b strings.Builder
	b.WriteString(exampleHead)
	section := ""
	for i := range fields {
		f := &fields[i]
		if f.secret {
			continue
		}
		b.WriteByte('\n')
		key, indent := f.key, ""
		if in, name, ok := strings.Cut(f.key, "."); ok {
			if in != section {
				b.WriteString("#" + in + ":\n\n")
			}
			section, key, indent = in, name, "  "
		}
		comment(&b, f)
		fmt.Fprintf(&b, "#%s%s: %s\n", indent, key, f.yamlDefault())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comment writes what a field is for, folded.
func comment(b *strings.Builder, f *field) {
	text := strings.ReplaceAll(f.usage, "`", "")
	text = strings.ReplaceAll(strings.ToUpper(text[:1])+text[1:], " (may be repeated)", "")
	if text += "."; f.more != "" {
		text += " " + f.more
	}
	line := "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > exampleWidth {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

var plainYAML = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.:]*$`)

func (f *field) yamlDefault() string {
	switch {
	case f.kind == kindPairs:
		return "{}"
	case f.kind == kindList:
		return "[" + strings.Join(f.def, ", ") + "]"
	case len(f.def) == 0:
		return `""`
	case plainYAML.MatchString(f.def[0]):
		return f.def[0]
	default:
		quoted, _ := json.Marshal(f.def[0]) // a string always has a form in JSON
		return string(quoted)
	}
}
