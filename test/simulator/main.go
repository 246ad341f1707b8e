// Command simulator serves simulated clusters of Proxmox VE for the browser tests
// of the console, and changes them while a test runs: nodes go, requests fail.
//
// It writes one line of JSON, {"control":"http://127.0.0.1:PORT"}, and answers
// there until its standard input ends:
//
//	POST   /worlds {"world":NAME}                 start a cluster
//	DELETE /worlds/{id}                           end it
//	POST   /worlds/{id}/faults {"kind":…}         make requests fail, see pvesim.Fault
//	DELETE /worlds/{id}/faults                    let all succeed again
//	POST   /worlds/{id}/nodes/{node}/off          turn a node off
//	POST   /worlds/{id}/nodes/{node}/remove       take a node out of the cluster, with its guests
//	POST   /worlds/{id}/commands {"node":…,"argv":[…]}  run pvesh or qm as root, see pvesim.Server.Command
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	cases := flag.String("cases", "testdata/cases/scenarios", "the folder of the scenarios")
	flag.Parse()
	if err := run(*cases, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		os.Exit(1)
	}
}

// run serves until the input ends.
func run(cases string, in io.Reader, out io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	control := newControl(cases)
	defer control.close()
	server := &http.Server{Handler: control.routes(), ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer func() { _ = server.Close() }() // what can be closed is
	if err := json.NewEncoder(out).Encode(map[string]string{"control": "http://" + listener.Addr().String()}); err != nil {
		return fmt.Errorf("say the address: %w", err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, in)
		ended <- err
	}()
	select {
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("serve: %w", err)
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("read the input: %w", err)
		}
		return nil
	}
}
