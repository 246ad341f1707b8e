package pveapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"pciatlas/internal/facts"
)

// What an answer may hold. Real ones stay far below; whatever else comes must not
// take the memory of the process.
const (
	smallBody = 1 << 20
	listBody  = 4 << 20
	largeBody = 16 << 20
	maxDepth  = 12     // nested lists and objects
	maxRows   = 50_000 // of the list, or keys of the object, that the data are

	// unnoticed is how much of an answer is received in any case; more needs one of
	// the few places for large answers that a client has.
	unnoticed   = 256 << 10
	largeAtOnce = 2
	chunkSize   = 32 << 10
)

// size gives the limits of an answer: its bytes, and its commas and colons, which is
// how many values it has.
func (q *question) size() (bytes int64, values int) {
	switch path := q.path; {
	case path == pathResources || strings.HasSuffix(path, "/hardware/pci"):
		return largeBody, 1_000_000
	case strings.HasPrefix(path, "/access/"), strings.HasPrefix(path, "/cluster/"):
		return listBody, 200_000
	default:
		return smallBody, 50_000
	}
}

// readAnswer receives an answer and gives its data.
func (c *Client) readAnswer(ctx context.Context, response *http.Response, q *question) (json.RawMessage, *Error) {
	body, failure := c.receive(ctx, response.Body, q)
	if failure != nil {
		return nil, failure
	}
	// No output may hold the secret, even if a server sends it back as data.
	for _, secret := range c.secrets() {
		if bytes.Contains(body, []byte(secret)) {
			body = bytes.ReplaceAll(body, []byte(secret), []byte("…"))
		}
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, malformed(q.request, errNotPVE)
	}
	if len(envelope.Data) == 0 || bytes.Equal(bytes.TrimSpace(envelope.Data), []byte("null")) {
		return nil, malformed(q.request, errors.New("the answer holds no data"))
	}
	return envelope.Data, nil
}

var errNotPVE = errors.New("the answer is not what Proxmox VE sends (no JSON object with data)")

// receive reads a body to its end, unless it is larger or of another shape than any
// answer of Proxmox VE.
func (c *Client) receive(ctx context.Context, from io.Reader, q *question) ([]byte, *Error) {
	limit, values := q.size()
	limit = min(limit, c.options.Limits.Body)
	outline := outline{values: values}
	var chunks [][]byte
	var total int64
	large := false
	defer func() {
		if large {
			c.large.Release(1)
		}
	}()
	for {
		chunk := make([]byte, min(chunkSize, limit+1-total))
		n, err := fill(from, chunk)
		chunks, total = append(chunks, chunk[:n]), total+int64(n)
		if fault := outline.read(chunk[:n]); fault != nil {
			return nil, malformed(q.request, fault)
		}
		switch {
		case total > limit:
			return nil, &Error{
				Code: CodeRefused, Status: 200, Reason: "OK", Request: q.request, Problem: facts.ProblemTooLarge,
				Err: fmt.Errorf("the answer is larger than %d bytes", limit),
			}
		case err == io.EOF: //nolint:errorlint // a wrapped one is no end
			return bytes.Join(chunks, nil), nil
		case err != nil:
			failure := connectionError(q.request, "", err)
			if failure.Problem != facts.ProblemTimeout {
				failure = malformed(q.request, errors.New("the answer was cut off"))
			}
			return nil, failure
		case total > unnoticed && !large:
			if err := c.large.Acquire(ctx, 1); err != nil {
				return nil, connectionError(q.request, "", err)
			}
			large = true
		}
	}
}

// fill reads until the buffer is full or nothing more comes.
func fill(from io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var m int
		m, err = from.Read(buffer[n:])
		n += m
	}
	return n, err
}
