package pveapi

import (
	"context"
	"encoding/json"
	"errors"
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
	q := newQuestion(node, path, query)
	allowed := timeout()
	if allowed <= 0 {
		return nil, &Error{
			Code: CodeTimeout, Request: q.request, Problem: facts.ProblemTimeout,
			Err: errors.New("the time for this node was used up before"),
		}
	}
	ctx, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	if node == "" {
		return c.askEntries(ctx, q)
	}
	return c.tryEach(ctx, q)
}

// tryEach asks the node's own address if it has one, then the entry nodes,
// beginning with the one that was of use last, until one answers as Proxmox VE does.
func (c *Client) tryEach(ctx context.Context, q *question) (json.RawMessage, error) {
	var failures []*Error
	if base, ok := c.nodes[q.node]; ok {
		data, failure := c.ask(ctx, base, q)
		if failure == nil || !q.passesOn(failure) || ctx.Err() != nil {
			return data, orNil(failure)
		}
		failures = append(failures, failure)
	}
	for _, at := range c.standing.order(len(c.endpoints), c.options.Now()) {
		data, failure := c.ask(ctx, c.endpoints[at], q)
		if failure == nil || !q.passesOn(failure) {
			return data, orNil(failure)
		}
		if failures = append(failures, failure); ctx.Err() != nil {
			break
		}
		if q.tells(failure) && len(c.endpoints) > 1 {
			c.avoid(at, failure)
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
// not trusted, else an answer, else the last one.
func worst(failures []*Error) *Error {
	for _, failure := range failures {
		if failure.Code == CodeCertificate {
			return failure
		}
	}
	for _, failure := range failures {
		if failure.Status != 0 {
			return failure
		}
	}
	return failures[len(failures)-1]
}

// ask sends a question to one address.
func (c *Client) ask(ctx context.Context, base string, q *question) (json.RawMessage, *Error) {
	address := base + "/api2/json" + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, &Error{Code: CodeRefused, Request: q.request, Problem: facts.ProblemIO, Err: errors.New("the request cannot be written as a URL")}
	}
	c.identify(req)
	req.Header.Set("Accept", "application/json")
	response, err := c.http.Do(req)
	if err != nil {
		c.options.Observe(0)
		return nil, connectionError(q.request, hostOf(base), err)
	}
	c.options.Observe(response.StatusCode)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, response.Body, 4096)
		return nil, statusError(q.request, response.StatusCode, c.reason(response))
	}
	return c.readAnswer(ctx, response, q)
}

// reason gives the reason phrase: Proxmox VE puts its message there. Whatever a
// server sends, it is one short line without the token's secret.
func (c *Client) reason(response *http.Response) string {
	_, reason, _ := strings.Cut(response.Status, " ")
	return strings.TrimSpace(c.plain(reason))
}

// plain makes one short line of a text that a server sent, without secrets.
func (c *Client) plain(text string) string {
	for _, secret := range c.secrets() {
		text = strings.ReplaceAll(text, secret, "…")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	const limit = 300
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
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
