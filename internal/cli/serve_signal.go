package cli

import (
	"context"
	"os/signal"
	"syscall"
)

// lastingly gives the context of a command that runs until it is told to stop. The
// reader of its output and log may go away meanwhile: that is an error of a write,
// not the end of the process. With further signals it stops as with SIGTERM.
func lastingly(ctx context.Context, further ...syscall.Signal) (lasting context.Context, stop context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	for _, s := range further {
		next, end := signal.NotifyContext(ctx, s)
		before := cancel
		ctx, cancel = next, func() { end(); before() }
	}
	return ctx, cancel
}
