package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pciatlas/internal/server"
)

func newRotateKey(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate-key",
		Short: "Seal the stored tokens of clusters with a new key",
		Long: `Makes a new key in the keyring, seals every stored token of a cluster anew, and
drops the keys that nothing needs any more. The server may be running. It may be
interrupted at any point: the tokens stay readable, and running it again ends the
work. Backups made before need the keyring of their time.`,
		Example: "  pciatlas rotate-key\n  pciatlas rotate-key --config /etc/pciatlas/config.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runRotateKey(cmd.Context(), env, cmd.Flags()) },
	}
	addSettings(cmd)
	return cmd
}

func runRotateKey(ctx context.Context, env Env, flags *pflag.FlagSet) error {
	settings, err := loadSettings(env, flags)
	if err != nil {
		return err
	}
	s, err := server.OpenExisting(ctx, settings, env.Now, true)
	if err != nil {
		return failed(err)
	}
	sealed, err := s.RotateKey(ctx, commandEntry(env, "key.rotate"))
	if err := errors.Join(err, s.Close()); err != nil {
		return failed(fmt.Errorf("the key was not changed everywhere: %w", err))
	}
	p := &printer{w: env.Stdout}
	p.line("There is a new key in %s, and %s sealed with it. Keep a new copy of this file.", settings.KeyFile, sealedTokens(sealed))
	return failedIf(p.err)
}

func sealedTokens(count int) string {
	if count == 1 {
		return "1 token is"
	}
	return fmt.Sprintf("%d tokens are", count)
}
