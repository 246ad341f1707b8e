package cli

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// table lays out text for a terminal. Cells may have several lines. Columns are
// as wide as they need; where the whole is wider than the limit, the columns
// that may shrink give way, and their text is wrapped, never cut.
type table struct {
	columns []column
	rows    [][]cell
	limit   int // columns of the terminal; 0: no limit
	colour  bool
	// pair names two columns whose lines belong together one by one: where one of
	// them is wrapped, the other waits. Both 0: none.
	pair [2]int
}

type column struct {
	title    string
	shrink   bool // may be narrower than its content
	minWidth int  // for as long as columns that may shrink can keep to it
	late     bool // may be narrower, too, but only after all others
	right    bool
}

type cell struct {
	lines []string
	style style
}

// style is an SGR parameter of ECMA-48, "" for none.
type style string

const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	blue   style = "34"
	amber  style = "33"
	violet style = "35"
)

func (t *table) add(cells ...cell) {
	t.rows = append(t.rows, cells)
}

func text(s string) cell { return cell{lines: []string{clean(s)}} }

func styled(s string, with style) cell {
	c := text(s)
	c.style = with
	return c
}

func lines(list []string) cell {
	c := cell{}
	for _, line := range list {
		c.lines = append(c.lines, clean(line))
	}
	return c
}

const gap = "  "

func (t *table) write(w io.Writer) error {
	widths := t.widths()
	var b strings.Builder
	titles := make([]cell, len(t.columns))
	for i, column := range t.columns {
		titles[i] = styled(column.title, bold)
	}
	t.writeRow(&b, titles, widths)
	for _, row := range t.rows {
		t.writeRow(&b, row, widths)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths gives the width of each column.
func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, column := range t.columns {
		widths[i] = runewidth.StringWidth(column.title)
		for _, row := range t.rows {
			for _, line := range row[i].lines {
				widths[i] = max(widths[i], runewidth.StringWidth(line))
			}
		}
	}
	if t.limit <= 0 {
		return widths
	}
	t.narrow(widths, func(c column) (bool, int) { return c.shrink, max(c.minWidth, leastWidth) })
	t.narrow(widths, func(c column) (bool, int) { return c.shrink, leastWidth })
	t.narrow(widths, func(c column) (bool, int) { return c.shrink || c.late, leastWidth })
	return widths
}

// leastWidth is the width that no column gets narrower than.
const leastWidth = 8

// narrow takes from the widest of some columns until the table fits or each of
// them is at its least.
func (t *table) narrow(widths []int, may func(column) (shrinks bool, least int)) {
	for excess := t.total(widths) - t.limit; excess > 0; excess-- {
		widest := -1
		for i, column := range t.columns {
			if shrinks, least := may(column); shrinks && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t *table) total(widths []int) int {
	total := len(gap) * (len(widths) - 1)
	for _, width := range widths {
		total += width
	}
	return total
}

func (t *table) writeRow(b *strings.Builder, row []cell, widths []int) {
	wrapped := make([][]string, len(row))
	height := 1
	for i, c := range row {
		for n, line := range c.lines {
			wrapped[i] = append(wrapped[i], wrap(line, widths[i])...)
			if other := t.partner(i); other >= 0 && n < len(row[other].lines) {
				missing := len(wrap(row[other].lines[n], widths[other])) - len(wrap(line, widths[i]))
				wrapped[i] = append(wrapped[i], make([]string, max(0, missing))...)
			}
		}
		height = max(height, len(wrapped[i]))
	}
	for n := range height {
		b.WriteString(strings.TrimRight(t.rowLine(row, wrapped, widths, n), " "))
		b.WriteByte('\n')
	}
}

// rowLine puts together the nth line of a row.
func (t *table) rowLine(row []cell, wrapped [][]string, widths []int, n int) string {
	var line strings.Builder
	for i, c := range row {
		if i > 0 {
			line.WriteString(gap)
		}
		part := ""
		if n < len(wrapped[i]) {
			part = wrapped[i][n]
		}
		t.writePart(&line, part, c.style, widths[i], t.columns[i].right)
	}
	return line.String()
}

// partner gives the column that a column is paired with, -1 for none.
func (t *table) partner(i int) int {
	switch {
	case t.pair == [2]int{}:
		return -1
	case i == t.pair[0]:
		return t.pair[1]
	case i == t.pair[1]:
		return t.pair[0]
	default:
		return -1
	}
}

func (t *table) writePart(b *strings.Builder, part string, with style, width int, right bool) {
	padding := strings.Repeat(" ", max(0, width-runewidth.StringWidth(part)))
	if right {
		b.WriteString(padding)
	}
	if t.colour && with != plain && part != "" {
		part = "\x1b[" + string(with) + "m" + part + "\x1b[0m"
	}
	b.WriteString(part)
	if !right {
		b.WriteString(padding)
	}
}

// wrap breaks a line at blanks so that no part is wider than the width; a word
// that is wider by itself is broken where the width ends.
func wrap(line string, width int) []string {
	if width <= 0 || runewidth.StringWidth(line) <= width {
		return []string{line}
	}
	var parts []string
	current := ""
	for word := range strings.SplitSeq(line, " ") {
		joined := word
		if current != "" {
			joined = current + " " + word
		}
		if runewidth.StringWidth(joined) <= width {
			current = joined
			continue
		}
		if current != "" {
			parts = append(parts, current)
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			if head == "" {
				break
			}
			parts = append(parts, head)
			word = word[len(head):]
		}
		current = word
	}
	return append(parts, current)
}
