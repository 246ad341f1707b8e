package fleet_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pciatlas/internal/fleet"
)

func TestReadDesktops(t *testing.T) {
	two := []fleet.Desktop{{VMID: 100, Name: "alpha", Note: "x, y"}, {VMID: 101, Name: "beta"}}
	for name, c := range map[string]struct {
		file string
		want []fleet.Desktop
	}{
		"plain":         {"vmid,name,note\n100,alpha,\"x, y\"\n101,beta,\n", two},
		"spreadsheet":   {"\ufeffVMID;Name;Note\r\n100;alpha;x, y\r\n101;beta;\r\n;;\r\n", two},
		"other order":   {"note, name ,vmid\n\"x, y\",alpha, 100 \n,beta,101", two},
		"quoted head":   {"\ufeff\"vmid\";\"name\";\"note\"\n100;alpha;\"x, y\"\n\n101;beta\n", two},
		"without note":  {"name,vmid\nbeta,101\n", two[1:]},
		"head alone":    {"vmid,name,note\n", nil},
		"head, no line": {"vmid,name", nil},
		"formulas":      {"vmid,name,note\n100,'=1+1,'-\n101,''=x,'plain\n", []fleet.Desktop{{VMID: 100, Name: "=1+1", Note: "-"}, {VMID: 101, Name: "'=x", Note: "'plain"}}},
		"not quoted":    {"vmid,name,note\n100,=1+1,@x\n", []fleet.Desktop{{VMID: 100, Name: "=1+1", Note: "@x"}}},
		"lines":         {"vmid,name,note\r\n100,a,\"1\r\n2\"\r\n", []fleet.Desktop{{VMID: 100, Name: "a", Note: "1\n2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := fleet.ReadDesktops(strings.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadDesktopsFaults(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want []string // field: a part of the message
	}{
		"empty":          {"", []string{"line 1: empty"}},
		"only a mark":    {"\ufeff", []string{"line 1: empty"}},
		"no head":        {"100,alpha\n", []string{"line 1: column 1"}},
		"unknown column": {"vmid,name,owner\n", []string{"line 1: column 3"}},
		"column twice":   {"vmid,name,name\n", []string{"line 1: twice"}},
		"no name":        {"vmid,note\n", []string{"line 1: name is missing"}},
		"UTF-16":         {"\xff\xfev\x00m\x00i\x00d\x00,\x00n\x00", []string{"line 1: UTF-8"}},
		"head in quotes": {"\"vmid,name\n100,a\n", []string{"line 1: double quotes"}},
		"all of them": {
			"vmid,name,note\n99,a\n100,b\nx,c\n100,d\n101,\n102,e,f,g\n103,h\n104,\"a\nb\"\n105,\xff\n100,\n",
			[]string{"line 2: between", "line 4: between", "line 5: line 3 already", "line 6: needs a name", "line 7: 4 cells", "line 9: one line", "line 11: UTF-8", "line 12: line 3 already", "line 12: needs a name"},
		},
		"bad quotes": {"vmid,name\n1,a\n100,a \"b\n101,c\n", []string{"line 2: between", "line 3: not read"}},
		"odd numbers": {
			"vmid,name\n+100,a\n1e3,b\n-100,c\n100.0,d\n4294967396,e\n0,f\n0,g\n",
			[]string{"line 2: between", "line 3: between", "line 4: between", "line 5: between", "line 6: between", "line 7: between", "line 8: between"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := fleet.ReadDesktops(strings.NewReader(c.file))
			invalid, ok := errors.AsType[*fleet.InvalidError](err)
			if !ok || got != nil {
				t.Fatalf("want an InvalidError, got %v, %v", got, err)
			}
			if len(invalid.Fields) != len(c.want) {
				t.Fatalf("want %d faults, got %v", len(c.want), err)
			}
			for i, want := range c.want {
				field, part, _ := strings.Cut(want, ": ")
				if invalid.Fields[i].Field != field || !strings.Contains(invalid.Fields[i].Message, part) {
					t.Errorf("want %s, got %+v", want, invalid.Fields[i])
				}
			}
		})
	}
}

// TestReadDesktopsBounds: more than fits is refused as a whole, never cut.
func TestReadDesktopsBounds(t *testing.T) {
	var file strings.Builder
	file.WriteString("vmid,name\n")
	for i := range 10_000 {
		fmt.Fprintf(&file, "%d,a\n", 100+i)
	}
	if got, err := fleet.ReadDesktops(strings.NewReader(file.String())); err != nil || len(got) != 10_000 {
		t.Errorf("%d, %v", len(got), err)
	}
	if got, err := fleet.ReadDesktops(strings.NewReader(file.String() + "99999,a\n")); err == nil {
		t.Errorf("%d desktops are accepted", len(got))
	}
	_, err := fleet.ReadDesktops(strings.NewReader("vmid,name\n" + strings.Repeat("x,a\n", 250)))
	invalid, ok := errors.AsType[*fleet.InvalidError](err)
	if !ok || len(invalid.Fields) != 101 || !strings.Contains(invalid.Fields[100].Message, "150 more") {
		t.Errorf("%v", err)
	}
	endless := io.MultiReader(strings.NewReader("vmid,name\n100,\""), endlessReader{})
	if _, err := fleet.ReadDesktops(endless); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("an endless cell: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte("a"), len(p))), nil
}

// TestReadDesktopsTorn: a file that ends in an error is not taken for a short one.
func TestReadDesktopsTorn(t *testing.T) {
	torn := errors.New("torn")
	file := "vmid,name\n100,alpha\n101,beta\n"
	for length := range len(file) {
		got, err := fleet.ReadDesktops(io.MultiReader(strings.NewReader(file[:length]), iotest.ErrReader(torn)))
		if got != nil || err == nil {
			t.Fatalf("after %d bytes: %v, %v", length, got, err)
		}
		if _, invalid := errors.AsType[*fleet.InvalidError](err); !errors.Is(err, torn) && !invalid {
			t.Errorf("after %d bytes: %v", length, err)
		}
	}
}

func TestWriteDesktopsFails(t *testing.T) {
	full := errors.New("full")
	if err := fleet.WriteDesktops(failingWriter{full}, nil); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// formula draws texts that spreadsheets or the CSV format could take for more
// than text.
func formula() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`['=+@ \t\r\n＝-]{0,4}[a-z"',;=\\.\n\r]{0,6}`),
		rapid.String(),
	)
}

// TestDesktopsRoundTrip: what was written reads back equal, and no cell of it
// begins like a formula.
func TestDesktopsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var desktops []fleet.Desktop
		for _, vmid := range rapid.SliceOfNDistinct(rapid.IntRange(100, 999_999_999), 0, 8, rapid.ID[int]).Draw(t, "vmids") {
			d := fleet.Desktop{VMID: vmid, Name: formula().Draw(t, "name"), Note: formula().Draw(t, "note")}
			if d.Check() == nil {
				desktops = append(desktops, d)
			}
		}
		var file bytes.Buffer
		if err := fleet.WriteDesktops(&file, desktops); err != nil {
			t.Fatal(err)
		}
		got, err := fleet.ReadDesktops(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, file.String())
		}
		if diff := cmp.Diff(desktops, got); diff != "" {
			t.Fatalf("%s in\n%s", diff, file.String())
		}
	})
}

// TestWriteDesktopsFormulas also holds for texts that nobody checked.
func TestWriteDesktopsFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file bytes.Buffer
		desktop := fleet.Desktop{VMID: 100, Name: formula().Draw(t, "name"), Note: formula().Draw(t, "note")}
		if err := fleet.WriteDesktops(&file, []fleet.Desktop{desktop}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 3 {
			t.Fatalf("%v, %q", err, rows)
		}
		for _, cell := range rows[1] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
				t.Fatalf("the cell %q is a formula", cell)
			}
		}
	})
}

func FuzzReadDesktops(f *testing.F) {
	for _, seed := range []string{
		"vmid,name,note\n100,alpha,x\n", "\ufeffvmid;name\r\n100;'=a\r\n;\r\n", "name,vmid\n\"a\"\"b\",100\n",
		"vmid,name\n100,\"a\nb\"\n100,c", "\xff\xfev\x00", "vmid,name\n100,''+\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		desktops, err := fleet.ReadDesktops(bytes.NewReader(file))
		if err != nil {
			if _, ok := errors.AsType[*fleet.InvalidError](err); !ok || desktops != nil {
				t.Fatalf("%v, %v", desktops, err)
			}
			return
		}
		seen := map[int]bool{}
		for _, d := range desktops {
			plain := d
			if err := plain.Check(); err != nil || plain != d || seen[d.VMID] {
				t.Fatalf("%+v passes: %v", d, err)
			}
			seen[d.VMID] = true
		}
		var again bytes.Buffer
		if err := fleet.WriteDesktops(&again, desktops); err != nil {
			t.Fatal(err)
		}
		if got, err := fleet.ReadDesktops(&again); err != nil || !cmp.Equal(desktops, got) {
			t.Fatalf("%v\n%s", err, cmp.Diff(desktops, got))
		}
	})
}
