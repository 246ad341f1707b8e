package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds the file of settings, in bytes.
const maxFile = 64 << 10

const (
	keyFile      = "config"
	fileVariable = prefix + "CONFIG"
)

// readFile reads the file of settings if there is one. What cannot be understood
// is a fault; the other settings count all the same.
func (r *reader) readFile() {
	var source string
	if flag := r.lookup(keyFile); flag != nil && flag.Changed {
		r.name, source = flag.Value.String(), "--"+keyFile
	} else {
		r.name, source = r.getenv(fileVariable), fileVariable
		if r.name == "" {
			return
		}
	}
	path, err := resolvePath(r.in.Dir, r.name)
	if r.name == "" {
		err = errEmpty
	}
	var data []byte
	if err == nil {
		r.path = path
		data, r.mode, err = r.in.ReadFile(path)
	}
	switch {
	case err != nil:
		r.fault(keyFile, source, "the file of settings cannot be read: %s", err)
	case len(data) > maxFile:
		r.fault(keyFile, source, "%s holds more than %d bytes, so it is no file of settings", r.name, maxFile)
	case !utf8.Valid(data):
		r.fault(keyFile, source, "%s is not UTF-8 text; save it as UTF-8", r.name)
	default:
		r.parse(data)
	}
}

// at gives the place of a line as a source.
func (r *reader) at(line int) string { return r.name + ":" + strconv.Itoa(line) }

func (r *reader) parse(data []byte) {
	r.fromFile = map[string]value{}
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	file, err := parseYAML(data)
	if err != nil {
		line, message := describe(err)
		r.fault(keyFile, r.at(line), "this is not YAML: %s", message)
		return
	}
	var bodies []ast.Node
	for _, document := range file.Docs {
		if document.Body != nil && document.Body.Type() != ast.CommentType {
			bodies = append(bodies, document.Body)
		}
	}
	switch {
	case len(bodies) > 1:
		r.fault(keyFile, r.at(lineOf(bodies[1])), "a file of settings has one document; take out the line ---")
	case len(bodies) == 1:
		r.section("", bodies[0])
	}
}

// parseYAML keeps what a broken text does to the parser an error.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, io.ErrUnexpectedEOF
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

// describe gives the line of a mistake and what it is. The parser's own text quotes
// the file, which may hold a password; only its words that quote nothing are used.
func describe(err error) (line int, message string) {
	line, message = 1, "it cannot be read"
	known, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return line, message
	}
	if token := known.GetToken(); token != nil && token.Position != nil {
		line = token.Position.Line
	}
	if text := known.GetMessage(); !strings.ContainsAny(text, "\"'`\n") || strings.HasPrefix(text, "',' or ") {
		message = text
	}
	return line, message
}

func lineOf(node ast.Node) int {
	if token := node.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line
	}
	return 1
}

// entries gives what a node maps; false: it is no mapping.
func entries(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}, true
	default:
		return nil, false
	}
}

// section takes the settings of one section; "" is the file as a whole.
func (r *reader) section(name string, node ast.Node) {
	list, ok := entries(node)
	switch {
	case node.Type() == ast.NullType && name != "":
		r.fault(name, r.at(lineOf(node)), "the section is empty; indent its settings by two blanks, or take it out")
		return
	case !ok:
		r.fault(orFile(name), r.at(lineOf(node)), "settings are written as lines KEY: VALUE, those of a section indented by two blanks")
		return
	}
	lines := map[string]int{}
	for _, entry := range list {
		key, isText := keyText(entry.Key)
		line := lineOf(entry.Key)
		full := join(name, key)
		switch first, twice := lines[full]; {
		case !isText:
			r.fault(orFile(name), r.at(line), "a key is a plain word; anchors, aliases and merged keys are not used here")
		case twice:
			r.fault(safeKey(full), r.at(line), "it is given twice, first in line %d; take out one of them", first)
		case strings.Contains(key, "."):
			r.unknown(name, key, line)
		case isSection(full):
			r.section(full, entry.Value)
		default:
			r.setting(name, key, line, entry.Value)
		}
		lines[full] = line
	}
}

func orFile(section string) string {
	if section == "" {
		return keyFile
	}
	return section
}

func keyText(key ast.MapKeyNode) (string, bool) {
	if _, merge := key.(*ast.MergeKeyNode); merge {
		return "", false
	}
	node, ok := key.(ast.ScalarNode)
	if !ok {
		return "", false
	}
	return scalarText(node)
}

func join(section, key string) string {
	if section == "" {
		return key
	}
	return section + "." + key
}

func (r *reader) unknown(section, key string, line int) {
	r.fault(safeKey(join(section, key)), r.at(line), "there is no such setting%s", hint(section, key))
}

// setting takes one setting of the file.
func (r *reader) setting(section, name string, line int, node ast.Node) {
	key := join(section, name)
	f := find(key)
	switch {
	case f == nil:
		r.unknown(section, name, line)
		return
	case f.secret:
		r.fault(key, r.at(line), "a secret does not belong into the settings; put it into a file of its own and name that with %s-file, or give it in %s",
			name, f.variable())
		return
	}
	v := value{source: r.at(line), layer: layerFile, base: filepath.Dir(r.path)}
	v.texts, v.err = f.texts(node)
	if len(v.texts) == 0 && v.err == nil && len(f.def) > 0 {
		v.err = fmt.Errorf("it has no value; take out the line for the default, %s", strings.Join(f.def, ", "))
	}
	r.fromFile[key] = v
}

var (
	errNull  = errors.New(`it has no value; give one or take out the line ("" is the empty text)`)
	errOne   = errors.New("it takes one value, not a list or section")
	errList  = errors.New("it takes a list of plain values: [A, B]")
	errPairs = errors.New("it takes lines VALUE: ROLE, indented by two blanks more")
)

// texts reads the value of a field.
func (f *field) texts(node ast.Node) ([]string, error) {
	if node == nil || node.Type() == ast.NullType {
		return nil, errNull
	}
	if f.kind == kindPairs {
		return pairTexts(node)
	}
	if sequence, ok := node.(*ast.SequenceNode); ok && f.kind == kindList {
		var texts []string
		for _, item := range sequence.Values {
			text, ok := scalarText(item)
			if !ok || text == "" {
				return nil, errList
			}
			texts = append(texts, text)
		}
		return texts, nil
	}
	text, ok := scalarText(node)
	switch {
	case !ok && f.kind == kindList:
		return nil, errList
	case !ok:
		return nil, errOne
	case text == "":
		return nil, nil
	default:
		return f.split(text), nil
	}
}

func pairTexts(node ast.Node) ([]string, error) {
	list, ok := entries(node)
	if !ok {
		return nil, errPairs
	}
	var texts []string
	for _, entry := range list {
		name, ok := keyText(entry.Key)
		role, alsoOK := scalarText(entry.Value)
		if !ok || !alsoOK || name == "" || strings.Contains(role, "=") {
			return nil, errPairs
		}
		texts = append(texts, name+"="+role)
	}
	return texts, nil
}

// scalarText gives a plain value as it is written.
func scalarText(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.LiteralNode:
		return strings.TrimRight(node.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}
