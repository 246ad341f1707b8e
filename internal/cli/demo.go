package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/pvesim"
)

func newDemo(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show what pciatlas says about a built-in example cluster",
		Long: `Writes the files of an example node to a temporary folder, reads them as scan,
vm and device would read a real node, and removes the folder again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env) },
	}
}

func runDemo(ctx context.Context, env Env) error {
	folder, err := os.MkdirTemp("", "pciatlas-demo-")
	if err != nil {
		return failed(fmt.Errorf("make a folder for the example: %w", err))
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := pvesim.Demo().Tree(pvesim.DemoNode).WriteTo(folder); err != nil {
		return failed(fmt.Errorf("write the example node: %w", err))
	}
	fmt.Fprintln(env.Stdout, "An example: node pve-a of a cluster of four, as its root would see it.")
	for _, args := range [][]string{
		{"scan"},
		{"device", "02:00.0"},
		{"vm", "103"},
		{"explain", "hostpci", "01:00,pcie=1"},
	} {
		fmt.Fprintf(env.Stdout, "\n$ pciatlas %s\n\n", strings.Join(args, " "))
		if args[0] != "explain" {
			args = append(args, "--root", folder)
		}
		if code := Run(ctx, args, env); code != exitDone {
			return &exitError{code: code}
		}
	}
	fmt.Fprintln(env.Stdout, "\nOn a node of Proxmox VE, run as root: pciatlas scan")
	return nil
}
