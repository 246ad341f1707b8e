package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pciatlas/internal/pvesim"
)

func newDemo(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show what pciatlas says about a built-in example cluster",
		Long: `Starts a simulated cluster of Proxmox VE on a port of this machine, asks its API
as scan, device and vm would ask a real one, and stops it again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env) },
	}
}

func runDemo(ctx context.Context, env Env) error {
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Second})
	if err != nil {
		return failed(fmt.Errorf("start the example cluster: %w", err))
	}
	defer server.Close()
	with := env
	with.Getenv = func(key string) string {
		if key == "PCIATLAS_TOKEN" {
			return pvesim.DemoToken
		}
		return env.Getenv(key)
	}
	fmt.Fprintf(env.Stdout, "An example: a cluster of four nodes, one of which is off, simulated on this machine.\n"+
		"Each command below is also given\n  --endpoint %s --token-file FILE \\\n  --tls-fingerprint %s\n", server.URL, server.Fingerprint)
	flags := []string{"--endpoint", server.URL, "--tls-fingerprint", server.Fingerprint, "--cluster", "lab"}
	for _, args := range [][]string{
		{"scan"},
		{"device", "02:00.0", "--node", "pve-a"},
		{"vm", "103"},
		{"explain", "hostpci", "01:00,pcie=1"},
	} {
		fmt.Fprintf(env.Stdout, "\n$ pciatlas %s\n\n", strings.Join(args, " "))
		if args[0] != "explain" {
			args = append(args, flags...)
		}
		if code := Run(ctx, args, with); code != exitDone {
			return &exitError{code: code}
		}
	}
	fmt.Fprintln(env.Stdout, "\nOn a node of Proxmox VE, run as root, it needs no flags: pciatlas scan")
	return nil
}
