package cli

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/mattn/go-runewidth"
)

// printer writes lines of cleaned text and remembers the first error. Line breaks in
// what is inserted are shown, those of the format are made. Lines are folded at the
// width; 0 leaves them as they are.
type printer struct {
	w     io.Writer
	width int
	err   error
}

// line writes text. Where it is folded, the rest of a line that begins with
// blanks is indented by two more.
func (p *printer) line(format string, args ...any) {
	for line := range strings.SplitSeq(cleanf(format, args), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent > 0 {
			indent += 2
		}
		p.write(fold(line, p.width, indent))
	}
}

// plain writes a line that is to be copied, which is never folded.
func (p *printer) plain(indent, text string) {
	p.write(indent + clean(text))
}

// quote writes as line does what was read behind a word that says so, folded after
// commas, too.
func (p *printer) quote(word, text string) {
	indent := len(word) - len(strings.TrimLeft(word, " ")) + 2
	p.write(foldQuote(word+clean(text), p.width, indent))
}

// hang writes text whose further lines are indented by a number of blanks.
func (p *printer) hang(indent int, format string, args ...any) {
	for line := range strings.SplitSeq(cleanf(format, args), "\n") {
		p.write(fold(line, p.width, indent))
	}
}

// parts writes parts that are joined with a dot, preferably on one line, else
// broken between them.
func (p *printer) parts(parts []string) {
	p.write(wrapParts(parts, p.width))
}

// cleanf formats with cleaned values.
func cleanf(format string, args []any) string {
	cleaned := make([]any, len(args))
	for i, arg := range args {
		switch value := reflect.ValueOf(arg); {
		case value.Kind() == reflect.String:
			cleaned[i] = clean(value.String())
		default:
			cleaned[i] = arg
		}
	}
	return cleanLines(fmt.Sprintf(format, cleaned...))
}

func (p *printer) write(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, text)
	}
}

// factIndent is where the values of facts begin.
const factIndent = 17

// fact writes a named value; nothing if there is none.
func (p *printer) fact(name, value string) {
	if value != "" {
		p.hang(factIndent, "  %-14s %s", name, strings.TrimSpace(value))
	}
}

// fold breaks a line at blanks so that it fits the width; a word that is wider
// by itself is left whole, so that it can be copied. Lines after the first are
// indented.
func fold(line string, width, indent int) string {
	return foldWords(line, width, indent, func(word string) []string { return []string{word} })
}

// foldQuote does the same for what is there to be read, not to be copied: a word
// that is too wide is broken after commas, too.
func foldQuote(line string, width, indent int) string {
	return foldWords(line, width, indent, func(word string) []string {
		if indent+runewidth.StringWidth(word) <= width {
			return []string{word}
		}
		return strings.SplitAfter(word, ",")
	})
}

// foldWords breaks a line at blanks and between the parts that split makes of a word.
func foldWords(line string, width, indent int, split func(word string) []string) string {
	if width <= 0 || runewidth.StringWidth(line) <= width {
		return line
	}
	text := strings.TrimLeft(line, " ")
	start := line[:len(line)-len(text)]
	var b strings.Builder
	b.WriteString(start)
	column, empty := len(start), true
	for word := range strings.SplitSeq(text, " ") {
		for i, part := range split(word) {
			length, blank := runewidth.StringWidth(part), number(i == 0)
			switch {
			case empty:
			case column+blank+length > width:
				b.WriteString("\n" + strings.Repeat(" ", indent))
				column = indent
			default:
				b.WriteString(strings.Repeat(" ", blank))
				column += blank
			}
			b.WriteString(part)
			column += length
			empty = false
		}
	}
	return trimLineEnds(b.String())
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func trimLineEnds(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// partIndent is how far the lines of wrapParts after the first are indented.
const partIndent = 4

// wrapParts joins parts, which it cleans, with a dot. What does not fit the width is broken between
// them, and within a part only if that is wider by itself; 0 is no width.
func wrapParts(parts []string, width int) string {
	const glued = "\u00a0·" // a dot never begins a line
	var rows []string
	row := ""
	for i, part := range parts {
		part = clean(part)
		if i < len(parts)-1 {
			part += glued
		}
		switch {
		case i == 0:
			row = part
		case width <= 0 || runewidth.StringWidth(row)+1+runewidth.StringWidth(part) <= width:
			row += " " + part
		default:
			rows = append(rows, row)
			row = strings.Repeat(" ", partIndent) + part
		}
	}
	rows = append(rows, row)
	for i := range rows {
		rows[i] = strings.ReplaceAll(fold(rows[i], width, partIndent), glued, " ·")
	}
	return strings.Join(rows, "\n")
}

// counted gives the first few of a list, and how many more there are.
func counted(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(append([]string{}, list[:most]...), fmt.Sprintf("and %d more", len(list)-most))
}
