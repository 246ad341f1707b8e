// Package pvesh changes a cluster from one of its nodes, as root: it runs Proxmox
// VE's own pvesh, and reads the files of the cluster file system. The command line
// imports it; it imports pure packages only.
package pvesh

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// Node is the node that this program runs on. The zero value is the machine itself.
type Node struct {
	// Root is the root folder of the node; "" is /.
	Root string
	// ReadFile reads a file; nil is os.ReadFile.
	ReadFile func(path string) ([]byte, error)
	// Command is the program to run; "" is pvesh.
	Command string
	// Env is added to the environment of the program.
	Env []string
}

// Error is a command that did not succeed.
type Error struct {
	// Sentence is what Proxmox VE wrote, "" if the command could not be run.
	Sentence string
	Err      error
}

// Error gives the sentence.
func (e *Error) Error() string {
	if e.Sentence != "" {
		return "pvesh: " + e.Sentence
	}
	return fmt.Sprintf("pvesh cannot be run: %s", e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode gives the stable code.
func (e *Error) ErrorCode() string { return "pve_refused" }

// Refused gives the sentence of Proxmox VE if it wrote one.
func (e *Error) Refused() (sentence string, refused bool) { return e.Sentence, e.Sentence != "" }

// Mappings are those of the mapping file, all with its digest. Without the file there
// are none, if the cluster file system is there to tell.
func (n *Node) Mappings(context.Context) ([]pve.Mapping, error) {
	content, err := n.read("mapping/pci.cfg")
	if errors.Is(err, os.ErrNotExist) {
		if _, err := n.read(".members"); err != nil {
			return nil, fmt.Errorf("the cluster file system does not look mounted, so whether there are mappings is not known: %w", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the mappings: %w", err)
	}
	mappings, _ := pve.ParseMappingFile(string(content))
	digest := pve.Digest(string(content))
	for i := range mappings {
		mappings[i].Digest = digest
	}
	return mappings, nil
}

// VM is the configuration of a VM with what is pending.
func (n *Node) VM(_ context.Context, node string, vmid int) ([]pve.Item, error) {
	content, err := n.read(filepath.Join("nodes", node, "qemu-server", strconv.Itoa(vmid)+".conf"))
	if err != nil {
		return nil, fmt.Errorf("read the configuration of VM %d: %w", vmid, err)
	}
	config := pve.ParseVMConfig(string(content))
	return config.Items(), nil
}

// read reads a file of the cluster file system.
func (n *Node) read(name string) ([]byte, error) {
	path := filepath.Join(cmp.Or(n.Root, "/"), "etc", "pve", name)
	if n.ReadFile != nil {
		return n.ReadFile(path)
	}
	return os.ReadFile(path)
}

// Do runs the command of a request. The error is an *Error, or the context's.
func (n *Node) Do(ctx context.Context, request plan.Request, digest string) error {
	argv := Arguments(request, digest)
	name := n.Command
	if name == "" {
		name = "pvesh"
	}
	command := exec.CommandContext(ctx, name, argv...)
	command.Env = append(os.Environ(), n.Env...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ran := errors.AsType[*exec.ExitError](err); !ran {
		return &Error{Err: err}
	}
	return &Error{Sentence: sentenceOf(out.String(), err), Err: err}
}

// sentenceOf gives the lines that a command wrote, as one.
func sentenceOf(out string, err error) string {
	const limit = 500
	text := strings.Join(strings.Fields(out), " ")
	if text == "" {
		return err.Error()
	}
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}

// Arguments are those of pvesh for a request.
func Arguments(request plan.Request, digest string) []string {
	verb := map[string]string{"POST": "create", "PUT": "set", "DELETE": "delete"}[request.Method]
	argv := []string{verb, request.Path}
	for _, p := range request.Params {
		argv = append(argv, "--"+p.Name, p.Value)
	}
	if digest != "" {
		argv = append(argv, "--digest", digest)
	}
	return argv
}
