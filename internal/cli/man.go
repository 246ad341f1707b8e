package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan writes the manual pages. It is for packaging and shown in no list.
func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for everybody
				return failed(fmt.Errorf("make the folder for the manual pages: %w", err))
			}
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "PCIATLAS", Section: "1", Source: "pciatlas " + version, Manual: "pciatlas"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return failed(fmt.Errorf("write the manual pages: %w", err))
			}
			return nil
		},
	}
}
