package server

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// onlyLocalHosts refuses requests that name another host than this machine: a page
// of elsewhere can give its own name a loopback address, and its scripts could ask
// this server as if it were theirs. What is asked by machines is not refused. It is
// for servers at a loopback address that have no public one.
func onlyLocalHosts(port string, strict bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLocalHost(r.Host, port, strict) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(http.StatusMisdirectedRequest)
		problem := map[string]any{
			"type": "about:blank", "title": http.StatusText(http.StatusMisdirectedRequest), "status": http.StatusMisdirectedRequest,
			"code":   "wrong_host",
			"detail": "This server answers for this machine only, by localhost or a loopback address. Set public-url to the address that browsers use.",
		}
		_ = json.NewEncoder(w).Encode(problem) // who asked may be gone
	})
}

// isLocalHost tells whether a Host header names this machine; strict: with the port
// of the server, too.
func isLocalHost(host, port string, strict bool) bool {
	name, at, err := net.SplitHostPort(host)
	if err != nil {
		name, at = strings.Trim(host, "[]"), "80"
	}
	if strict && at != port {
		return false
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// guardHost puts onlyLocalHosts around the handler where it belongs. Behind a proxy of
// this machine, the proxy decides which hosts there are.
func (s *Server) guardHost(listener net.Addr, handler http.Handler) http.Handler {
	settings := s.options.Config
	to, ok := listener.(*net.TCPAddr)
	if !ok || !to.IP.IsLoopback() || settings.PublicURL != "" || len(settings.TrustedProxies) > 0 {
		return handler
	}
	_, port, _ := net.SplitHostPort(listener.String()) // an address of the system has one
	return onlyLocalHosts(port, s.options.demo != nil, handler)
}
