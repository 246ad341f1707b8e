package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/hostfs"
)

// source holds the flags that say what is read.
type source struct {
	root string
}

func (s *source) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.root, "root", "",
		"read the files below this `folder` instead of those of this machine (a mounted disk, a collected tree)")
}

var errNoSource = errors.New("this machine is not a node of Proxmox VE (it has no /etc/pve), " +
	"so there is nothing to read here. Copy this program to a node and run it there as root, " +
	"or give a folder with the files of a node: --root DIR")

// report reads and computes.
func (s *source) report(ctx context.Context, env Env) (*atlas.Report, error) {
	root := s.root
	if root == "" {
		root = env.Root
		if !isNode(root) {
			return nil, failed(errNoSource)
		}
	}
	snapshot, err := hostfs.Read(ctx, hostfs.Options{Root: root, Now: env.Now})
	if err != nil {
		return nil, failed(err)
	}
	return atlas.Build(&snapshot), nil
}

// isNode tells whether a folder is the root of a node of Proxmox VE. A folder
// that is there but may not be read counts: reading it then says why it fails.
func isNode(root string) bool {
	info, err := os.Stat(filepath.Join(root, "etc", "pve"))
	return err == nil && info.IsDir() || errors.Is(err, fs.ErrPermission)
}
