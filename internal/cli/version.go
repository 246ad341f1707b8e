package cli

import (
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
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
				return writeJSON(env.Stdout, versionObject{version, commit, date, runtime.Version()})
			}
			line := "pciatlas " + version
			if commit != "" {
				line += " (" + commit + ", " + date + ")"
			}
			_, err = fmt.Fprintln(env.Stdout, line)
			return err
		},
	}
	addFormat(cmd, &output, formatText, formatJSON)
	return cmd
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
