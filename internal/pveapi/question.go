package pveapi

import (
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"pciatlas/internal/facts"
)

// question is one request, wherever it is sent.
type question struct {
	node    string // that the request is for, "" for the cluster
	path    string
	query   url.Values
	request string // in words
}

func newQuestion(node, path string, query url.Values) *question {
	q := &question{node: node, path: path, query: query, request: "GET " + path}
	if len(query) > 0 {
		q.request += "?" + query.Encode()
	}
	return q
}

const (
	pathVersion   = "/version"
	pathNodes     = "/nodes"
	pathResources = "/cluster/resources"
)

// telling tells whether an entry node that cannot answer this cannot answer much:
// these are the questions that a report stands on.
func (q *question) telling() bool {
	return q.path == pathVersion || q.path == pathNodes || q.path == pathResources
}

// tells is whether a failure says something about the entry node, not only about
// what was asked.
func (q *question) tells(failure *Error) bool { return failure.Status == 0 || q.telling() }

// patience is how long an entry node may be silent before the next one is asked too,
// so that all of them are asked within the time of one request.
func (q *question) patience(request time.Duration, entries int) time.Duration {
	wait := patience
	if q.path == pathVersion {
		wait = firstPatience
	}
	return min(wait, request/time.Duration(entries+1))
}

// passesOn tells whether another entry node could do better. A credential that is
// refused is refused by all; what Proxmox VE does not know or allow, it does not
// know or allow anywhere. What fails for a node may be the node's.
func (q *question) passesOn(failure *Error) bool {
	switch status := failure.Status; {
	case status == 0:
		return true
	case status == 401:
		return false
	case q.telling():
		return true // everybody may ask that
	case status == 200 && failure.Problem == facts.ProblemTooLarge:
		return q.node == ""
	case status < 400:
		return true // another page, or none of Proxmox VE
	default:
		return q.node == "" && status >= 500 && status != 501
	}
}

// check looks at the data of an answer to a telling question: nil if it is what
// Proxmox VE sends.
func (q *question) check(data json.RawMessage) *Error {
	var err error
	switch q.path {
	case pathVersion:
		_, err = decodeVersion(data)
	case pathNodes:
		err = anyRow(q.request, data, func(row json.RawMessage) (facts.Member, error) { return memberRow(row, map[string]int64{}) })
	case pathResources:
		if err = anyRow(q.request, data, guestRow); errors.Is(err, errNoRows) {
			err = nil // who may see no guest sees none
		}
	}
	if err == nil {
		return nil
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure
	}
	return malformed(q.request, err)
}

var errNoRows = errors.New("the list is empty, although every cluster has a node")

// anyRow tells whether a list has a row that is as expected.
func anyRow[T any](request string, data json.RawMessage, convert func(json.RawMessage) (T, error)) error {
	rows, problems, err := decodeRows(request, data, convert)
	switch {
	case err != nil:
		return err
	case len(rows) > 0:
		return nil
	case len(problems) > 0:
		return errors.New(problems[0].Message)
	default:
		return errNoRows
	}
}
