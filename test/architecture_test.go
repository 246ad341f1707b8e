// Package test holds the checks of the repository as a whole: its architecture
// here, and the acceptance tests that run the real binary.
package test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module   = "pciatlas"
	maxLines = 600 // of a file that is neither a test nor generated
)

// room is what the architecture allows one package.
type room struct {
	pure      bool     // no I/O, no clock, no other modules than those in modules
	imports   []string // packages of this module that it may import
	modules   []string // for a pure room: other modules that it may import
	testsOnly bool     // only tests may import it
}

// core is the pure computation from the snapshot to the report, and below.
var core = []string{"internal/pci", "internal/pve", "internal/rights", "internal/facts", "internal/atlas"}

// pures are all pure rooms: what an adapter may know.
var pures = append(slices.Clone(core),
	"internal/findings", "internal/placement", "internal/doctor", "internal/plan", "internal/fleet", "internal/auth")

// anything is for the rooms that wire the others together.
var anything = []string{"*"}

// rooms is the whole house: every package of the module and the packages of the
// module that it may import. docs/architecture.md says why. A new package needs
// a line here, and so does one that is to come and has its place already.
var rooms = map[string]room{
	"internal/pci":    {pure: true},
	"internal/pve":    {pure: true, imports: []string{"internal/pci"}},
	"internal/facts":  {pure: true, imports: []string{"internal/pve", "internal/pci"}},
	"internal/rights": {pure: true, imports: []string{"internal/pve", "internal/pci"}},
	"internal/atlas":  {pure: true, imports: []string{"internal/rights", "internal/facts", "internal/pve", "internal/pci"}},

	"internal/findings":  {pure: true, imports: core},
	"internal/placement": {pure: true, imports: core},
	"internal/doctor":    {pure: true, imports: core},
	"internal/plan":      {pure: true, imports: core},

	"internal/fleet": {pure: true},
	"internal/auth":  {pure: true, modules: []string{"golang.org/x/crypto"}},

	"internal/pveapi": {imports: pures},
	"internal/hostfs": {imports: pures},
	"internal/pvesh":  {imports: pures},
	"internal/apply":  {imports: pures},
	"internal/live":   {imports: pures},
	"internal/store":  {imports: pures},
	"internal/config": {imports: pures},

	// The simulator judges by itself what a token may see: with rights or what
	// stands on it, it would prove the readers with their own code.
	"internal/pvesim": {imports: []string{"internal/pve", "internal/pci"}},

	"internal/store/storetest": {imports: append([]string{"internal/store"}, pures...), testsOnly: true},

	"internal/httpapi": {imports: pures},
	"internal/server":  {imports: anything},
	"internal/cli":     {imports: anything},
	"cmd/pciatlas":     {imports: []string{"internal/cli"}},

	"web":                 {},
	"test":                {},
	"test/simulator":      {imports: []string{"internal/pvesim"}},
	"test/pvecommand":     {},
	"test/kernel":         {},
	"scripts/testsummary": {},
	"scripts/findingsdoc": {imports: []string{"internal/findings"}},
	"scripts/wordings":    {imports: []string{"internal/placement", "internal/doctor"}},
}

// forbiddenInPure are the packages through which a pure room would reach the
// world: with them, its result would depend on more than its arguments.
var forbiddenInPure = []string{
	"os", "os/exec", "os/signal", "os/user", "io/fs", "io/ioutil", "path/filepath", "syscall", "plugin",
	"net", "net/http", "net/http/httptest", "net/rpc", "net/smtp", "crypto/tls", "database/sql", "log", "log/slog",
}

// simulatorUsers are the only packages that may hold the simulator: for the demo,
// and as a tool of the browser tests.
var simulatorUsers = []string{"internal/cli", "internal/server", "test/simulator"}

func TestArchitectureImports(t *testing.T) {
	for name, pkg := range packages(t) {
		room, known := rooms[name]
		if !known {
			t.Errorf("package %s has no room: add it to the table in test/architecture_test.go with what it may import, and to docs/architecture.md", name)
			continue
		}
		for path, file := range pkg.imports {
			inner, own := strings.CutPrefix(path, module+"/")
			switch {
			case own && !allows(room, inner):
				t.Errorf("%s: %s may not import %s, only %s; docs/architecture.md says why",
					file, name, inner, list(room.imports))
			case own && rooms[inner].testsOnly:
				t.Errorf("%s: %s is for tests only", file, inner)
			case own && inner == "internal/pvesim" && !slices.Contains(simulatorUsers, name):
				t.Errorf("%s: only %s and tests may import the simulator: simulated data must never reach an answer about a real cluster",
					file, list(simulatorUsers))
			case room.pure && slices.Contains(forbiddenInPure, path):
				t.Errorf("%s: %s is pure and may not import %s: hand the data in as an argument", file, name, path)
			case room.pure && !own && isOtherModule(path) && !slices.ContainsFunc(room.modules, within(path)):
				t.Errorf("%s: %s is pure and may not import %s; of other modules it may import %s",
					file, name, path, list(room.modules))
			}
		}
	}
}

// TestArchitectureTable keeps the table itself honest.
func TestArchitectureTable(t *testing.T) {
	for name, room := range rooms {
		for _, imported := range room.imports {
			target, known := rooms[imported]
			switch {
			case imported == "*":
			case !known:
				t.Errorf("%s may import %s, which has no room", name, imported)
			case room.pure && !target.pure:
				t.Errorf("%s is pure and may not stand on %s, which is not", name, imported)
			}
		}
	}
}

func TestArchitecturePackageComments(t *testing.T) {
	for name, pkg := range packages(t) {
		start := "Package " + pkg.name + " "
		if pkg.name == "main" {
			start = "Command " + filepath.Base(name) + " "
		}
		if !strings.HasPrefix(pkg.doc, start) || len(strings.Fields(pkg.doc)) < 8 {
			t.Errorf("package %s needs a comment that begins with %q and says what it is for; it has %q", name, start, pkg.doc)
		}
	}
}

func TestArchitectureFileLength(t *testing.T) {
	for _, pkg := range packages(t) {
		for file, lines := range pkg.lines {
			if lines > maxLines {
				t.Errorf("%s has %d lines, more than %d: is it one room, or several?", file, lines, maxLines)
			}
		}
	}
}

// goPackage is what the Go files of one folder say. Test files may import what
// they need and be as long as they need; they give a folder of tests alone its
// name and its comment.
type goPackage struct {
	name    string
	doc     string
	imports map[string]string // import path → a file that imports it
	lines   map[string]int    // file that is not generated → lines
}

// packages reads every package of the module, by its folder. It parses the files
// instead of asking the go command so that build tags hide nothing and so that
// the test cache sees every file the verdict depends on.
func packages(t *testing.T) map[string]*goPackage {
	t.Helper()
	found := map[string]*goPackage{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && isIgnored(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		folder := filepath.Dir(path)
		if found[folder] == nil {
			found[folder] = &goPackage{imports: map[string]string{}, lines: map[string]int{}}
		}
		return found[folder].add(path)
	})
	if err != nil {
		t.Fatalf("reading the packages of the module: %v", err)
	}
	if len(found) < 2 {
		t.Fatalf("found %d packages: this test does not see the module", len(found))
	}
	return found
}

// isIgnored tells the folders that the go command does not look into, and those
// that hold what was built.
func isIgnored(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") ||
		slices.Contains([]string{"testdata", "node_modules", "bin", "dist"}, folder)
}

// add takes in one file, whose path begins at the root of the module.
func (p *goPackage) add(path string) error {
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	if doc := file.Doc.Text(); doc != "" && !strings.HasSuffix(file.Name.Name, "_test") {
		p.doc = doc
	}
	isTest := strings.HasSuffix(path, "_test.go")
	if p.name == "" || !isTest {
		p.name = strings.TrimSuffix(file.Name.Name, "_test")
	}
	if isTest {
		return nil
	}
	for _, spec := range file.Imports {
		p.imports[strings.Trim(spec.Path.Value, "`\"")] = path
	}
	if !strings.Contains(string(text), "\n// Code generated ") && !strings.HasPrefix(string(text), "// Code generated ") {
		p.lines[path] = strings.Count(string(text), "\n")
	}
	return nil
}

// allows tells whether the room may import a package of this module.
func allows(r room, inner string) bool {
	return slices.Contains(r.imports, inner) || slices.Contains(r.imports, "*")
}

// list writes names for a message.
func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// isOtherModule tells whether an import path leaves the standard library.
func isOtherModule(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// within returns a test for "path belongs to this module".
func within(path string) func(module string) bool {
	return func(module string) bool {
		return path == module || strings.HasPrefix(path, module+"/")
	}
}
