package pvesim

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// commandLine is what a program sends that stands in for pvesh and qm, and
// commandResult what it is answered.
type commandLine struct {
	Node string   `json:"node"`
	Argv []string `json:"argv"`
}

type commandResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`
}

// Commands gives a handler that runs the command lines which test/pvecommand
// sends. It asks for no credential, like the shell of root: serve it on a loopback
// address only.
func (s *Server) Commands() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var line commandLine
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&line); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var stdout, stderr bytes.Buffer
		code := s.Command(line.Node, line.Argv, &stdout, &stderr)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(commandResult{stdout.String(), stderr.String(), code}) // who asked may be gone
	})
}
