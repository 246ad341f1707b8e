package pveapi

import (
	"context"
	"net"
	"net/http"
)

// DialWith makes the client get its connections from dial, as they are: without
// TLS.
func (c *Client) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	if transport, ok := c.http.Transport.(*http.Transport); ok {
		transport.DialTLSContext = dial
	}
}

// KeepNothing makes the client connect anew for each request: a simulated server
// takes a connection over with all that follows on it.
func (c *Client) KeepNothing() {
	if transport, ok := c.http.Transport.(*http.Transport); ok {
		transport.DisableKeepAlives = true
	}
}
