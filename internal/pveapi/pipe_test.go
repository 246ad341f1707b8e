package pveapi_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"

	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// pipeClient makes a client that asks the handlers, one for each entry node, through
// memory, without TLS. In a
// bubble of synctest time passes only while all of them wait, so that limits of
// time cost no time and hold on a busy machine, too.
func pipeClient(t *testing.T, limits pveapi.Limits, handlers ...http.Handler) *pveapi.Client {
	t.Helper()
	options := pveapi.Options{Cluster: "lab", Token: parseToken(t, pvesim.DemoToken), Limits: limits}
	byHost := map[string]http.Handler{}
	for i, handler := range handlers {
		host := fmt.Sprintf("127.0.0.%d:8006", i+1)
		options.Endpoints, byHost[host] = append(options.Endpoints, "https://"+host), handler
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { byHost[r.Host].ServeHTTP(w, r) })
	client, err := pveapi.New(options)
	if err != nil {
		t.Fatal(err)
	}
	listener := &pipeListener{arrived: make(chan net.Conn), closed: make(chan struct{})}
	client.DialWith(listener.dial)
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) }) // ends with ErrServerClosed
	t.Cleanup(func() {
		client.Close()
		_ = server.Close() // what can be closed is
		listener.closeAll()
		running.Wait()
	})
	return client
}

// pipeListener hands one end of each connection to the server.
type pipeListener struct {
	arrived chan net.Conn
	closed  chan struct{}
	once    sync.Once
	mu      sync.Mutex
	ends    []net.Conn
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	l.mu.Lock()
	l.ends = append(l.ends, near, far)
	l.mu.Unlock()
	select {
	case l.arrived <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case end := <-l.arrived:
		return end, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr gives the address of the pipes.
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// closeAll ends all connections, those that a handler took over, too.
func (l *pipeListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, end := range l.ends {
		_ = end.Close() // closed is what it shall be
	}
}
