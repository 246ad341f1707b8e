package pvesim

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// PVE's own limits (PVE::APIServer::AnyEvent).
const (
	maxHeaderLines = 64
	maxHeaderSize  = 8 << 10
	maxBody        = 512 << 10
)

// errDropped: PVE closes the connection without an answer.
var errDropped = errors.New("pvesim: request dropped")

// request is one request as PVE's server takes it apart.
type request struct {
	method   string
	path     string // unescaped
	query    string // as sent
	header   http.Header
	length   int64
	body     []byte
	chunked  bool
	lastOne  bool // the client asked to close the connection
	gzip     bool
	http10   bool
	oversize bool // more header than PVE reads
	undone   bool // the answer is that of a write, and nothing is written
}

// formType is the type of bodies. The simulator reads no JSON, which PVE would.
const formType = "application/x-www-form-urlencoded"

// params gives the parameters of the body and of the query; the latter come
// first where a name stands in both.
func (r *request) params() map[string]values {
	params := map[string]values{}
	if r.method == http.MethodPost || r.method == http.MethodPut {
		params = decodeQuery(string(r.body))
	}
	maps.Copy(params, decodeQuery(r.query))
	return params
}

// takeRequest reads what is left of a request that net/http has parsed. It has
// taken blanks off the ends of header values already.
func takeRequest(r *http.Request) *request {
	header := r.Header.Clone()
	header.Set("Host", r.Host)
	req := newRequest(r.Method, cmp.Or(r.RequestURI, r.URL.RequestURI()), header, r.ProtoAtLeast(1, 1))
	req.length, req.chunked, req.lastOne = max(r.ContentLength, 0), len(r.TransferEncoding) > 0, r.Close
	req.readBody(r.Body)
	return req
}

func newRequest(method, target string, header http.Header, http11 bool) *request {
	path, query, _ := strings.Cut(target, "?")
	req := &request{
		method: method, path: unescape(strings.ReplaceAll(path, "+", "%2B")), query: query, header: header,
		chunked: header.Get("Transfer-Encoding") != "", http10: !http11,
		lastOne: strings.Contains(strings.ToLower(header.Get("Connection")), "close"),
		gzip:    strings.Contains(header.Get("Accept-Encoding"), "gzip"),
	}
	if n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64); err == nil {
		req.length = max(n, 0)
	}
	lines, size := 1, 0 // the empty line
	for name, values := range header {
		for _, value := range values {
			lines++
			size += len(name) + len(": ") + len(value)
		}
	}
	req.oversize = lines >= maxHeaderLines || size >= maxHeaderSize
	return req
}

// readBody reads what follows the head. A body cut short is answered like any
// other.
func (r *request) readBody(source io.Reader) {
	if r.length > 0 && !r.chunked {
		r.body, _ = io.ReadAll(io.LimitReader(source, min(r.length, maxBody)))
	}
}

var requestLine = regexp.MustCompile(`^(\S+) (\S+) HTTP/1\.(\d+)$`)

// readRequest reads the next request of a connection.
func readRequest(br *bufio.Reader) (*request, error) {
	lines, err := readHead(br)
	if err != nil {
		return nil, err
	}
	first := requestLine.FindStringSubmatch(lines[0])
	if len(first) == 0 {
		return nil, errDropped
	}
	header := http.Header{}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, errDropped
		}
		header.Add(strings.TrimSpace(name), strings.TrimLeft(value, " \t"))
	}
	req := newRequest(first[1], first[2], header, first[3] != "0")
	req.readBody(br)
	return req, nil
}

// readHead reads up to the empty line, within PVE's limits. It gives at least
// one line.
func readHead(br *bufio.Reader) ([]string, error) {
	var lines []string
	for left := 2 * maxHeaderSize; ; {
		line, err := readLine(br, left)
		if err != nil {
			return nil, err
		}
		left -= len(line)
		text := strings.TrimRight(line, "\r\n")
		switch {
		case text == "" && len(lines) > 0:
			return lines, nil
		case text == "":
			continue // empty lines before a request are skipped
		}
		lines = append(lines, text)
		if len(lines) > maxHeaderLines {
			return nil, errDropped
		}
	}
}

// readLine reads a line of at most so many bytes.
func readLine(br *bufio.Reader, limit int) (string, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return "", errDropped
		case err == nil:
			return string(line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("read head: %w", err)
		}
	}
}

var apiPath = regexp.MustCompile(`^/api2/+([a-z][a-z0-9]+)(/.*)?$`)

// split gives the output format and the path below it; format is empty for
// paths that are none of the API.
func (r *request) split() (format, path string) {
	parts := apiPath.FindStringSubmatch(r.path)
	if parts == nil {
		return "", ""
	}
	if parts[2] == "" {
		return parts[1], "/"
	}
	return parts[1], parts[2]
}

// segments gives the parts of a path without the empty ones.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

// plainPath is a path as instruments and faults name it: without double and
// trailing slashes.
func plainPath(path string) string { return "/" + strings.Join(segments(path), "/") }

// target is the node that a request is about as its text says; "" for the
// cluster.
func (r *request) target() string {
	_, path := r.split()
	if parts := segments(path); len(parts) > 1 && parts[0] == "nodes" {
		return parts[1]
	}
	node, _ := decodeQuery(r.query)["check-node"].text()
	return node
}

// values are the values that one parameter was given; none if it stands in the
// query without "=".
type values []string

// text gives a single value; ok is false for none or several.
func (v values) text() (text string, ok bool) {
	if len(v) != 1 {
		return "", false
	}
	return v[0], true
}

// decodeQuery mirrors PVE::APIServer::AnyEvent::decode_urlencoded: parameters
// are separated by & or ;, and a value ends at a second "=".
func decodeQuery(query string) map[string]values {
	params := map[string]values{}
	for part := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, value, given := strings.Cut(part, "=")
		name = unescape(name)
		if !given {
			params[name] = nil
			continue
		}
		value, _, _ = strings.Cut(value, "=")
		params[name] = append(params[name], unescape(value))
	}
	return params
}

// unescape decodes %XX and +; what is no escape stays.
func unescape(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch high, low := hexAt(text, i+1), hexAt(text, i+2); {
		case text[i] == '+':
			out.WriteByte(' ')
		case text[i] == '%' && high >= 0 && low >= 0:
			out.WriteByte(byte(high<<4 | low))
			i += 2
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

func hexAt(text string, i int) int {
	if i >= len(text) {
		return -1
	}
	return strings.Index("0123456789abcdef", strings.ToLower(text[i:i+1]))
}
