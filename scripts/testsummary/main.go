// Command testsummary reads the output of `go test -json` from its standard
// input and prints what a person wants to see: one line per package, everything
// that failed tests said, each skipped test with its reason, and at the end one
// plain line, "N passed, N failed, N skipped".
//
// It exits with 1 if a test or a package failed, or if no package was tested.
// It belongs to the Makefile; nothing imports it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	ok, err := run(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run prints the summary of the events in r to w and says whether all is well.
func run(r io.Reader, w io.Writer) (bool, error) {
	out := bufio.NewWriter(w)
	s := newSummary(out)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				s.add(e)
			} else {
				// Not an event: the go command itself said something.
				fmt.Fprintf(out, "%s", line)
			}
			// What is known so far is shown while the tests still run.
			if ferr := out.Flush(); ferr != nil {
				return false, fmt.Errorf("write the summary: %w", ferr)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, fmt.Errorf("read the test events: %w", err)
		}
	}
	ok := s.print()
	if err := out.Flush(); err != nil {
		return false, fmt.Errorf("write the summary: %w", err)
	}
	return ok, nil
}
