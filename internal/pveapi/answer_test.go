package pveapi_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
)

// TestEndlessAnswers: a server that never ends an answer does not take the memory of
// the process, whatever it sends, and however many ask at once.
func TestEndlessAnswers(t *testing.T) {
	const most = 150 << 20
	for head, pieces := range map[string][]string{
		"":           {"[", "{", `"`, " ", "1", "[0,", `{"a":`},
		`{"data":`:   {"[", `{"a":`, " ", "1"},
		`{"data":"`:  {"x", `\"`},
		`{"data":[`:  {"0,", "{},", `{"vmid":1},`, `"",`},
		`{"data":{`:  {`"a":{"b":1},`, `"a":1,`},
		`{"data":[{`: {`"a":1,`},
	} {
		for _, piece := range pieces {
			checkEndless(t, head, piece, most)
		}
	}
}

func checkEndless(t *testing.T, head, endless string, most uint64) {
	t.Helper()
	t.Run(head+endless, func(t *testing.T) {
		block := bytes.Repeat([]byte(endless), 64<<10/len(endless))
		client := newClient(t, pveapi.Limits{}, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/version") {
				_, _ = io.WriteString(w, `{"data":{"version":"9.0.1"}}`)
				return
			}
			for _, err := io.WriteString(w, head); err == nil && r.Context().Err() == nil; {
				_, err = w.Write(block)
			}
		})))
		peak := watchMemory(t, func() {
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if _, err := client.Read(t.Context(), pveapi.Request{Policy: true}); err == nil {
						t.Error("no error")
					}
				})
			}
			all.Wait()
		})
		if peak > most {
			t.Errorf("%d MiB", peak>>20)
		}
	})
}

// watchMemory gives the most memory that the heap took while something was done.
func watchMemory(t *testing.T, do func()) (peak uint64) {
	t.Helper()
	runtime.GC()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		peak = max(peak, stats.HeapInuse)
		select {
		case <-done:
			return peak
		case <-ticker.C:
		}
	}
}

// TestShapeOfAnswers: what no Proxmox VE sends is refused, and what one could send is
// not.
func TestShapeOfAnswers(t *testing.T) {
	many := func(row string, count int) string {
		return `{"data":[` + strings.TrimSuffix(strings.Repeat(row+",", count), ",") + `]}`
	}
	guest := `{"type":"qemu","vmid":100,"node":"a","name":"[[[[[[[[[[[[[[[[\"\\","tags":"x,y:z"}`
	for name, given := range map[string]struct{ body, problem string }{
		"as usual":  {many(guest, 1), ""},
		"too deep":  {`{"data":` + strings.Repeat("[", 12) + strings.Repeat("]", 12) + `}`, "nested deeper"},
		"too many":  {many("0", 50_002), "more values"},
		"bad rows":  {many("0", 1002), "more than 1000 of 1002 rows"},
		"no object": {"[]", "no JSON object"},
		"too large": {`{"data":["` + strings.Repeat("x", 16<<20) + `"]}`, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, pveapi.Limits{}, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch strings.TrimPrefix(r.URL.Path, "/api2/json") {
				case "/cluster/resources":
					_, _ = io.WriteString(w, given.body)
				case "/nodes":
					_, _ = io.WriteString(w, `{"data":[{"node":"a","status":"offline"}]}`)
				default:
					w.WriteHeader(http.StatusForbidden)
				}
			})))
			snapshot, err := client.Read(t.Context(), pveapi.Request{})
			if err != nil {
				t.Fatal(err)
			}
			guests := snapshot.Guests
			if given.problem == "" && guests.State != facts.OK ||
				given.problem != "" && (guests.State != facts.Failed || !strings.Contains(guests.Problems[0].Message, given.problem)) {
				t.Errorf("%s: %+v", guests.State, guests.Problems)
			}
		})
	}
}
