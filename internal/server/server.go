// Package server puts the server together and runs it: it opens the store,
// connects the reads of clusters and the interface, listens, and stops without
// cutting anybody off. It may import everything; only the command line imports it.
package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/live"
	"pciatlas/internal/store"
	"pciatlas/web"
)

// Options say what to run. Config is needed.
type Options struct {
	Config *config.Config
	// Console answers what is not of the interface; nil: the console of package web.
	Console http.Handler
	// Version is that of the program.
	Version string
	Logger  *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // nil: time.Now
	Random  io.Reader        // nil: crypto/rand

	// demo makes this a demo; nil: no simulated data is within reach.
	demo *demoOptions
}

// demoOptions are where a demo differs from a server.
type demoOptions struct {
	accounts []httpapi.DemoAccount
	// fill puts the examples into the empty store before anybody can see it.
	fill func(ctx context.Context, s *store.Store) error
}

// stopTime is how long requests may go on after Stop.
const stopTime = 10 * time.Second

// Server is one server. It runs once: Start, then Stop.
type Server struct {
	options Options

	mu       sync.Mutex // guards what follows, and that starting and stopping do not meet
	state    state
	store    *store.Store
	clusters *clusters
	live     *live.Live
	http     *http.Server
	address  net.Addr
	setup    string // token of the set-up link, "" for none
	cancel   context.CancelFunc
	running  sync.WaitGroup // what ends with cancel or with the listener
	failed   chan error
}

// state is how far a server got.
type state int

const (
	stateNew state = iota
	stateRunning
	stateStopped
)

// New checks the options. It opens nothing.
func New(options Options) (*Server, error) {
	if options.Config == nil {
		return nil, errors.New("the server has no settings")
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	options.Random = cmp.Or[io.Reader](options.Random, rand.Reader)
	if options.Console == nil {
		options.Console = web.Handler(httpapi.StyleNonce)
	}
	return &Server{options: options, failed: make(chan error, 1)}, nil
}

// Start opens the store, brings it up to date and listens; when it returns without
// an error, requests are answered. ctx bounds the start only. After an error nothing
// is left open, and the server cannot be started again.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateNew {
		return errors.New("the server was started already")
	}
	s.state = stateRunning
	if err := s.start(ctx); err != nil {
		return errors.Join(err, s.stop(ctx))
	}
	return nil
}

func (s *Server) start(ctx context.Context) error {
	settings := s.options.Config
	var err error
	if s.store, err = OpenStore(ctx, settings, s.options.Now); err != nil {
		return err
	}
	if err := s.prepareStore(ctx); err != nil {
		return err
	}
	s.clusters = newClusters(s.store, settings, s.options.Now, s.options.Logger)
	s.live = live.New(live.Options{Source: s.clusters.origin, Share: sharing(settings.Share), Now: s.options.Now})
	handler, err := httpapi.New(s.interfaceOptions())
	if err != nil {
		return fmt.Errorf("put the interface together: %w", err)
	}
	listener, err := listen(ctx, settings, s.options.Logger)
	if err != nil {
		return err
	}
	s.address = listener.Addr()
	s.serve(listener, s.guardHost(s.address, handler))
	return nil
}

// prepareStore fills the store of a demo, and makes a set-up link for one that has
// no administrator.
func (s *Server) prepareStore(ctx context.Context) error {
	if s.options.demo != nil {
		return s.options.demo.fill(ctx, s.store)
	}
	err := s.warnOfClosedTokens(ctx)
	if err != nil {
		return err
	}
	s.setup, err = newSetupToken(ctx, s.store, s.options.Random, s.options.Now())
	return err
}

func (s *Server) interfaceOptions() httpapi.Options {
	settings := s.options.Config
	options := httpapi.Options{
		Store: storage{s.store, s.live, s.clusters}, Live: reads{s.live, s.clusters}, Tester: tester{s.clusters}, Applier: applier{s.clusters},
		Console: s.options.Console, OIDC: oidcOptions(settings), TrustedProxies: settings.TrustedProxies,
		SecureCookies:     secureCookies(settings),
		AllowLocalEntries: settings.AllowLocalEndpoints, MetricsOpen: settings.MetricsOpen,
		Now: s.options.Now, Random: s.options.Random, Logger: s.options.Logger, Version: s.options.Version,
	}
	if s.options.demo != nil {
		options.DemoAccounts = s.options.demo.accounts
	}
	return options
}

// sharing gives the time for which reads are shared, where 0 means not at all.
func sharing(share time.Duration) time.Duration { return max(share, 1) }

// Addr gives the address that the server listens at, nil before Start.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// Failed tells, at most once, that the server cannot go on: its listener broke.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop takes no new requests, lets those under way go on for up to 10 s or until
// ctx ends, and closes everything. Requests that take longer are cut off, which is
// an error. It may be called more than once, before Start too; later calls wait for
// the first one and give nil.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == stateStopped {
		return nil
	}
	return s.stop(ctx)
}

func (s *Server) stop(ctx context.Context) error {
	s.state = stateStopped
	var errs []error
	if s.http != nil {
		errs = append(errs, s.shutDown(ctx))
	}
	if s.cancel != nil {
		s.cancel()
	}
	s.running.Wait()
	if s.live != nil {
		s.live.Close()
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}

func (s *Server) shutDown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err == nil {
		return nil
	}
	_ = s.http.Close() // the error of Shutdown is the one to tell
	return fmt.Errorf("requests were under way for too long and were cut off: %w", err)
}
