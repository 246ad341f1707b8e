package pvesim_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// form writes parameters as a body.
func form(params map[string]any) url.Values {
	values := url.Values{}
	for name, value := range params {
		if list, ok := value.([]any); ok {
			for _, item := range list {
				values.Add(name, fmt.Sprint(item))
			}
			continue
		}
		values.Set(name, fmt.Sprint(value))
	}
	return values
}

// unrecorded are changes that were made between the recorded exchanges, as far as
// their effects show, by the number of the exchange that they come before.
var unrecorded = map[int]func(*pvesim.Server){
	25: func(s *pvesim.Server) {
		s.Update(func(w *pvesim.World) {
			const entry = "\tmap node=pve-a,path=0000:0d:00.0,id=1e0f:0001,iommugroup=44\n"
			w.MappingCfg = strings.Replace(w.MappingCfg, entry, entry+strings.Replace(entry, "pve-a", "pve-b", 1), 1)
		})
	},
	47: func(s *pvesim.Server) {
		s.Update(func(w *pvesim.World) { w.Guests[guestIndex(w, 101)].Running = true })
	},
}

func guestIndex(w *pvesim.World, vmid int) int {
	return slices.IndexFunc(w.Guests, func(g pvesim.Guest) bool { return g.VMID == vmid })
}

// ownDigest are the exchanges whose digests are those of files that the samples
// show whole.
var ownDigest = []int{33}

// TestReplaysTheWritingSamples sends every recorded writing request in its order
// and compares the answers with those of PVE's own code.
func TestReplaysTheWritingSamples(t *testing.T) {
	t.Parallel()
	var samples []sample
	for name := range writing {
		samples = append(samples, readSamples(t, name)...)
	}
	slices.SortFunc(samples, func(a, b sample) int { return a.Seq - b.Seq })
	world := recordedWorld(t)
	server := &pvesim.Server{World: world, Seed: 7}
	front := start(t, server)
	c := client(t, front)
	for i := range samples {
		s := &samples[i]
		if change := unrecorded[s.Seq]; change != nil {
			change(server)
		}
		where := fmt.Sprintf("%d: %s %s %s %v", s.Seq, s.Token, s.Request.Method, s.Request.Path, s.Request.Params)
		got := submit(t, c, s.Request.Method, front.URL+s.Request.Path, form(s.Request.Params), auth(world.Token(s.Token)))
		if got.code != s.Response.Status || got.status != recordedStatus(s) {
			t.Errorf("%s: status %q, recorded %q", where, got.status, recordedStatus(s))
		}
		if running := server.State().Guests[guestIndex(world, 101)].Running; strings.HasPrefix(s.Note, "VM running") && !running {
			t.Errorf("%s: %s", where, s.Note)
		}
		sameJSON(t, where, !slices.Contains(ownDigest, s.Seq), got.body, s.Response.Body)
	}
	if len(samples) != 36 {
		t.Errorf("%d exchanges replayed", len(samples))
	}
	if world.MappingCfg != readPermissions(t).MappingCfg {
		t.Error("the World that was handed in has changed")
	}
}

// submit sends a request with a body.
func submit(t testing.TB, c *http.Client, method, url string, params url.Values, headers map[string]string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(params.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if len(params) > 0 {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	for name, value := range headers {
		request.Header[name] = []string{value}
	}
	return do(t, c, request)
}

// writer sends writing requests as one token or user.
type writer struct {
	c       *http.Client
	url     string
	headers map[string]string
}

func writerOf(t testing.TB, server *pvesim.Server, token string) *writer {
	t.Helper()
	front := start(t, server)
	return &writer{client(t, front), front.URL, auth(token)}
}

// as gives a writer with other headers.
func (w *writer) as(headers map[string]string) *writer {
	return &writer{w.c, w.url, maps.Clone(headers)}
}

func (w *writer) do(t testing.TB, method, path string, params map[string]any) answer {
	t.Helper()
	return submit(t, w.c, method, w.url+"/api2/json"+path, form(params), w.headers)
}

// data gives what a GET answers.
func get[T any](t testing.TB, w *writer, path string) T {
	t.Helper()
	got := w.do(t, "GET", path, nil)
	if got.code != http.StatusOK {
		t.Fatalf("GET %s: %s", path, got.status)
	}
	return body[T](t, got.body)
}

// expect compares the status line of an answer.
func (w *writer) expect(t testing.TB, status, method, path string, params map[string]any) answer {
	t.Helper()
	got := w.do(t, method, path, params)
	if got.status != status {
		t.Errorf("%s %s %v: %s, expected %s; %s", method, path, params, got.status, status, got.body)
	}
	return got
}

const quick = time.Millisecond
