package cli

import (
	"context"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pciatlas/internal/server"
)

func newDemo(env Env) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the server with simulated clusters, to try everything out",
		Long: `Runs the server on this machine with three simulated clusters of Proxmox VE
behind it: lab has every kind of reference and a node that is off, office has
the same GPU on two nodes and no mapping for it, and takes changes, plant is an
old host whose token does not see all VMs. It needs no settings and takes none. Only this machine can
reach it, because everybody knows its passwords. All it stores is in a folder
that is removed when it stops (Ctrl-C).`,
		Example: "  pciatlas demo\n  pciatlas demo --listen 127.0.0.1:8080",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env, listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "listen at this loopback `HOST:PORT`; port 0 takes a free one")
	return cmd
}

func runDemo(ctx context.Context, env Env, listen string) error {
	if err := server.CheckLoopback(listen); err != nil {
		return usage("%w", err)
	}
	// A terminal that is closed or Ctrl-\ leave nothing behind, either.
	ctx, release := lastingly(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer release()
	demo, err := server.StartDemo(ctx, server.DemoOptions{
		Listen: listen, Logger: quietLogger(env), Now: env.Now, Version: version,
	})
	if err != nil {
		return failed(fmt.Errorf("the demo cannot start: %w", err))
	}
	p := &printer{w: env.Stdout}
	showDemo(p, demo)
	return untilStopped(ctx, p.err, demo.Failed(), demo.Stop)
}

// showDemo says where the demo is and what can be tried.
func showDemo(p *printer, demo *server.Demo) {
	url := demo.URL()
	p.line("The demo runs at %s, with the simulated clusters %s.", url, strings.Join(demo.Clusters, ", "))
	p.line("\nSign in with the password %s as", server.DemoPassword)
	for _, account := range demo.Accounts {
		p.line("  %s", account.Name)
	}
	p.line("\nTry:")
	p.line("  curl -c %s -H 'Content-Type: application/json' -d '{\"name\":\"auditor\",\"password\":\"%s\"}' %s/api/v1/session",
		quote(demo.CookieFile), server.DemoPassword, url)
	p.line("  curl -b %s '%s/api/v1/resources/gpus?cluster=%s&node=pve-a'", quote(demo.CookieFile), url, server.DemoCluster)
	p.line("  pciatlas scan --cluster %s --endpoint %s --token-file %s --tls-fingerprint %s",
		server.DemoCluster, demo.Endpoint, quote(demo.TokenFile), demo.Fingerprint)
	p.line("  pciatlas mapping suggest --cluster office --endpoint %s --token-file %s --tls-fingerprint %s",
		demo.Office.Endpoint, quote(demo.Office.TokenFile), demo.Office.Fingerprint)
	p.line("\nMappings of office may be changed. What only root@pam may do there takes the password %s and the code %s.",
		demo.Office.RootPassword, demo.Office.RootCode)
	p.line("\nCtrl-C stops it and removes everything that it stored.")
}
