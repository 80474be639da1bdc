package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `man writes a manual page for each command to DIR, which it makes where there is
none: what --help says, for man. Pages of before are written over.`,
		Example: "  gatewright man ~/.local/share/man/man1\n  man gatewright-check",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for everybody to read
				return fmt.Errorf("write the manual pages: %w", err)
			}
			header := &doc.GenManHeader{Section: "1", Date: built(), Source: "gatewright " + version(), Manual: "gatewright"}
			if err := doc.GenManTree(asPages(cmd.Root()), header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// built is when the source was committed that this program was made of, so that
// the same program writes the same pages; nil where it does not know.
func built() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, setting := range info.Settings {
		if setting.Key != "vcs.time" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, setting.Value); err == nil {
			return &at
		}
	}
	return nil
}

// asPages indents the lists in the texts of all commands as much as Markdown
// wants for text that is printed as it stands; the pages are made through it.
func asPages(command *cobra.Command) *cobra.Command {
	command.Long = strings.ReplaceAll("\n"+command.Long, "\n  ", "\n      ")[1:]
	for _, each := range command.Commands() {
		asPages(each)
	}
	return command
}

// documented gives the commands that the library adds what all others have: an
// example. With it the pages of all commands are without the date of today.
func documented(root *cobra.Command) *cobra.Command {
	root.DisableAutoGenTag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			command.Example = "  gatewright help check"
		case "completion":
			command.Example = "  source <(gatewright completion bash)"
			for _, shell := range command.Commands() {
				shell.Example = "  gatewright completion " + shell.Name()
			}
		}
	}
	return root
}
