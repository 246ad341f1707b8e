package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"pciatlas/internal/config"
)

// How long and how much a caller may take.
const (
	readHeaderTime = 10 * time.Second
	readTime       = 30 * time.Second
	writeTime      = 90 * time.Second
	idleTime       = 2 * time.Minute
	maxHeader      = 32 << 10
)

// listen opens the listener, with TLS if there is a certificate.
func listen(ctx context.Context, settings *config.Config, logger *slog.Logger) (net.Listener, error) {
	var files *certificateFiles
	if settings.TLSCert != "" {
		var err error
		if files, err = openCertificate(settings.TLSCert, settings.TLSKey, logger); err != nil {
			return nil, err
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", settings.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w (choose another address with --listen)", settings.Listen, plainNetError(err))
	}
	if settings.TLSCert == "" {
		return listener, nil
	}
	return tls.NewListener(listener, &tls.Config{
		GetCertificate: files.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}), nil
}

// plainNetError drops the address, which the caller names.
func plainNetError(err error) error {
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return operation.Err
	}
	return err
}

// serve answers requests until the server is shut down, and starts what goes on in
// the background.
func (s *Server) serve(listener net.Listener, handler http.Handler) {
	// Requests and chores outlive Start; Stop ends them.
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.http = &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: readHeaderTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
	s.running.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("answer requests: %w", err)
		}
	})
	s.running.Go(func() { s.keepHouse(ctx) })
	s.options.Logger.Info("the server listens", "address", listener.Addr().String(), "tls", s.options.Config.TLSCert != "")
	if s.isExposed() {
		s.options.Logger.Warn("passwords and tokens travel unprotected: the server speaks plain HTTP at an address that others can reach; " +
			"set tls-cert and tls-key, or listen at 127.0.0.1 behind a proxy that speaks TLS")
	}
}

// isExposed tells whether plain HTTP is spoken with others than this machine and
// trusted proxies.
func (s *Server) isExposed() bool {
	settings := s.options.Config
	to, ok := s.address.(*net.TCPAddr)
	return settings.TLSCert == "" && len(settings.TrustedProxies) == 0 && (!ok || !to.IP.IsLoopback())
}

// URL is where a browser on this machine finds the server, or everybody if the
// settings say where; without a slash at its end. It is "" before Start.
func (s *Server) URL() string {
	address := s.Addr()
	settings := s.options.Config
	switch {
	case address == nil:
		return ""
	case settings.PublicURL != "":
		return settings.PublicURL
	}
	scheme := "http://"
	if settings.TLSCert != "" {
		scheme = "https://"
	}
	if to, ok := address.(*net.TCPAddr); ok && to.IP.IsUnspecified() {
		return fmt.Sprintf("%slocalhost:%d", scheme, to.Port)
	}
	return scheme + address.String()
}

func secureCookies(settings *config.Config) bool {
	return settings.TLSCert != "" || strings.HasPrefix(settings.PublicURL, "https://")
}
