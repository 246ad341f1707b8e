package pvesim

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// conn is a client's connection, taken over from net/http: its ResponseWriter
// can neither send PVE's reason phrases nor leave a body unfinished.
type conn struct {
	net.Conn
	br   *bufio.Reader
	left int // requests until the connection is closed
}

// serve takes the connection over and answers requests on it until one side
// closes it. Where it cannot be taken over (HTTP/2, a recorder of httptest), one
// answer is written without PVE's reason phrase.
func (f *Instruments) serve(w http.ResponseWriter, r *http.Request, set settings, answer func(*request) reply) {
	req := takeRequest(r)
	nc, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		f.plain(w, r, req, set, answer)
		return
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Time{}) // those of net/http; a closed connection shows on the next write
	f.opened()
	c := &conn{Conn: nc, br: buffered.Reader, left: set.keepAlive}
	for f.exchange(c, req, set, answer) {
		_ = c.SetReadDeadline(time.Now().Add(set.idle))
		if req, err = readRequest(c.br); err != nil {
			return
		}
	}
	c.finish()
}

// exchange answers one request; keep tells whether another may follow.
func (f *Instruments) exchange(c *conn, req *request, set settings, answer func(*request) reply) (keep bool) {
	if req.oversize {
		return false
	}
	c.left--
	end := sync.OnceFunc(f.begin(req))
	defer end()
	rep := f.withFaults(req, set, answer)
	if rep.slot != nil {
		if !c.hold(func(ctx context.Context) bool { return acquire(ctx, rep.slot) }) {
			return false
		}
		defer func() { <-rep.slot }()
	}
	if rep.delay > 0 && !c.hold(func(ctx context.Context) bool { return sleep(ctx, rep.delay) }) {
		return false
	}
	return c.send(req, &rep, end)
}

// hold waits while it watches whether the client goes away.
func (c *conn) hold(wait func(context.Context) bool) bool {
	ctx, stop := c.watch()
	defer stop()
	return wait(ctx)
}

// watch gives a context that ends when the client closes the connection.
func (c *conn) watch() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	_ = c.SetReadDeadline(time.Time{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := c.br.Peek(1); err != nil {
			cancel()
		}
	}()
	return ctx, func() {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // ends the Peek
		<-done
		cancel()
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func acquire(ctx context.Context, slot chan struct{}) bool {
	select {
	case slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// send writes an answer, the way its mode says; keep tells whether the
// connection stays open. It calls end before the last bytes leave: from then on
// the client may ask the next question.
func (c *conn) send(req *request, rep *reply, end func()) (keep bool) {
	switch rep.mode {
	case wireDrop:
		return false
	case wireHang:
		c.hold(func(ctx context.Context) bool { <-ctx.Done(); return false })
		return false
	case wireOversize:
		c.stream(req, rep)
		return false
	case wireNormal, wireCut, wireSlow:
	}
	body := rep.body
	keep = rep.status < http.StatusBadRequest && len(body) > 0 && c.left > 0 && !req.lastOne && !req.http10
	head := c.head(req, rep, &body, keep)
	switch rep.mode {
	case wireCut:
		_, _ = c.Write(append(head, body[:len(body)/2]...)) // the client notices, or not
		return false
	case wireSlow:
		return c.trickle(head, body, rep.pace) && keep
	case wireNormal, wireDrop, wireHang, wireOversize:
	}
	end()
	_, err := c.Write(append(head, body...))
	return err == nil && keep
}

// head gives the status line and the headers; it packs the body if the client
// takes that.
func (c *conn) head(req *request, rep *reply, body *[]byte, keep bool) []byte {
	proto := "HTTP/1.1"
	if req.http10 {
		proto = "HTTP/1.0"
	}
	now := time.Now().UTC().Format(http.TimeFormat)
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %d %s\r\nCache-Control: max-age=0\r\nConnection: %s\r\nDate: %s\r\nPragma: no-cache\r\nServer: pve-api-daemon/3.0\r\n",
		proto, rep.status, cmp.Or(rep.reason, http.StatusText(rep.status)), connectionHeader(keep), now)
	if req.gzip && len(*body) > 1024 {
		*body = pack(*body)
		head.WriteString("Content-Encoding: gzip\r\n")
	}
	if len(*body) > 0 {
		head.WriteString("Content-Length: " + strconv.Itoa(len(*body)) + "\r\n")
	}
	if rep.contentType != "" {
		head.WriteString("Content-Type: " + rep.contentType + "\r\n")
	}
	if rep.location != "" {
		head.WriteString("Location: " + rep.location + "\r\n")
	}
	head.WriteString("Expires: " + now + "\r\n\r\n")
	return head.Bytes()
}

func connectionHeader(keep bool) string {
	if keep {
		return "Keep-Alive"
	}
	return "close"
}

var packers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func pack(body []byte) []byte {
	var out bytes.Buffer
	packer, ok := packers.Get().(*gzip.Writer)
	if !ok {
		return body
	}
	defer packers.Put(packer)
	packer.Reset(&out)
	if _, err := packer.Write(body); err != nil {
		return body
	}
	if err := packer.Close(); err != nil {
		return body
	}
	return out.Bytes()
}

// trickle sends the body byte by byte.
func (c *conn) trickle(head, body []byte, pace time.Duration) bool {
	if _, err := c.Write(head); err != nil {
		return false
	}
	return c.hold(func(ctx context.Context) bool {
		for i := range body {
			if _, err := c.Write(body[i : i+1]); err != nil || !sleep(ctx, pace) {
				return false
			}
		}
		return true
	})
}

// stream sends a list that has no end, until the client goes away.
func (c *conn) stream(req *request, rep *reply) {
	var none []byte
	if _, err := c.Write(append(c.head(req, rep, &none, false), `{"data":[{}`...)); err != nil {
		return
	}
	row := []byte(strings.Repeat(`,{"id":"0000:01:00.0","name":"`+strings.Repeat("x", 64)+`"}`, 256))
	for {
		if _, err := c.Write(row); err != nil {
			return
		}
	}
}

// finish says goodbye so that the last answer arrives whole.
func (c *conn) finish() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the connection is closed next anyway
	}
}

// plain answers without taking the connection over.
func (f *Instruments) plain(w http.ResponseWriter, r *http.Request, req *request, set settings, answer func(*request) reply) {
	end := f.begin(req)
	defer end()
	rep := f.withFaults(req, set, answer)
	if rep.slot != nil && acquire(r.Context(), rep.slot) {
		defer func() { <-rep.slot }()
	}
	if rep.delay > 0 && !sleep(r.Context(), rep.delay) || req.oversize {
		panic(http.ErrAbortHandler)
	}
	if rep.mode == wireHang {
		<-r.Context().Done()
	}
	if rep.mode != wireNormal && rep.mode != wireSlow {
		panic(http.ErrAbortHandler)
	}
	if rep.contentType != "" {
		w.Header().Set("Content-Type", rep.contentType)
	}
	if rep.location != "" {
		w.Header().Set("Location", rep.location)
	}
	w.WriteHeader(rep.status)
	_, _ = w.Write(rep.body) // nobody is told when the client is gone
}
