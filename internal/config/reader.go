package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// value is what one layer gives for a field.
type value struct {
	texts  []string
	source string
	layer  layer
	// base is the folder to which a relative path belongs.
	base string
	// err is why the value cannot be read at all; nil: it can.
	err error
}

// layer is where a value comes from.
type layer int

const (
	layerDefault layer = iota
	layerFile
	layerVariable
	layerFlag
)

// SourceDefault is the source of values that nobody gave.
const SourceDefault = "default"

// reader collects the settings.
type reader struct {
	in     Input
	config *Config
	faults []Fault
	// path and name are the file of settings, absolute and as it was given; "": none.
	path, name string
	mode       fs.FileMode
	fromFile   map[string]value
	// given holds the effective values that are not defaults.
	given map[string]value
}

func (r *reader) fault(key, source, format string, args ...any) {
	r.faults = append(r.faults, Fault{key, source, fmt.Sprintf(format, args...)})
}

// field takes the first of the layers that gives a value, and notes the others.
func (r *reader) field(f *field) {
	values := r.layers(f)
	v := values[0]
	err := r.take(f, &v)
	if v.err = err; v.layer != layerDefault {
		r.given[f.key] = v
	}
	if err != nil {
		r.fault(f.key, v.source, "%s", err)
	}
	if f.secret && v.layer == layerDefault {
		return
	}
	row := Row{Key: f.key, Value: f.shown(v.texts), Source: v.source}
	for _, other := range values[1:] {
		if other.layer == layerDefault {
			continue
		}
		if resolved, err := f.resolve(&other); err == nil {
			other.texts = resolved
		}
		row.Overridden = append(row.Overridden, Overridden{f.shown(other.texts), other.source})
	}
	r.config.rows = append(r.config.rows, row)
}

// take checks the effective value and puts it into place. It leaves in v what is in
// effect.
func (r *reader) take(f *field, v *value) error {
	if v.err != nil {
		return v.err
	}
	if len(v.texts) == 0 && f.derive != nil {
		text, err := f.derive(r)
		if err != nil {
			return err
		}
		v.texts = []string{text}
	}
	if len(v.texts) == 0 {
		return nil
	}
	resolved, err := f.resolve(v)
	if err != nil {
		return err
	}
	v.texts = resolved
	return f.set(r.config, v.texts)
}

// resolve makes paths absolute.
func (f *field) resolve(v *value) ([]string, error) {
	if len(v.texts) != 1 {
		return v.texts, nil
	}
	text, err := v.texts[0], error(nil)
	switch {
	case f.path:
		text, err = resolvePath(v.base, text)
	case f.key == "database":
		text, err = resolveDatabase(v.base, text)
	}
	return []string{text}, err
}

// layers gives the values of a field, the effective one first, the default last.
func (r *reader) layers(f *field) []value {
	var values []value
	if v, ok := r.flagValue(f); ok {
		values = append(values, v)
	}
	if text := r.getenv(f.variable()); text != "" {
		values = append(values, value{texts: f.split(text), source: f.variable(), layer: layerVariable, base: r.in.Dir})
	}
	if v, ok := r.fromFile[f.key]; ok {
		values = append(values, v)
	}
	return append(values, value{texts: f.def, source: SourceDefault, base: r.in.Dir})
}

func (r *reader) getenv(name string) string {
	if r.in.Getenv == nil {
		return ""
	}
	return r.in.Getenv(name)
}

var errEmpty = errors.New("it has an empty value; is a variable unset? Give a value or leave it out")

// flagValue gives the value of a flag that was given.
func (r *reader) flagValue(f *field) (value, bool) {
	flag := r.lookup(f.flag())
	if flag == nil || !flag.Changed || f.secret {
		return value{}, false
	}
	v := value{source: "--" + flag.Name, layer: layerFlag, base: r.in.Dir}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		for _, text := range list.GetSlice() {
			if f.kind == kindPairs {
				v.texts = append(v.texts, text)
			} else {
				v.texts = append(v.texts, f.split(text)...)
			}
		}
	} else {
		v.texts = []string{flag.Value.String()}
	}
	if len(v.texts) == 0 || slices.Contains(v.texts, "") {
		v.texts, v.err = nil, errEmpty
	}
	return v, true
}

func (r *reader) lookup(name string) *pflag.Flag {
	if r.in.Flags == nil {
		return nil
	}
	return r.in.Flags.Lookup(name)
}

// split takes a text apart that holds all of a value.
func (f *field) split(text string) []string {
	var parts []string
	switch f.kind {
	case kindList:
		parts = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	case kindPairs:
		for part := range strings.SplitSeq(text, ";") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	case kindText, kindTruth:
		parts = []string{text}
	}
	return parts
}

// inData gives a path in the data folder.
func (r *reader) inData(name string) string { return filepath.Join(r.config.Data, name) }

// dataFolder gives the default data folder. Variables with relative paths do not
// count, as the specification of XDG folders has it.
func (r *reader) dataFolder() (string, error) {
	state, _, _ := strings.Cut(r.getenv("STATE_DIRECTORY"), ":")
	base, home := r.getenv("XDG_STATE_HOME"), r.getenv("HOME")
	switch {
	case filepath.IsAbs(state):
		return state, nil
	case r.in.Root:
		return "/var/lib/pciatlas", nil
	case filepath.IsAbs(base):
		return filepath.Join(base, "pciatlas"), nil
	case filepath.IsAbs(home):
		return filepath.Join(home, ".local", "state", "pciatlas"), nil
	default:
		return "", errors.New("there is no home folder to keep data in; give a folder with --data")
	}
}
