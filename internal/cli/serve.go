package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pciatlas/internal/config"
	"pciatlas/internal/server"
)

func newServe(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server: accounts, the HTTP interface and the console",
		Long: `Runs the server until it is told to stop (Ctrl-C, SIGTERM). Without any settings
it keeps its data in a folder of its own and listens at 127.0.0.1:8080. As long
as nobody can sign in, each start prints a link that makes the first
administrator; it is valid for 24 hours and once.

Flags come first, then PCIATLAS_* variables, then the file of settings, then
defaults. "pciatlas config check" takes the same flags and explains the result.

The link and the address go to standard output, the log to standard error.
Exit codes: 0 stopped, 1 it could not start or go on, 2 wrong usage.`,
		Example: `  pciatlas serve
  pciatlas serve --listen :8443 --tls-cert cert.pem --tls-key key.pem
  pciatlas serve --config /etc/pciatlas/config.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), env, cmd.Flags()) },
	}
	addSettings(cmd)
	return cmd
}

// addSettings adds the flags of the server's settings.
func addSettings(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	config.AddFlags(cmd.Flags())
}

// loadSettings gives the settings of the server, or all that is wrong with them.
func loadSettings(env Env, flags *pflag.FlagSet) (*config.Config, error) {
	settings, err := config.Load(configInput(env, flags))
	if err == nil {
		return settings, nil
	}
	invalid, ok := errors.AsType[*config.InvalidError](err)
	if !ok {
		return nil, failed(err)
	}
	var text strings.Builder
	text.WriteString(":\n")
	for _, fault := range invalid.Faults {
		text.WriteString("  " + clean(fault.String()) + "\n")
	}
	text.WriteString("`pciatlas config check` takes the same flags and explains all settings")
	return nil, failed(&advice{err: fmt.Errorf("there %s with the settings", isOrAre(len(invalid.Faults))), text: text.String()})
}

func isOrAre(faults int) string {
	if faults == 1 {
		return "is 1 fault"
	}
	return fmt.Sprintf("are %d faults", faults)
}

func runServe(ctx context.Context, env Env, flags *pflag.FlagSet) error {
	settings, err := loadSettings(env, flags)
	if err != nil {
		return err
	}
	ctx, release := lastingly(ctx)
	defer release()
	s, err := server.New(server.Options{
		Config: settings, Logger: server.NewLogger(env.Stderr, settings), Now: env.Now, Version: version,
	})
	if err != nil {
		return failed(err)
	}
	if err := s.Start(ctx); err != nil {
		return failed(fmt.Errorf("the server cannot start: %w", err))
	}
	p := &printer{w: env.Stdout}
	p.line("pciatlas %s listens at %s", version, s.URL())
	showSetup(p, s)
	return untilStopped(ctx, p.err, s.Failed(), s.Stop)
}

// untilStopped waits for the end of the context or of the server, and stops it. An
// error that is there already is a reason to stop at once.
func untilStopped(ctx context.Context, err error, broken <-chan error, stop func(context.Context) error) error {
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-broken:
		}
	}
	return failedIf(errors.Join(err, stop(context.WithoutCancel(ctx))))
}

// showSetup shows how the first administrator is made, if there is none.
func showSetup(p *printer, s *server.Server) {
	token := s.SetupToken()
	if token == "" {
		return
	}
	p.line("\nNobody can sign in yet. Open this link within 24 hours to make the first administrator:\n"+
		"  %s/setup#%s\n"+
		"or do it from here, with a password of your own of at least 12 characters in place of PASSWORD:\n"+
		"  curl -H 'Content-Type: application/json' -d '{\"token\":\"%s\",\"name\":\"admin\",\"password\":\"PASSWORD\"}' %s/api/v1/setup\n",
		s.URL(), token, token, s.URL())
}

// quietLogger logs warnings and worse for people.
func quietLogger(env Env) *slog.Logger {
	return slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
