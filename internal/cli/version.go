package cli

import (
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"pciatlas/internal/pci"
)

// Set by the linker.
var (
	version = "development"
	commit  = ""
	date    = ""
)

type versionObject struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Go      string `json:"go"`
	PCIIDs  string `json:"pci_ids"` // the date of the built-in list of names
}

func newVersion(env Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			format, err := checkFormat(output, formatText, formatJSON)
			if err != nil {
				return err
			}
			if format == formatJSON {
				return failedIf(writeJSON(env.Stdout, versionObject{version, commit, date, runtime.Version(), pci.BuiltinNames.Date()}))
			}
			line := "pciatlas " + version
			if commit != "" {
				line += " (" + commit + ", " + date + ")"
			}
			p := &printer{w: env.Stdout}
			p.line("%s", line)
			p.line("built-in PCI ID list of %s", pci.BuiltinNames.Date())
			return failedIf(p.err)
		},
	}
	addFormat(cmd, &output, formatText, formatJSON)
	return cmd
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
