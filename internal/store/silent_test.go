package store_test

import (
	"net"
	"strconv"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// silentServer gives the address of a server that never says a word.
func silentServer(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}
