package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which gatewright this is",
		Long: `version prints, in one line, the version of the module, the revision that it was
built from and the release of Go that built it, as far as the build knows them.`,
		Example: "  gatewright version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

// version is the version of the module, as far as the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}

// versionLine names the module's version, the revision it was built from and
// the Go release, as far as the build knows them.
func versionLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "gatewright (unknown build)"
	}
	line := "gatewright " + info.Main.Version
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		line += " " + revision
		if settings["vcs.modified"] == "true" {
			line += " (modified)"
		}
	}
	return line + " " + info.GoVersion
}
