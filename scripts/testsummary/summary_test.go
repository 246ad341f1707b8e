package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		events string
		ok     bool
		want   []string // lines that must be there, in this order
		last   string
	}{
		{
			name: "subtests are counted, their parent is not",
			events: `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"run","Package":"m/a","Test":"TestA/x"}
{"Action":"pass","Package":"m/a","Test":"TestA/x"}
{"Action":"run","Package":"m/a","Test":"TestA/y"}
{"Action":"pass","Package":"m/a","Test":"TestA/y"}
{"Action":"pass","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t(cached)\n"}
{"Action":"pass","Package":"m/a","Elapsed":0.5}
`,
			ok:   true,
			want: []string{"ok      0.50s  m/a (cached)", "packages with tests: 1"},
			last: "2 passed, 0 failed, 0 skipped",
		},
		{
			name: "a failed subtest is one failure and its output is shown",
			events: `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA/x","Output":"    a_test.go:3: got 1\n"}
{"Action":"fail","Package":"m/a","Test":"TestA/x"}
{"Action":"fail","Package":"m/a","Test":"TestA"}
{"Action":"fail","Package":"m/a","Elapsed":0.1}
`,
			want: []string{"a_test.go:3: got 1", "FAIL    0.10s  m/a", "Failed:", "  m/a TestA/x"},
			last: "0 passed, 1 failed, 0 skipped",
		},
		{
			name: "a parent that fails after its subtests passed is a failure",
			events: `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"pass","Package":"m/a","Test":"TestA/x"}
{"Action":"fail","Package":"m/a","Test":"TestA"}
{"Action":"fail","Package":"m/a"}
`,
			want: []string{"  m/a TestA"},
			last: "1 passed, 1 failed, 0 skipped",
		},
		{
			name: "a skipped test gives its reason without the place",
			events: `{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"    a_test.go:12: needs a kernel\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestA"}
{"Action":"pass","Package":"m/a"}
`,
			ok:   true,
			want: []string{"Skipped:", "  m/a TestA: needs a kernel"},
			last: "0 passed, 0 failed, 1 skipped",
		},
		{
			name: "a package that does not compile is a failure",
			events: `{"ImportPath":"m/a [m/a.test]","Action":"build-output","Output":"a.go:1: undefined: x\n"}
{"ImportPath":"m/a [m/a.test]","Action":"build-fail"}
{"Action":"fail","Package":"m/a","FailedBuild":"m/a [m/a.test]"}
`,
			want: []string{"a.go:1: undefined: x", "  m/a (the package, not one of its tests)"},
			last: "0 passed, 1 failed, 0 skipped",
		},
		{
			name: "a test that never ended is a failure",
			events: `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"panic: oh\n"}
{"Action":"fail","Package":"m/a"}
`,
			want: []string{"panic: oh", "  m/a TestA"},
			last: "0 passed, 1 failed, 0 skipped",
		},
		{
			name:   "a run that was cut off is a failure",
			events: `{"Action":"start","Package":"m/a"}` + "\n",
			want:   []string{"  m/a (the run ended before the package did)"},
			last:   "0 passed, 1 failed, 0 skipped",
		},
		{
			name:   "a run without tests is not a success",
			events: `{"Action":"skip","Package":"m/a"}` + "\ngo: warning\n",
			want:   []string{"go: warning", "packages with tests: 0"},
			last:   "0 passed, 0 failed, 0 skipped",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			ok, err := run(strings.NewReader(tt.events), &out)
			if err != nil {
				t.Fatal(err)
			}
			if ok != tt.ok {
				t.Errorf("ok = %t, want %t", ok, tt.ok)
			}
			rest := out.String()
			for _, want := range append(tt.want, tt.last) {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%q is missing or out of order in:\n%s", want, out.String())
				}
				rest = after
			}
			if rest != "\n" {
				t.Errorf("after the last line comes %q", rest)
			}
		})
	}
}
