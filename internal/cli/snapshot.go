package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
)

type snapshotOptions struct {
	source    source
	anonymise bool
}

func newSnapshot(env Env) *cobra.Command {
	var options snapshotOptions
	cmd := &cobra.Command{
		Use:   "snapshot FILE",
		Short: "Write everything that was read to a file, to be analysed elsewhere",
		Long: `Reads like scan and writes what was read to FILE (- for standard output). Every
command takes such a file with --from. It holds devices, the configuration keys
that matter to passthrough, mappings, and what could not be read; never custom
arguments, hook scripts, passwords or tokens.

With --anonymize names of nodes and VMs, tags, mapping ids and descriptions are
replaced by pseudonyms. Addresses, ids, groups and VMIDs stay.`,
		Example: "  pciatlas snapshot cluster.json\n  pciatlas snapshot --anonymize - | less\n  pciatlas scan --from cluster.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSnapshot(cmd.Context(), env, &options, args[0])
		},
	}
	options.source.addFlags(cmd)
	cmd.Flags().BoolVar(&options.anonymise, "anonymize", false, "replace names by pseudonyms")
	return cmd
}

func runSnapshot(ctx context.Context, env Env, options *snapshotOptions, file string) error {
	snapshot, err := options.source.snapshot(ctx, env, pveapi.Request{Policy: true})
	if err != nil {
		return err
	}
	if options.anonymise {
		if snapshot, err = facts.Anonymise(&snapshot); err != nil {
			return failed(err)
		}
	}
	data, err := facts.Encode(&snapshot)
	if err != nil {
		return failed(err)
	}
	if file == "-" {
		if _, err := env.Stdout.Write(data); err != nil {
			return failed(fmt.Errorf("write the snapshot: %w", err))
		}
		return nil
	}
	if err := writeFile(ctx, file, data); err != nil {
		return failed(fmt.Errorf("write the snapshot: %w", err))
	}
	return nil
}
