package pvesim_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/pvesim"
)

// anyValue are the keys whose values a simulation need not reproduce: load,
// times, process numbers. Their JSON type is compared. cpus was capped by the
// processors of the machine that recorded.
var anyValue = []string{"cpu", "cpus", "mem", "memhost", "pid", "repoid", "uptime"}

// contradictory is a container whose recorded statistics were made up without
// regard to its configuration.
const contradictory = "lxc/150"

// isOrdered tells whether a list has an order of its own.
func isOrdered(path string, value []any) bool {
	if strings.HasSuffix(path, "/hardware/pci") && len(value) > 0 {
		_, rows := value[0].(map[string]any)
		return rows
	}
	return false
}

// shape makes answers comparable: lists without order are sorted, values that
// need not be reproduced are replaced by their type. byType counts the latter.
type shape struct {
	path    string
	digests bool // digests are those of other files
	byType  int
}

func (s *shape) of(key string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			out[k] = s.of(k, v)
		}
		if out["key"] == "digest" && s.digests {
			out["value"] = s.kind(out["value"])
		}
		if out["id"] == contradictory && out["maxmem"] != nil {
			for _, k := range []string{"maxcpu", "maxdisk", "maxmem"} {
				out[k] = s.kind(out[k])
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(value))
		for _, v := range value {
			out = append(out, s.of("", v))
		}
		if key != "map" && key != "lxc" && !isOrdered(s.path, value) {
			slices.SortFunc(out, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		}
		return out
	}
	switch {
	case slices.Contains(anyValue, key), key == "digest" && s.digests:
		return s.kind(value)
	case key == "content":
		parts := strings.Split(fmt.Sprint(value), ",")
		slices.Sort(parts)
		return strings.Join(parts, ",")
	}
	return value
}

func (s *shape) kind(value any) string {
	s.byType++
	return fmt.Sprintf("%T", value)
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// answer is one answer as it came over the wire.
type answer struct {
	status, contentType, connection string
	code                            int
	body                            []byte
	took                            time.Duration
}

// client sends requests without following redirects or unpacking.
func client(t testing.TB, s *pvesim.TLSServer) *http.Client {
	t.Helper()
	c := s.Client()
	transport, ok := c.Transport.(*http.Transport)
	if !ok {
		t.Fatal("no transport")
	}
	transport.DisableCompression = true
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Timeout = 20 * time.Second
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func start(t testing.TB, handler http.Handler) *pvesim.TLSServer {
	t.Helper()
	server, err := pvesim.NewTLSServer(handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func send(t testing.TB, c *http.Client, method, url string, headers map[string]string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		request.Header[name] = []string{value}
	}
	return do(t, c, request)
}

// do sends a request and reads the answer whole.
func do(t testing.TB, c *http.Client, request *http.Request) answer {
	t.Helper()
	method, url := request.Method, request.URL
	begin := time.Now()
	response, err := c.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	a := answer{
		status: response.Status, contentType: response.Header.Get("Content-Type"), code: response.StatusCode, body: content,
		took: time.Since(begin), connection: response.Header.Get("Connection"),
	}
	if response.Close {
		a.connection = "close"
	}
	return a
}

func auth(token string) map[string]string {
	return map[string]string{"Authorization": pvesim.Authorization(token)}
}

// sameJSON compares two bodies and gives how many values were compared by type.
func sameJSON(t testing.TB, path string, foreignDigests bool, got, want []byte) int {
	t.Helper()
	var gotValue, wantValue any
	if err := json.Unmarshal(got, &gotValue); err != nil {
		t.Errorf("%s: %v in %.200s", path, err, got)
		return 0
	}
	if err := json.Unmarshal(want, &wantValue); err != nil {
		t.Fatal(err)
	}
	gotShape, wantShape := &shape{path: path, digests: foreignDigests}, &shape{path: path, digests: foreignDigests}
	if diff := cmp.Diff(wantShape.of("", wantValue), gotShape.of("", gotValue)); diff != "" {
		t.Errorf("%s (-recorded +simulated):\n%s", path, diff)
	}
	return wantShape.byType
}

// try sends a request that may fail.
func try(t testing.TB, c *http.Client, url, token string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", pvesim.Authorization(token))
	response, err := c.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}
