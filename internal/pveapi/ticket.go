package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/sync/semaphore"
)

// Codes of errors of SignIn.
const (
	// CodeLogin: Proxmox VE did not accept the name, the password or the second factor.
	CodeLogin = "pve_login"
	// CodeSecondFactor: the user has a second factor, and none was given.
	CodeSecondFactor = "pve_second_factor"
)

// Login is a user of Proxmox VE who signs in for one task. Nothing of it is kept.
type Login struct {
	User     string // USER@REALM
	Password string
	// OTP is the code of an authenticator app, "" if the user has none.
	OTP string
}

// String gives the user without the secrets.
func (l Login) String() string { return l.User }

// GoString gives the user without the secrets.
func (l Login) GoString() string { return l.User }

// ticket is what a user has who has signed in. It is valid on all nodes.
type ticket struct {
	user, ticket, csrf string
	// password is known so that no message repeats it.
	password string
}

// secrets are the texts that no output may hold.
func (c *Client) secrets() []string {
	list := make([]string, 0, 4)
	for _, secret := range []string{c.options.Token.Secret, c.ticketOf().ticket, c.ticketOf().csrf, c.ticketOf().password} {
		if secret != "" {
			list = append(list, secret)
		}
	}
	return list
}

func (c *Client) ticketOf() ticket {
	if c.ticket == nil {
		return ticket{}
	}
	return *c.ticket
}

// identify says who asks: the user with the ticket, else the token. Only a ticket
// needs the second header, and only to change something.
func (c *Client) identify(req *http.Request) {
	if c.ticket == nil {
		req.Header.Set("Authorization", c.options.Token.header())
		return
	}
	req.Header.Set("Cookie", "PVEAuthCookie="+url.QueryEscape(c.ticket.ticket))
	if req.Method != http.MethodGet {
		req.Header.Set("Csrfpreventiontoken", c.ticket.csrf)
	}
}

// SignIn gives a client for the same cluster that asks as a user. The ticket is valid
// for two hours at most and is dropped with the client.
func (c *Client) SignIn(ctx context.Context, login Login) (*Client, error) {
	signed := c.clone()
	signed.ticket = &ticket{password: login.Password} // sends no token along
	answer, err := signed.askTicket(ctx, url.Values{"username": {login.User}, "password": {login.Password}})
	if err != nil {
		return nil, err
	}
	if answer.needsFactor() {
		if login.OTP == "" {
			return nil, &Error{Code: CodeSecondFactor, Request: ticketRequest, Err: errors.New("this user has a second factor; give its code, too")}
		}
		answer, err = signed.askTicket(ctx, url.Values{
			"username": {login.User}, "password": {"totp:" + login.OTP}, "tfa-challenge": {answer.Ticket.text},
		})
		if err != nil {
			return nil, err
		}
	}
	if answer.Ticket.text == "" || answer.CSRF.text == "" || answer.needsFactor() {
		return nil, malformed(ticketRequest, errors.New("the answer holds no ticket"))
	}
	signed.ticket = &ticket{user: login.User, ticket: answer.Ticket.text, csrf: answer.CSRF.text, password: login.Password}
	return signed, nil
}

const ticketRequest = "POST /access/ticket"

type ticketAnswer struct {
	Ticket  scalar `json:"ticket"`
	CSRF    scalar `json:"CSRFPreventionToken"`
	NeedTFA scalar `json:"NeedTFA"`
}

func (a *ticketAnswer) needsFactor() bool {
	return a.NeedTFA.flag() || strings.HasPrefix(a.Ticket.text, "PVE:!tfa!")
}

func (c *Client) askTicket(ctx context.Context, form url.Values) (ticketAnswer, error) {
	var answer ticketAnswer
	data, err := c.write(ctx, &writing{method: http.MethodPost, path: "/access/ticket", form: form, anonymous: true, answers: true})
	if failure, ok := errors.AsType[*Error](err); ok && failure.Status == http.StatusUnauthorized {
		return answer, &Error{
			Code: CodeLogin, Status: failure.Status, Reason: failure.Reason, Request: ticketRequest,
			Err: errors.New("the user, the password or the second factor is not right"),
		}
	}
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return answer, malformed(ticketRequest, errors.New(plainJSON(err)))
	}
	return answer, nil
}

// clone gives a client with the same addresses and limits, and a count of its own.
func (c *Client) clone() *Client {
	return &Client{
		options: c.options, endpoints: c.endpoints, nodes: c.nodes, http: c.http, cluster: c.cluster, large: c.large,
		byEntry: map[string]*semaphore.Weighted{}, byTarget: map[string]*semaphore.Weighted{},
	}
}
