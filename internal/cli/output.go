package cli

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// format is the value of -o.
type format string

const (
	formatTable format = "table"
	formatWide  format = "wide"
	formatText  format = "text"
	formatJSON  format = "json"
	formatYAML  format = "yaml"
	formatCSV   format = "csv"
)

// addFormat adds -o with the formats that a command knows; the first is the
// default.
func addFormat(cmd *cobra.Command, into *string, formats ...format) {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	cmd.Flags().StringVarP(into, "output", "o", names[0], "`format` of the output: "+strings.Join(names, ", "))
	err := cmd.RegisterFlagCompletionFunc("output",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names, cobra.ShellCompDirectiveNoFileComp
		})
	if err != nil {
		panic(err) // the flag was added right above
	}
}

func checkFormat(got string, formats ...format) (format, error) {
	if slices.Contains(formats, format(got)) {
		return format(got), nil
	}
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return "", usage("-o %s is not known here; it is one of %s", clean(got), strings.Join(names, ", "))
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// writeCSV writes rows for spreadsheets. A cell that a spreadsheet would take
// for a formula is made text; control characters are shown, not sent.
func writeCSV(w io.Writer, rows [][]string) error {
	writer := csv.NewWriter(w)
	for _, row := range rows {
		for i, value := range row {
			value = clean(value)
			row[i] = value
			if value != "" && strings.ContainsRune("=+-@\t\r", rune(value[0])) {
				row[i] = "'" + value
			}
		}
		if err := writer.Write(row); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

func useColour(env Env) bool { return env.Terminal && env.Getenv("NO_COLOR") == "" }

// tableLimit is the width that tables keep to. Output that is not for a terminal
// keeps to the same 100 columns as a terminal of that width.
func tableLimit(env Env) int {
	if env.Columns <= 0 {
		return 100
	}
	return min(max(env.Columns, 60), 100)
}
