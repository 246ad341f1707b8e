package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action  string
	Package string
	Test    string // empty: the event concerns the package
	Output  string
	Elapsed float64 // seconds
}

// testResult is what is known about one test or subtest.
type testResult struct {
	name    string
	outcome string // pass, fail, skip; empty: still running
	output  []string
}

// packageResult collects the tests of one package in the order they started.
type packageResult struct {
	name   string
	order  []*testResult
	byName map[string]*testResult
	output []string
}

// summary counts the outcomes of all packages.
type summary struct {
	w        io.Writer
	running  map[string]*packageResult
	packages int
	passed   int
	failed   []string
	skipped  []string
}

func newSummary(w io.Writer) *summary {
	return &summary{w: w, running: map[string]*packageResult{}}
}

// add takes in one event.
func (s *summary) add(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(s.w, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := s.running[e.Package]
	if p == nil {
		p = &packageResult{name: e.Package, byName: map[string]*testResult{}}
		s.running[e.Package] = p
	}
	switch {
	case e.Action == "output" && e.Test == "":
		p.output = append(p.output, e.Output)
	case e.Action == "output":
		t := p.test(e.Test)
		t.output = append(t.output, e.Output)
	case e.Action == "run":
		p.test(e.Test)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		if e.Test != "" {
			p.test(e.Test).outcome = e.Action
			return
		}
		s.finish(p, e)
		delete(s.running, e.Package)
	}
}

// test returns the record of a test, a new one if the name is new.
func (p *packageResult) test(name string) *testResult {
	t := p.byName[name]
	if t == nil {
		t = &testResult{name: name}
		p.byName[name] = t
		p.order = append(p.order, t)
	}
	return t
}

// finish counts a package that ended with the given event and prints its line.
func (s *summary) finish(p *packageResult, end event) {
	if end.Action == "skip" && len(p.order) == 0 {
		return // no test files
	}
	s.packages++
	failedBefore := len(s.failed)
	s.count(p, end.Action == "fail")
	if end.Action == "fail" && len(s.failed) == failedBefore {
		s.failed = append(s.failed, p.name+" (the package, not one of its tests)")
	}

	verdict, note := "ok  ", ""
	if end.Action == "fail" {
		verdict = "FAIL"
		p.printFailures(s.w)
	}
	if strings.Contains(strings.Join(p.output, ""), "(cached)") {
		note = " (cached)"
	}
	fmt.Fprintf(s.w, "%s %7.2fs  %s%s\n", verdict, end.Elapsed, p.name, note)
}

// count adds the tests of p to the totals. A test with subtests is counted
// through them, unless it failed or was skipped by itself.
func (s *summary) count(p *packageResult, packageFailed bool) {
	explained := map[string]bool{} // "TestA fail": a subtest of TestA failed
	for _, t := range slices.Backward(p.order) {
		outcome := t.outcome
		if outcome == "" {
			outcome = "pass"
			if packageFailed {
				outcome = "fail" // it never ended: a panic or a timeout
			}
		}
		if !explained[t.name+" "+outcome] && (outcome != "pass" || !explained[t.name]) {
			switch outcome {
			case "pass":
				s.passed++
			case "fail":
				s.failed = append(s.failed, p.name+" "+t.name)
			case "skip":
				s.skipped = append(s.skipped, p.name+" "+t.name+": "+t.skipReason())
			}
		}
		for parent := t.name; strings.Contains(parent, "/"); {
			parent = parent[:strings.LastIndex(parent, "/")]
			explained[parent] = true
			explained[parent+" "+outcome] = true
		}
	}
}

// printFailures prints what the failed and the unfinished tests said, and what
// the package said outside of its tests.
func (p *packageResult) printFailures(w io.Writer) {
	for _, t := range p.order {
		if t.outcome == "fail" || t.outcome == "" {
			fmt.Fprint(w, strings.Join(t.output, ""))
		}
	}
	fmt.Fprint(w, strings.Join(p.output, ""))
}

// location is the place that the testing package puts before a message.
var location = regexp.MustCompile(`^\S+\.go:\d+: `)

// skipReason returns what the test said before it skipped itself.
func (t *testResult) skipReason() string {
	var said []string
	for _, line := range t.output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		said = append(said, location.ReplaceAllString(line, ""))
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// print writes the totals and says whether every package passed.
func (s *summary) print() bool {
	for _, p := range s.running {
		p.printFailures(s.w)
		s.failed = append(s.failed, p.name+" (the run ended before the package did)")
	}
	fmt.Fprintf(s.w, "\n===== test summary\npackages with tests: %d\n", s.packages)
	for _, list := range []struct {
		title string
		lines []string
	}{{"Failed", s.failed}, {"Skipped", s.skipped}} {
		slices.Sort(list.lines)
		if len(list.lines) > 0 {
			fmt.Fprintf(s.w, "%s:\n  %s\n", list.title, strings.Join(list.lines, "\n  "))
		}
	}
	fmt.Fprintf(s.w, "%d passed, %d failed, %d skipped\n", s.passed, len(s.failed), len(s.skipped))
	return len(s.failed) == 0 && s.packages > 0
}
