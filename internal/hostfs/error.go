package hostfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// Codes of Error.
const (
	CodeRootMissing    = "root_missing"
	CodeRootNotFolder  = "root_not_a_folder"
	CodeRootPermission = "root_permission"
	CodeRootNotNode    = "root_not_a_node"
	CodeRootUnreadable = "root_unreadable"
)

// Error says why a root cannot be read at all. Code is stable; Error gives a
// sentence for people that says what to do.
type Error struct {
	Code string
	Root string
	err  error
}

// Error implements error.
func (e *Error) Error() string {
	root := printable(e.Root)
	switch e.Code {
	case CodeRootMissing:
		return root + " does not exist. Give the root of a Proxmox VE node with --root."
	case CodeRootNotFolder:
		return root + " is not a folder. Give the folder that is the root of a Proxmox VE node with --root."
	case CodeRootPermission:
		return root + " may not be read. Run this as root (sudo)."
	case CodeRootNotNode:
		return root + " is not the root of a Proxmox VE node: it has neither etc/pve nor sys/bus/pci. " +
			"Give the folder that contains them with --root."
	default:
		return root + " cannot be read: " + e.reason() + "."
	}
}

// Unwrap gives the error of the operating system, if there is one.
func (e *Error) Unwrap() error { return e.err }

func (e *Error) reason() string {
	var errno syscall.Errno
	switch {
	case errors.As(e.err, &errno):
		return errno.Error()
	case leadsOut(e.err):
		return "a link in it leads out of it"
	default:
		return "unknown reason"
	}
}

// rootError translates an error of opening the root.
func rootError(root string, err error) error {
	var kind *kindError
	code := CodeRootUnreadable
	switch {
	case errors.Is(err, fs.ErrPermission):
		code = CodeRootPermission
	case errors.Is(err, fs.ErrNotExist):
		code = CodeRootMissing
	case errors.As(err, &kind), errors.Is(err, syscall.ENOTDIR):
		code = CodeRootNotFolder
	}
	return &Error{Code: code, Root: root, err: err}
}

// checkNode makes sure that the tree is one of a node. What is there but cannot
// be read counts: the reads of it say so.
func checkNode(root string, top *folder) error {
	var refused error
	for _, path := range []string{pveFolder, "sys/bus/pci"} {
		there, err := top.there(path)
		switch {
		case there:
			return nil
		case errors.Is(err, fs.ErrPermission):
			refused = err
		case err != nil && !errors.Is(err, syscall.ENOTDIR):
			return nil // the read of it says what is wrong with it
		}
	}
	if refused != nil {
		return &Error{Code: CodeRootPermission, Root: root, err: refused}
	}
	return &Error{Code: CodeRootNotNode, Root: root}
}
