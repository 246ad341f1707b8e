package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/config"
	"pciatlas/internal/fleet"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
	"pciatlas/internal/store"
)

// DemoPassword is that of all accounts of the demo.
const DemoPassword = "demo-only"

// DemoCluster is the name of the largest simulated cluster.
const DemoCluster = "lab"

// demoWorld is one simulated cluster of the demo, with its managed desktops.
type demoWorld struct {
	name     string
	world    *pvesim.World
	desktops []fleet.Desktop
	// changes: its mappings may be changed, with a token that may do so.
	changes bool
}

// demoWorlds are all of them, DemoCluster first.
func demoWorlds() []demoWorld {
	return []demoWorld{
		{DemoCluster, pvesim.Demo(), []fleet.Desktop{
			{VMID: 103, Name: "CAD workstation", Note: "engineering, second floor"},
			{VMID: 201, Name: "Desktop 1"},
			{VMID: 100, Name: "Render farm 1"},
		}, false},
		{"office", pvesim.DemoOffice(), []fleet.Desktop{
			{VMID: 100, Name: "Anna's workstation", Note: "design, first floor"},
			{VMID: 102, Name: "Board room"},
			{VMID: 110, Name: "Desk 1"},
			{VMID: 111, Name: "Desk 2"},
		}, true},
		{"plant", pvesim.DemoPlant(), nil, false},
	}
}

// DemoOptions say how the demo runs.
type DemoOptions struct {
	// Listen is HOST:PORT; the host has to be a loopback address.
	Listen  string
	Console http.Handler
	Version string
	Logger  *slog.Logger
	Now     func() time.Time
}

// Demo is a server with simulated clusters behind it. What it stores is in a folder
// that goes with it.
type Demo struct {
	*Server

	// Endpoint and Fingerprint lead to DemoCluster, TokenFile holds a token that sees
	// all of it.
	Endpoint, Fingerprint, TokenFile string
	// Office is the cluster whose mappings may be changed, with a token that may.
	// What only root@pam may do takes the password and the second factor.
	Office struct{ Endpoint, Fingerprint, TokenFile, RootPassword, RootCode string }
	// Clusters are the names of all clusters, DemoCluster first.
	Clusters []string
	// CookieFile is where a command may keep its session.
	CookieFile string
	// Accounts may sign in.
	Accounts []httpapi.DemoAccount

	clusters []*pvesim.TLSServer
	folder   string
}

// StartDemo starts a demo. Stop ends it and removes its folder.
func StartDemo(ctx context.Context, options DemoOptions) (*Demo, error) {
	if err := CheckLoopback(options.Listen); err != nil {
		return nil, err
	}
	d := &Demo{Accounts: demoAccounts()}
	if err := d.start(ctx, options); err != nil {
		return nil, errors.Join(err, d.Stop(ctx))
	}
	return d, nil
}

// CheckLoopback refuses addresses that others can reach: the passwords are known to
// everybody.
func CheckLoopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("%q is no address to listen at: write 127.0.0.1:PORT", listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("the demo listens at loopback addresses only, because everybody knows its passwords: "+
			"write 127.0.0.1:PORT instead of %s", listen)
	}
	return nil
}

func demoAccounts() []httpapi.DemoAccount {
	roles := []auth.Role{auth.Admin, auth.Operator, auth.Auditor}
	accounts := make([]httpapi.DemoAccount, 0, len(roles))
	for _, role := range roles {
		accounts = append(accounts, httpapi.DemoAccount{Name: string(role), Role: role, Password: DemoPassword})
	}
	return accounts
}

func (d *Demo) start(ctx context.Context, options DemoOptions) error {
	var err error
	if d.folder, err = os.MkdirTemp("", "pciatlas-demo-"); err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	d.TokenFile, d.CookieFile = filepath.Join(d.folder, "token"), filepath.Join(d.folder, "cookies")
	if err := os.WriteFile(d.TokenFile, []byte(pvesim.DemoToken+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the token of the demo: %w", err)
	}
	d.Office.TokenFile = filepath.Join(d.folder, "token-office")
	if err := os.WriteFile(d.Office.TokenFile, []byte(pvesim.DemoTokenChanging+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the token of the demo: %w", err)
	}
	for _, simulated := range demoWorlds() {
		cluster, err := pvesim.NewTLSServer(&pvesim.Server{World: simulated.world, MuteDelay: time.Second})
		if err != nil {
			return fmt.Errorf("start the simulated cluster %s: %w", simulated.name, err)
		}
		d.clusters, d.Clusters = append(d.clusters, cluster), append(d.Clusters, simulated.name)
		if simulated.changes {
			d.Office.Endpoint, d.Office.Fingerprint = cluster.URL, cluster.Fingerprint
			d.Office.RootPassword, d.Office.RootCode = pvesim.DemoRootPassword, pvesim.DemoRootCode
		}
	}
	d.Endpoint, d.Fingerprint = d.clusters[0].URL, d.clusters[0].Fingerprint
	d.Server, err = New(Options{
		Config: d.settings(options.Listen), Console: options.Console, Version: options.Version,
		Logger: options.Logger, Now: options.Now,
		demo: &demoOptions{accounts: d.Accounts, fill: d.fill},
	})
	if err != nil {
		return err
	}
	return d.Server.Start(ctx)
}

// settings are those of a demo; no file, flag or variable has a say.
func (d *Demo) settings(listen string) *config.Config {
	return &config.Config{
		Listen: listen, Data: d.folder, KeyFile: filepath.Join(d.folder, "keyring"),
		Database:            config.NewSecret("sqlite:" + filepath.Join(d.folder, "pciatlas.db")),
		AllowLocalEndpoints: true, MetricsOpen: true, Share: 5 * time.Second,
	}
}

// fill makes the accounts, the clusters and a few managed desktops.
func (d *Demo) fill(ctx context.Context, s *store.Store) error {
	hash, err := auth.HashPassword(d.options.Random, DemoPassword)
	if err != nil {
		return err
	}
	for _, account := range d.Accounts {
		admin := auth.Administrator{Name: account.Name, Role: account.Role, Hash: hash}
		if err := s.CreateAdministrator(ctx, admin, demoEntry("administrator.create", "administrator "+account.Name)); err != nil {
			return fmt.Errorf("make the accounts of the demo: %w", err)
		}
	}
	for i, simulated := range demoWorlds() {
		if err := register(ctx, s, simulated, d.clusters[i]); err != nil {
			return err
		}
	}
	return nil
}

// register makes one cluster and its desktops.
func register(ctx context.Context, s *store.Store, simulated demoWorld, front *pvesim.TLSServer) error {
	secret := pvesim.DemoToken
	if simulated.changes {
		secret = pvesim.DemoTokenChanging
	}
	token, err := pveapi.ParseToken(secret)
	if err != nil {
		return err
	}
	name := simulated.name
	cluster := fleet.Cluster{
		Name: name, Entries: []string{front.URL}, TokenID: token.ID,
		TLS: fleet.TLS{Fingerprints: []string{front.Fingerprint}}, DesktopTag: "vdi", Changes: simulated.changes,
	}
	if err := cluster.Normalize(true); err != nil {
		return err
	}
	if _, err := s.CreateCluster(ctx, cluster, token.Secret, demoEntry("cluster.create", "cluster "+name)); err != nil {
		return fmt.Errorf("register the simulated cluster %s: %w", name, err)
	}
	if len(simulated.desktops) == 0 {
		return nil
	}
	for i := range simulated.desktops {
		simulated.desktops[i].Cluster = name
	}
	if _, _, _, err := s.ImportDesktops(ctx, name, simulated.desktops, false, demoEntry("desktop.import", "cluster "+name)); err != nil {
		return fmt.Errorf("register the desktops of the simulated cluster %s: %w", name, err)
	}
	return nil
}

func demoEntry(action, object string) fleet.AuditEntry {
	return fleet.AuditEntry{
		Actor: "demo", ActorKind: fleet.System, Action: action, Object: object, Result: fleet.Done,
	}
}

// Stop stops the server and the simulated clusters and removes the folder. It may be
// called more than once.
func (d *Demo) Stop(ctx context.Context) error {
	var errs []error
	if d.Server != nil {
		errs = append(errs, d.Server.Stop(ctx))
	}
	for _, cluster := range d.clusters {
		cluster.Close()
	}
	if d.folder != "" {
		errs = append(errs, os.RemoveAll(d.folder))
	}
	return errors.Join(errs...)
}
