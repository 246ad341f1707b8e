package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// lastingly gives the context of a command that runs until it is told to stop. The
// reader of its output and log may go away meanwhile: that is an error of a write,
// not the end of the process. With further signals it stops as with SIGTERM.
func lastingly(ctx context.Context, further ...os.Signal) (lasting context.Context, stop context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	if len(further) == 0 {
		return context.WithCancel(ctx) // NotifyContext would take every signal
	}
	return signal.NotifyContext(ctx, further...)
}
