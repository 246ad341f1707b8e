// Command pvecommand stands in for pvesh and qm in tests that run exported shell
// text: it sends its command line to a simulated cluster and prints and exits as
// that says. What it is called by is the command: put it on the path under both
// names.
//
// PVESIM_COMMANDS is the address of pvesim's Server.Commands, PVESIM_NODE the node
// that the shell runs on.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// exitNoCluster is what it exits with when no cluster answers.
const exitNoCluster = 69

func main() {
	argv := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	code, err := run(os.Getenv("PVESIM_COMMANDS"), os.Getenv("PVESIM_NODE"), argv, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvecommand:", err)
	}
	os.Exit(code)
}

// run sends a command line and prints what came of it.
func run(address, node string, argv []string, stdout, stderr io.Writer) (code int, err error) {
	line, err := json.Marshal(map[string]any{"node": node, "argv": argv})
	if err != nil {
		return exitNoCluster, fmt.Errorf("write the command line: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(line)) //nolint:gosec // the test says where its cluster is
	if err != nil {
		return exitNoCluster, fmt.Errorf("ask %q: %w", address, err)
	}
	response, err := http.DefaultClient.Do(request) //nolint:gosec // as above
	if err != nil {
		return exitNoCluster, fmt.Errorf("ask the simulated cluster: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // all is read
	var result struct {
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
		Code   int    `json:"code"`
	}
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		return exitNoCluster, fmt.Errorf("read what the simulated cluster says: %w", err)
	}
	if _, err := io.WriteString(stdout, result.Stdout); err != nil {
		return exitNoCluster, fmt.Errorf("print: %w", err)
	}
	if _, err := io.WriteString(stderr, result.Stderr); err != nil {
		return exitNoCluster, fmt.Errorf("print: %w", err)
	}
	return result.Code, nil
}
