package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pciatlas/internal/fleet"
	"pciatlas/internal/server"
	"pciatlas/internal/store"
)

func newBackup(env Env) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write everything that the server stores to a file",
		Long: `Writes accounts, API tokens, clusters, managed desktops and the audit log to FILE
(- for standard output), from SQLite or PostgreSQL, while the server may be
running. Only its owner can read the file; it is written whole or not at all.

Passwords and API tokens are in it as hashes. The tokens of clusters are in it
sealed: to use them again, keep a copy of the keyring too, in another place.
Sessions are not in it.`,
		Example: "  pciatlas backup pciatlas.backup\n  pciatlas backup - | ssh backup.example.com 'cat > pciatlas.backup'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBackup(cmd.Context(), env, cmd.Flags(), args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	addSettings(cmd)
	return cmd
}

func runBackup(ctx context.Context, env Env, flags *pflag.FlagSet, file string, force bool) error {
	settings, err := loadSettings(env, flags)
	if err != nil {
		return err
	}
	if file == "-" && env.Terminal {
		return usage("a backup is no text for a terminal: send it into a pipe, or give the name of a file")
	}
	s, err := server.OpenExisting(ctx, settings, env.Now, false)
	if err != nil {
		return failed(err)
	}
	write := func(w io.Writer) error { return s.Backup(ctx, w) }
	if file == "-" {
		err = write(env.Stdout)
	} else {
		err = writeNew(file, force, write)
	}
	if err == nil {
		err = s.AppendAudit(ctx, commandEntry(env, "backup.create"))
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return failed(fmt.Errorf("the backup failed: %w", err))
	}
	if file != "-" {
		p := &printer{w: env.Stdout}
		p.line("The backup is in %s. It needs the keyring %s to give the tokens of clusters back; keep a copy of that in another place.",
			file, settings.KeyFile)
		return failedIf(p.err)
	}
	return nil
}

// commandEntry is what the audit log says about a command of this program.
func commandEntry(env Env, action string) fleet.AuditEntry {
	return fleet.AuditEntry{
		At: env.Now(), Actor: "command line", ActorKind: fleet.System, Action: action, Object: "database", Result: fleet.Done,
	}
}

// writeNew writes a file that only its owner may read, whole or not at all. With
// force it takes the place of a regular file, never of anything that a server uses.
func writeNew(file string, force bool, write func(io.Writer) error) error {
	target, err := followLinks(file)
	if err != nil {
		return err
	}
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; give the name of one, or - for standard output", file)
	case !force:
		return fmt.Errorf("%s is there already; --force replaces it", file)
	case !isBackup(target):
		return fmt.Errorf("%s is there already and is no backup, so it is not replaced; remove it or give another name", file)
	}
	return writeWholeWith(target, write)
}

// isBackup tells whether a file may be replaced by a backup: it is compressed with
// gzip, or empty.
func isBackup(file string) bool {
	opened, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = opened.Close() }()
	var head [2]byte
	n, err := io.ReadFull(opened, head[:])
	return n == 0 && errors.Is(err, io.EOF) || head == [2]byte{0x1f, 0x8b}
}

func newRestore(env Env) *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup into an empty database",
		Long: `Reads a backup from FILE (- for standard input) into the database of the settings,
all of it or nothing. A backup of SQLite may go into PostgreSQL and the other way
round. Stop the server before.

The database has to be empty; with --replace everything in it is removed first,
the audit log included. Everybody has to sign in again.`,
		Example: "  pciatlas restore pciatlas.backup\n  pciatlas restore --database postgres://atlas@db.example.com/atlas pciatlas.backup",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRestore(cmd.Context(), env, cmd.Flags(), args[0], replace)
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "remove everything that is in the database first")
	addSettings(cmd)
	return cmd
}

func runRestore(ctx context.Context, env Env, flags *pflag.FlagSet, file string, replace bool) error {
	settings, err := loadSettings(env, flags)
	if err != nil {
		return err
	}
	in, err := openInput(env, file)
	if err != nil {
		return failed(fmt.Errorf("read the backup: %w", err))
	}
	defer func() { _ = in.Close() }()
	s, err := server.OpenStore(ctx, settings, env.Now)
	if err != nil {
		return failed(err)
	}
	err = s.Restore(ctx, in, replace, commandEntry(env, "backup.restore"))
	if errors.Is(err, store.ErrNotEmpty) {
		err = fmt.Errorf("%w: --replace removes everything in it first, the audit log included", err)
	}
	if err == nil {
		err = sayRestored(ctx, env, s, settings.KeyFile)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return failed(fmt.Errorf("restore %s: %w", file, err))
	}
	return nil
}

// sayRestored says what is there now, and which tokens the keyring does not fit.
func sayRestored(ctx context.Context, env Env, s *store.Store, keyFile string) error {
	clusters, err := s.Clusters(ctx)
	if err != nil {
		return err
	}
	admins, err := s.CountAdministrators(ctx)
	if err != nil {
		return err
	}
	p := &printer{w: env.Stdout}
	p.line("The backup is restored: %s, %s.", plural(admins, "administrator"), plural(len(clusters), "cluster"))
	for i := range clusters {
		_, err := s.ClusterSecret(ctx, clusters[i].Name)
		switch {
		case errors.Is(err, store.ErrNoKey), errors.Is(err, store.ErrSealed):
			p.line("The token of cluster %s cannot be read with the keyring %s: put the keyring of the backup's time there, or enter the token again.",
				clusters[i].Name, keyFile)
		case err != nil:
			return err
		}
	}
	return p.err
}

// openInput opens a regular file or a pipe, and standard input for "-".
func openInput(env Env, file string) (io.ReadCloser, error) {
	if file == "-" {
		if env.Stdin == nil {
			return nil, errors.New("there is no standard input to read from")
		}
		return io.NopCloser(env.Stdin), nil
	}
	info, err := os.Stat(file)
	if err == nil {
		err = checkKind(file, info, true)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(file)
}
