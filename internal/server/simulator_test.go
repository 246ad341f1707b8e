package server_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyTheDemoHoldsTheSimulator: no other file can put simulated data into an
// answer about a real cluster.
func TestOnlyTheDemoHoldsTheSimulator(t *testing.T) {
	var files []string
	for _, folder := range []string{".", "../cli", "../../cmd/pciatlas"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", folder, err)
		}
		files = append(files, found...)
	}
	var demo bool
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range parsed.Imports {
			switch {
			case imported.Path.Value != `"pciatlas/internal/pvesim"`:
			case file == "demo.go":
				demo = true
			default:
				t.Errorf("%s imports the simulator", file)
			}
		}
	}
	if !demo {
		t.Error("demo.go does not import the simulator: this test looks at the wrong thing")
	}
}
