package cli

import (
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pciatlas/internal/config"
)

func newConfig(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Explain the settings of the server",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(env), newConfigExample(env))
	return cmd
}

func newConfigCheck(env Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say which settings are in effect, where they come from and what is wrong with them",
		Long: `Takes the flags, the PCIATLAS_* variables and the file of settings that serve
would take, and says what comes out. Flags come first, then variables, then the
file, then defaults. It reads the files that the settings name, but starts
nothing and opens no database. Passwords are never shown.

Exit codes: 0 the settings are fine, 1 they cannot be used, 2 wrong usage.`,
		Example: `  pciatlas config check --config /etc/pciatlas/config.yaml
  pciatlas config check --listen :8443 -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConfigCheck(env, cmd.Flags(), output) },
	}
	cmd.Flags().SortFlags = false
	config.AddFlags(cmd.Flags())
	addFormat(cmd, &output, formatText, formatJSON)
	return cmd
}

func newConfigExample(env Env) *cobra.Command {
	return &cobra.Command{
		Use:     "example",
		Short:   "Write a file of settings with every key, its meaning and its default",
		Example: "  pciatlas config example > config.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return failedIf(config.Example(env.Stdout)) },
	}
}

// maxSettings bounds each file that the settings consist of or name, in bytes.
const maxSettings = 1 << 20

// configInput gives what the settings are made of in this process.
func configInput(env Env, flags *pflag.FlagSet) config.Input {
	folder, err := os.Getwd()
	if err != nil {
		folder = "" // relative paths stay relative, and mean the same
	}
	return config.Input{
		Flags: flags, Getenv: env.Getenv, Dir: folder, Root: os.Geteuid() == 0,
		ReadFile: func(path string) ([]byte, fs.FileMode, error) {
			data, info, err := readRegular(path, maxSettings)
			if err != nil {
				return nil, 0, err
			}
			return data, info.Mode(), nil
		},
	}
}

func runConfigCheck(env Env, flags *pflag.FlagSet, output string) error {
	format, err := checkFormat(output, formatText, formatJSON)
	if err != nil {
		return err
	}
	settings, faults := config.Check(configInput(env, flags))
	if format == formatJSON {
		err = writeJSON(env.Stdout, settingsObject(settings, faults))
	} else {
		err = writeSettings(env, settings, faults)
	}
	switch {
	case err != nil:
		return failed(err)
	case len(faults) > 0:
		return &exitError{code: exitFailed}
	default:
		return nil
	}
}

type settingObject struct {
	Key        string             `json:"key"`
	Value      string             `json:"value"`
	Source     string             `json:"source"`
	Overridden []overriddenObject `json:"overridden"`
}

type overriddenObject struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

type faultObject struct {
	Key     string `json:"key"`
	Source  string `json:"source"`
	Message string `json:"message"`
}

func settingsObject(settings *config.Config, faults []config.Fault) any {
	object := struct {
		OK       bool            `json:"ok"`
		Faults   []faultObject   `json:"faults"`
		Settings []settingObject `json:"settings"`
	}{OK: len(faults) == 0, Faults: []faultObject{}, Settings: []settingObject{}}
	for _, fault := range faults {
		object.Faults = append(object.Faults, faultObject(fault))
	}
	for _, row := range settings.Explain() {
		setting := settingObject{Key: row.Key, Value: row.Value, Source: row.Source, Overridden: []overriddenObject{}}
		for _, other := range row.Overridden {
			setting.Overridden = append(setting.Overridden, overriddenObject(other))
		}
		object.Settings = append(object.Settings, setting)
	}
	return object
}

// writeSettings writes what is wrong, then every setting.
func writeSettings(env Env, settings *config.Config, faults []config.Fault) error {
	out := &printer{w: env.Stdout, width: tableLimit(env)}
	if len(faults) > 0 {
		out.line("%s with these settings, so the server would not start:", plural(len(faults), "fault"))
	}
	for _, fault := range faults {
		source := ""
		if fault.Source != "" {
			source = " (" + fault.Source + ")"
		}
		out.hang(4, "  %s%s: %s", fault.Key, source, fault.Message)
	}
	if len(faults) > 0 {
		out.write("")
	}
	if out.err != nil {
		return out.err
	}
	if err := settingsTable(env, settings).write(env.Stdout); err != nil {
		return err
	}
	if len(faults) == 0 {
		out.line("\nThe settings are fine.")
	}
	return out.err
}

func settingsTable(env Env, settings *config.Config) *table {
	layout := &table{limit: tableLimit(env), colour: useColour(env), columns: []column{
		{title: "SETTING", late: true},
		{title: "VALUE", shrink: true, minWidth: 20},
		{title: "SOURCE", shrink: true, minWidth: 16},
	}}
	for _, row := range settings.Explain() {
		sources := []string{row.Source}
		for _, other := range row.Overridden {
			sources = append(sources, strings.TrimSpace("not "+other.Value)+" from "+other.Source)
		}
		style := bold
		if row.Source == config.SourceDefault {
			style = faint
		}
		layout.add(text(row.Key), styled(row.Value, style), lines(sources))
	}
	return layout
}
