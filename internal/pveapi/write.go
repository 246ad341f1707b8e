package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// writeTime is how long one request that changes something may take. An entry node
// gives another node 30 s.
const writeTime = 40 * time.Second

// writing is one request that is not a question.
type writing struct {
	method, node, path string
	form               url.Values
	anonymous          bool // nobody says who they are
	answers            bool // the answer holds data
}

// Refused gives the sentence of Proxmox VE if it answered that it did not do what it
// was asked to. A node that could not be reached has said nothing.
func (e *Error) Refused() (sentence string, refused bool) {
	return e.Reason, e.Status >= 400 && e.Status < 595
}

// write sends a request once. It is sent to another entry node only if the one
// before could not be connected to, so that it never has its effect twice.
func (c *Client) write(ctx context.Context, w *writing) (json.RawMessage, error) {
	release, err := c.acquire(ctx, w.node)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	var bases []string
	if base, ok := c.nodes[w.node]; ok && w.node != "" {
		bases = append(bases, base)
	}
	for _, at := range c.standing.order(len(c.endpoints), c.options.Now()) {
		bases = append(bases, c.endpoints[at])
	}
	var failure *Error
	for _, base := range bases {
		var data json.RawMessage
		var sent bool
		data, sent, failure = c.writeAt(ctx, base, w)
		if failure == nil {
			return data, nil
		}
		if sent || ctx.Err() != nil {
			break
		}
	}
	return nil, failure
}

// writeAt sends a request to one address, and tells whether it can have arrived.
func (c *Client) writeAt(ctx context.Context, base string, w *writing) (data json.RawMessage, sent bool, failure *Error) {
	request := w.method + " " + w.path
	var body io.Reader = http.NoBody
	if len(w.form) > 0 {
		body = strings.NewReader(w.form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, w.method, base+"/api2/json"+w.path, body)
	if err != nil {
		return nil, true, &Error{Code: CodeRefused, Request: request, Problem: facts.ProblemIO, Err: errors.New("the request cannot be written as a URL")}
	}
	req.GetBody = nil // nothing is sent a second time by itself
	if len(w.form) > 0 {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	if !w.anonymous {
		c.identify(req)
	}
	response, err := c.http.Do(req)
	if err != nil {
		c.options.Observe(0)
		operation, ok := errors.AsType[*net.OpError](err)
		failure := connectionError(request, hostOf(base), err)
		return nil, (!ok || operation.Op != "dial") && failure.Code != CodeCertificate, failure
	}
	c.options.Observe(response.StatusCode)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		return nil, true, statusError(request, response.StatusCode, c.reason(response)+c.faults(body))
	}
	if !w.answers {
		_, _ = io.CopyN(io.Discard, response.Body, smallBody)
		return nil, true, nil
	}
	data, failure = c.readAnswer(ctx, response, &question{path: w.path, request: request})
	return data, true, failure
}

// faults gives what Proxmox VE says of each parameter that it refuses, in brackets; the
// reason alone only says that some are wrong.
func (c *Client) faults(body []byte) string {
	var answer struct {
		Errors map[string]string `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(answer.Errors)) {
		texts = append(texts, name+": "+strings.TrimSpace(answer.Errors[name]))
	}
	return " (" + c.plain(strings.Join(texts, "; ")) + ")"
}

// Changer carries out the requests of plans, and reads what they are about.
type Changer struct{ client *Client }

// Changes gives the changer of a cluster, with the credential of the client.
func (c *Client) Changes() *Changer { return &Changer{client: c} }

// Do sends a request of a plan, with the digest that the file must still have if it
// is not "". The error is an *Error, or the context's.
func (c *Changer) Do(ctx context.Context, request plan.Request, digest string) error {
	form := url.Values{}
	for _, p := range request.Params {
		form.Add(p.Name, p.Value)
	}
	if digest != "" {
		form.Set("digest", digest)
	}
	_, err := c.client.write(ctx, &writing{method: request.Method, node: request.Node, path: request.Path, form: form})
	return err
}

// Mappings are those that the credential is shown, by name.
func (c *Changer) Mappings(ctx context.Context) ([]pve.Mapping, error) {
	data, err := c.client.get(ctx, "", "/cluster/mapping/pci", nil, c.time)
	if err != nil {
		return nil, err
	}
	const request = "GET /cluster/mapping/pci"
	mappings, problems, err := decodeRows(request, data, mappingRow)
	if err == nil && len(problems) > 0 {
		err = malformed(request, errors.New(problems[0].Message))
	}
	slices.SortStableFunc(mappings, func(a, b pve.Mapping) int { return strings.Compare(a.ID, b.ID) })
	return mappings, err
}

// VM is the configuration of a VM with what is pending.
func (c *Changer) VM(ctx context.Context, node string, vmid int) ([]pve.Item, error) {
	path := fmt.Sprintf("/nodes/%s/qemu/%d/pending", node, vmid)
	data, err := c.client.get(ctx, node, path, nil, c.time)
	if err != nil {
		return nil, err
	}
	request := "GET " + path
	items, problems, err := decodeRows(request, data, itemRow)
	if err == nil && len(problems) > 0 {
		err = malformed(request, errors.New(problems[0].Message))
	}
	if err == nil && !slices.ContainsFunc(items, func(item pve.Item) bool { return item.Key == "digest" }) {
		err = malformed(request, errors.New("the list lacks the digest that every configuration has"))
	}
	return items, err
}

func (c *Changer) time() time.Duration { return c.client.options.Limits.Request }
