package pveapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/semaphore"

	"pciatlas/internal/facts"
)

// get asks for one path below /api2/json and gives the data of the answer. node
// is the node that the request is for, "" for the cluster. The context bounds
// the whole of it; waiting for our own limits does not count against timeout.
// The error is an *Error, or the context's if it ended while waiting.
func (c *Client) get(ctx context.Context, node, path string, query url.Values, timeout func() time.Duration) (json.RawMessage, error) {
	release, err := c.acquire(ctx, node)
	if err != nil {
		return nil, err
	}
	defer release()
	request := "GET " + path
	if len(query) > 0 {
		request += "?" + query.Encode()
	}
	allowed := timeout()
	if allowed <= 0 {
		return nil, &Error{
			Code: CodeTimeout, Request: request, Problem: facts.ProblemTimeout,
			Err: errors.New("the time for this node was used up before"),
		}
	}
	ctx, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	return c.tryEach(ctx, node, request, path, query)
}

// tryEach asks the node's own address if it has one, then the entry nodes,
// beginning with the one that answered last, until one answers at all.
func (c *Client) tryEach(ctx context.Context, node, request, path string, query url.Values) (json.RawMessage, error) {
	var failures []*Error
	if base, ok := c.nodes[node]; ok {
		data, failure := c.ask(ctx, base, request, path, query)
		if failure == nil || failure.Status != 0 || ctx.Err() != nil {
			return data, orNil(failure)
		}
		failures = append(failures, failure)
	}
	first := int(c.active.Load())
	for i := range c.endpoints {
		at := (first + i) % len(c.endpoints)
		data, failure := c.ask(ctx, c.endpoints[at], request, path, query)
		if failure == nil || failure.Status != 0 {
			c.active.Store(int32(at))
			return data, orNil(failure)
		}
		failures = append(failures, failure)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, worst(failures)
}

// orNil keeps a nil *Error from becoming a non-nil error.
func orNil(failure *Error) error {
	if failure == nil {
		return nil
	}
	return failure
}

// worst gives the failure that a person should see first: a certificate that is
// not trusted, else the last one.
func worst(failures []*Error) *Error {
	for _, failure := range failures {
		if failure.Code == CodeCertificate {
			return failure
		}
	}
	return failures[len(failures)-1]
}

// ask sends one request to one address.
func (c *Client) ask(ctx context.Context, base, request, path string, query url.Values) (json.RawMessage, *Error) {
	address := base + "/api2/json" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, &Error{Code: CodeRefused, Request: request, Problem: facts.ProblemIO, Err: errors.New("the request cannot be written as a URL")}
	}
	req.Header.Set("Authorization", c.options.Token.header())
	req.Header.Set("Accept", "application/json")
	response, err := c.http.Do(req)
	if err != nil {
		c.options.Observe(0)
		return nil, connectionError(request, strings.TrimPrefix(base, "https://"), err)
	}
	c.options.Observe(response.StatusCode)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, response.Body, 4096)
		return nil, statusError(request, response.StatusCode, c.reason(response))
	}
	return c.readBody(response, request)
}

// reason gives the reason phrase: Proxmox VE puts its message there. Whatever a
// server sends, it is one short line without the token's secret.
func (c *Client) reason(response *http.Response) string {
	_, reason, _ := strings.Cut(response.Status, " ")
	reason = strings.ReplaceAll(reason, c.options.Token.Secret, "…")
	reason = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(reason, "?"))
	const limit = 300
	if runes := []rune(reason); len(runes) > limit {
		reason = string(runes[:limit]) + "…"
	}
	return strings.TrimSpace(reason)
}

func (c *Client) readBody(response *http.Response, request string) (json.RawMessage, *Error) {
	limit := c.options.Limits.Body
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		failure := connectionError(request, "", err)
		if failure.Problem != facts.ProblemTimeout {
			failure = malformed(request, errors.New("the answer was cut off"))
		}
		return nil, failure
	}
	// No output may hold the secret, even if a server sends it back as data.
	if secret := []byte(c.options.Token.Secret); len(secret) > 0 && bytes.Contains(body, secret) {
		body = bytes.ReplaceAll(body, secret, []byte("…"))
	}
	if int64(len(body)) > limit {
		return nil, &Error{
			Code: CodeRefused, Status: 200, Reason: "OK", Request: request, Problem: facts.ProblemTooLarge,
			Err: fmt.Errorf("the answer is larger than %d bytes", limit),
		}
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, malformed(request, errors.New("the answer is not what Proxmox VE sends (no JSON object with data)"))
	}
	if len(envelope.Data) == 0 || bytes.Equal(bytes.TrimSpace(envelope.Data), []byte("null")) {
		return nil, malformed(request, errors.New("the answer holds no data"))
	}
	return envelope.Data, nil
}

// acquire waits until the limits allow one more request.
func (c *Client) acquire(ctx context.Context, node string) (release func(), err error) {
	limits := []*semaphore.Weighted{c.cluster}
	if base, direct := c.nodes[node]; direct {
		limits = append(limits, c.limitOf(c.byEntry, base, c.options.Limits.PerEntry))
	} else {
		limits = append(limits, c.limitOf(c.byEntry, "", c.options.Limits.PerEntry))
	}
	if node != "" {
		limits = append(limits, c.limitOf(c.byTarget, node, c.options.Limits.PerNode))
	}
	// The narrowest limit first: who waits for a node holds no place of others.
	for i, limit := range slices.Backward(limits) {
		if err := limit.Acquire(ctx, 1); err != nil {
			for _, held := range limits[i+1:] {
				held.Release(1)
			}
			return nil, err
		}
	}
	return func() {
		for _, held := range limits {
			held.Release(1)
		}
	}, nil
}

func (c *Client) limitOf(by map[string]*semaphore.Weighted, key string, size int) *semaphore.Weighted {
	c.mu.Lock()
	defer c.mu.Unlock()
	if by[key] == nil {
		by[key] = semaphore.NewWeighted(int64(size))
	}
	return by[key]
}
