package fleet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDesktops is how many a cluster has at most, and so a file: an export can always
// be imported.
const MaxDesktops = 10_000

// The most that one file of desktops may hold. The bytes suffice for the longest
// rows that there can be.
const (
	maxRows      = MaxDesktops
	maxFileBytes = 32 << 20
	maxFaults    = 100
)

// desktopColumns is the head that WriteDesktops writes.
var desktopColumns = []string{"vmid", "name", "note"}

// ReadDesktops reads a CSV file with the columns vmid, name and note, in any order
// and with note optional, as WriteDesktops and spreadsheets write it: UTF-8 with
// or without a byte order mark, LF or CRLF, comma or semicolon between cells.
// The desktops are checked; their Cluster is empty. A VM that is named twice is a
// fault. Faults give an *InvalidError with all of them (the first 100) and fields
// such as "line 3"; every other error comes from the reader, wrapped.
func ReadDesktops(r io.Reader) ([]Desktop, error) {
	table, err := openTable(r)
	if err != nil {
		return nil, err
	}
	var desktops []Desktop
	for {
		cells, err := table.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if err := table.refuse(err); err != nil {
				return nil, err
			}
			break
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			continue // spreadsheets leave such rows behind
		}
		if len(desktops) == maxRows {
			table.fault(fmt.Sprintf("a file holds up to %d desktops; import the rest with another one", maxRows))
			break
		}
		desktops = append(desktops, table.desktop(cells))
	}
	if err := table.err(); err != nil {
		return nil, err
	}
	return desktops, nil
}

// table is a file of desktops that is being read.
type table struct {
	csv     *csv.Reader
	columns map[string]int
	lines   map[int]int // the line of each VM
	faults  faults
	more    int // faults that are not listed
}

// openTable reads the head.
func openTable(r io.Reader) (*table, error) {
	buffered := bufio.NewReader(&boundedReader{r, maxFileBytes})
	start, err := buffered.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file of desktops: %w", err)
	}
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3) // was peeked at
	}
	t := &table{csv: csv.NewReader(buffered), columns: map[string]int{}, lines: map[int]int{}}
	t.csv.FieldsPerRecord = -1
	t.csv.Comma = separator(buffered)
	head, err := t.csv.Read()
	if err == nil {
		err = t.readHead(head)
	} else if errors.Is(err, io.EOF) {
		err = invalidHead("the file is empty; its first line must be vmid,name,note")
	} else if err = t.refuse(err); err == nil {
		err = t.err()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// separator looks at the first line: a head holds only one kind.
func separator(r *bufio.Reader) rune {
	start, _ := r.Peek(256) // a shorter file is all there is to see
	line, _, _ := bytes.Cut(start, []byte("\n"))
	if bytes.ContainsRune(line, ';') && !bytes.ContainsRune(line, ',') {
		return ';'
	}
	return ','
}

func (t *table) readHead(head []string) error {
	for i, cell := range head {
		name := strings.ToLower(strings.TrimSpace(cell))
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return invalidHead("the file is not UTF-8; save it as “CSV UTF-8”")
		}
		if !slices.Contains(desktopColumns, name) {
			return invalidHead(fmt.Sprintf("column %d is none of vmid, name and note; the first line must name the columns", i+1))
		}
		if _, twice := t.columns[name]; twice {
			return invalidHead("the column " + name + " is there twice")
		}
		t.columns[name] = i
	}
	for _, name := range desktopColumns[:2] {
		if _, ok := t.columns[name]; !ok {
			return invalidHead("the column " + name + " is missing; the first line must be vmid,name,note")
		}
	}
	return nil
}

func invalidHead(message string) error {
	return &InvalidError{Fields: []FieldError{{Field: "line 1", Message: message}}}
}

// desktop reads one row.
func (t *table) desktop(cells []string) Desktop {
	cell := func(column string) string {
		if i, ok := t.columns[column]; ok && i < len(cells) {
			return unquoteFormula(cells[i])
		}
		return ""
	}
	if len(cells) > len(t.columns) {
		t.fault(fmt.Sprintf("there are %d cells under %d columns; a text with a separator in it stands in double quotes", len(cells), len(t.columns)))
		return Desktop{}
	}
	desktop := Desktop{Name: cell("name"), Note: cell("note")}
	if !utf8.ValidString(desktop.Name + desktop.Note) {
		t.fault("the line is not UTF-8; save the file as “CSV UTF-8”")
		return Desktop{}
	}
	desktop.VMID = t.vmid(strings.TrimSpace(cell("vmid")))
	invalid, _ := errors.AsType[*InvalidError](desktop.Check())
	if invalid != nil {
		for _, field := range invalid.Fields {
			t.fault(field.Message)
		}
	}
	return desktop
}

// vmid reads the number of a VM; Check refuses the 0 of what is none.
func (t *table) vmid(text string) int {
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil || number == 0 {
		return 0
	}
	vmid := int(number)
	if line, twice := t.lines[vmid]; twice {
		t.fault(fmt.Sprintf("VM %d stands in line %d already", vmid, line))
	} else {
		t.lines[vmid], _ = t.csv.FieldPos(0)
	}
	return vmid
}

// fault notes what is wrong with the row that was read last.
func (t *table) fault(message string) {
	line, _ := t.csv.FieldPos(0)
	t.faultAt(line, message)
}

func (t *table) faultAt(line int, message string) {
	if len(t.faults) == maxFaults {
		t.more++
		return
	}
	t.faults.add("line "+strconv.Itoa(line), message)
}

// refuse turns an error of the CSV reader into a fault, or gives the error if the
// file itself could not be read.
func (t *table) refuse(err error) error {
	broken, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, errTooLong):
		return &InvalidError{Fields: []FieldError{{Field: "file", Message: errTooLong.Error()}}}
	case !ok:
		return fmt.Errorf("read the file of desktops: %w", err)
	}
	t.faultAt(broken.StartLine, "the double quotes do not fit: a cell with quotes in it stands in quotes, and its own are doubled; the lines from here on were not read")
	return nil
}

func (t *table) err() error {
	if t.more > 0 {
		t.faults.add("file", fmt.Sprintf("there are %d more faults", t.more))
	}
	return t.faults.err()
}

var errTooLong = fmt.Errorf("the file is longer than %d MiB", maxFileBytes>>20)

// boundedReader fails with errTooLong instead of giving more than so many bytes.
type boundedReader struct {
	r    io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p[:min(len(p), b.left+1)])
	if n > b.left {
		return 0, errTooLong
	}
	b.left -= n
	return n, err
}

// WriteDesktops writes a CSV file that ReadDesktops reads again with equal
// numbers, names and notes. A cell that a spreadsheet would take for a formula
// (it begins with = + - @, a tab or a line break) gets a leading apostrophe.
func WriteDesktops(w io.Writer, desktops []Desktop) error {
	table := csv.NewWriter(w)
	rows := make([][]string, 0, len(desktops)+1)
	rows = append(rows, desktopColumns)
	for i := range desktops {
		d := &desktops[i]
		rows = append(rows, []string{strconv.Itoa(d.VMID), quoteFormula(d.Name), quoteFormula(d.Note)})
	}
	if err := table.WriteAll(rows); err != nil {
		return fmt.Errorf("write the file of desktops: %w", err)
	}
	return nil
}

// formulaStarts are the characters with which a formula begins; some spreadsheets
// take their full-width forms, too.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// isFormula also finds texts whose apostrophes would be taken for ours.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "'"))
	return strings.ContainsRune(formulaStarts, first)
}

func quoteFormula(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

func unquoteFormula(text string) string {
	if rest, quoted := strings.CutPrefix(text, "'"); quoted && isFormula(rest) {
		return rest
	}
	return text
}
