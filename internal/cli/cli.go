// Package cli is the command line of pciatlas: one file for each command. It
// reads through hostfs and pveapi, computes through atlas and only presents what comes out.
// Nobody imports it but cmd/pciatlas.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Exit codes of every command but check.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitIncomplete = 3
)

// Env is what a command sees of the process it runs in.
type Env struct {
	Stdout, Stderr io.Writer
	// Stdin is read where a file is named "-"; nil: there is none.
	Stdin  io.Reader
	Getenv func(string) string
	Now    func() time.Time
	// Terminal tells whether Stdout is a terminal, and how many columns it has.
	Terminal bool
	Columns  int
	// Root is the root folder of this machine.
	Root string
	// args is the command line that Run was given, for advice that repeats it.
	args []string
}

// System gives the environment of the running process.
func System() Env {
	env := Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Columns: 100, Root: "/"}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		env.Terminal = true
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			env.Columns = width
		}
	}
	return env
}

// Run executes one command line and gives its exit code.
func Run(ctx context.Context, args []string, env Env) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	out := &stickyWriter{w: env.Stdout}
	env.Stdout, env.args = out, args
	root := newRoot(env)
	root.SetOut(quietWriter{out})             // cobra reports a failed write as if it were of the command
	root.SetArgs(append([]string{}, args...)) // never nil: that would mean os.Args
	err := root.ExecuteContext(ctx)
	var exit *exitError
	if out.err != nil && !saidAll(err) {
		err = failed(fmt.Errorf("the output could not be written: %w", out.err))
	}
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintln(env.Stderr, "pciatlas: "+errorText(ctx, exit.err))
		}
		return exit.code
	default:
		fmt.Fprintln(env.Stderr, "pciatlas: "+cleanLines(err.Error())) // cobra's words, of several lines
		fmt.Fprintln(env.Stderr, "Try: pciatlas help")
		return exitUsage
	}
}

// errorText gives an error in words for a terminal. Of line breaks in it, only those
// of an advice are the program's own.
func errorText(ctx context.Context, err error) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "interrupted"
	}
	if long, ok := errors.AsType[*advice](err); ok {
		return clean(strings.TrimSuffix(err.Error(), long.text)) + cleanLines(long.text)
	}
	return clean(err.Error())
}

// advice is an error with what a person can do about it. The text follows the error
// and may have several lines; data in it is clean already.
type advice struct {
	err  error
	text string
}

func (a *advice) Error() string { return a.err.Error() + a.text }

func (a *advice) Unwrap() error { return a.err }

// exitError ends a command with a code; err is nil if everything was said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// saidAll tells whether a failure has been reported already.
func saidAll(err error) bool {
	exit, ok := errors.AsType[*exitError](err)
	return ok && exit.code == exitFailed && exit.err == nil
}

// stickyWriter remembers the first error of its writer.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(data []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(data)
	s.err = err
	return n, err
}

// quietWriter takes everything and leaves errors to the writer behind it.
type quietWriter struct{ w io.Writer }

func (q quietWriter) Write(data []byte) (int, error) {
	_, _ = q.w.Write(data)
	return len(data), nil
}

// failedIf is failed for an error, nil for none.
func failedIf(err error) error {
	if err == nil {
		return nil
	}
	return failed(err)
}

func failed(err error) error { return &exitError{exitFailed, err} }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

const longHelp = `pciatlas tells which VM of a Proxmox VE cluster names which GPU or other PCI
device, how sure that is, and what could not be read.

On a node of Proxmox VE it needs no set-up: run it as root, and it reads the
node's devices and the configuration files of the whole cluster. It only reads.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 incomplete (with --require-complete);
those of check are its own.`

func newRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "pciatlas",
		Short:         "Which VM holds which GPU, and how sure is that",
		Long:          longHelp,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetErr(env.Stderr)
	root.AddCommand(
		newScan(env), newVM(env), newDevice(env), newCheck(env), newMapping(env), newPlace(env), newEvacuate(env), newDoctor(env), newExplain(env), newSnapshot(env),
		newServe(env), newDemo(env), newConfig(env), newBackup(env), newRestore(env), newRotateKey(env),
		newVersion(env), newMan(root),
	)
	return root
}
