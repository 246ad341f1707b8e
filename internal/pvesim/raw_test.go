package pvesim_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// rawConn is a bare connection to a simulated server.
type rawConn struct {
	net.Conn
	br   *bufio.Reader
	sent time.Time // when the last request was written
}

// dial opens a bare TLS connection that trusts what a client trusts.
func dial(t testing.TB, c *http.Client, url string) *rawConn {
	t.Helper()
	transport, ok := c.Transport.(*http.Transport)
	if !ok {
		t.Fatal("no transport")
	}
	config := transport.TLSClientConfig.Clone()
	config.NextProtos = nil
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: config}
	nc, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return &rawConn{Conn: nc, br: bufio.NewReader(nc)}
}

// get sends a request with one header and reads the answer.
func (c *rawConn) get(t testing.TB, target, authorization string) answer {
	t.Helper()
	c.write(t, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: pve\r\nAuthorization: %s\r\n\r\n", target, authorization))
	return c.read(t)
}

func (c *rawConn) write(t testing.TB, text string) {
	t.Helper()
	c.sent = time.Now()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func (c *rawConn) read(t testing.TB) answer {
	t.Helper()
	response, err := http.ReadResponse(c.br, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{
		status: response.Status, code: response.StatusCode, contentType: response.Header.Get("Content-Type"), body: body,
		took: time.Since(c.sent), connection: "Keep-Alive",
	}
	if response.Close {
		a.connection = "close"
	}
	return a
}

// closed tells whether the server has closed the connection.
func (c *rawConn) closed(t testing.TB, within time.Duration) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	_, err := c.br.ReadByte()
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return false
	}
	return err != nil
}
