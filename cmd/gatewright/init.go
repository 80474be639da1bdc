package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/templates"
)

func newInit() *cobra.Command {
	s := &start{}
	var names []string
	var completions []cobra.Completion
	var list strings.Builder
	for _, template := range templates.Templates() {
		names = append(names, template.ID)
		completions = append(completions, cobra.CompletionWithDesc(template.ID, template.What))
		fmt.Fprintf(&list, "    %-12s %s\n", template.ID, template.What)
	}
	cmd := &cobra.Command{
		Use:   "init [--template " + strings.Join(names, "|") + "] DIR",
		Short: "Start a tree with a protocol and handlers that work",
		Long: `init writes a protocol and its handlers to DIR/protocols/<id>, to be changed as
you like, and prints the commands that generate, build and connect its servers.
DIR is the top folder of a Go module, or becomes one. The templates:

` + list.String() + `
No file is written over: where something is in the way, nothing is written.

Exit codes: 0 written, 1 something is in the way, 2 it could not do its work.`,
		Example: "  gatewright init ./work\n  gatewright init --template greenfield --module example.com/work ./work",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.dir = args[0]
			taken, err := s.run()
			if err != nil {
				return err
			}
			if len(taken) > 0 {
				if err := diag.Text(cmd.ErrOrStderr(), taken, nil, wantsColour(cmd.ErrOrStderr())); err != nil {
					return err
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "nothing was written")
				return exitError{code: exitFindings}
			}
			s.next(cmd.OutOrStdout())
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVar(&s.template, "template", names[0], "what to start with: "+strings.Join(names, ", "))
	cmd.Flags().StringVar(&s.module, "module", "", "path of the Go module, where DIR becomes one")
	cmd.Flags().StringVar(&s.replace, "replace", "", "checkout of gatewright to build with, in place of a published version")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
	_ = cmd.MarkFlagDirname("replace")
	return cmd
}

// next says what was written and which commands make servers of it.
func (s *start) next(out io.Writer) {
	id, mode := s.template, ""
	for _, template := range templates.Templates() {
		if template.ID == id {
			mode = template.Mode
		}
	}
	fmt.Fprintf(out, "wrote the protocol %s to %s\n", id, diag.Visible(s.path("protocols/"+id)))
	for _, kept := range s.kept {
		fmt.Fprintf(out, "%s was there already and stays as it is\n", diag.Visible(s.path(kept)))
	}
	if s.created {
		fmt.Fprintf(out, "the Go module is called %s; rename it in go.mod and in the imports\n", s.module)
	}
	commands, at := []string{"cd " + shellWord(s.dir)}, ""
	switch {
	case s.replace != "" && !s.required:
		commands = append(commands, "go mod edit "+shellWord("-require="+home+"@"+placeholder)+" "+shellWord("-replace="+home+"="+s.replace))
	case released():
		at = "@" + version()
	case !s.required:
		commands = append(commands,
			"# this gatewright is no published version: name a checkout of it",
			"go mod edit -require="+home+"@"+placeholder+" -replace="+home+"=/PATH/TO/gatewright")
	}
	commands = append(commands,
		"go get -tool "+home+"/cmd/gatewright"+at,
		"go tool gatewright generate ./...",
		"go mod tidy",
		"go build -o bin/ ./generated/"+id+"/cmd/...",
		"go tool gatewright connect claude --protocol protocols/"+id+" --mode "+mode,
	)
	fmt.Fprintf(out, "\nnext:\n\n")
	for _, command := range commands {
		fmt.Fprintf(out, "  %s\n", command)
	}
	fmt.Fprintf(out, "\nThe last line prints the configuration for one agent. One agent, one mode: an agent that\nis given the servers of every mode has every mode.\n")
}
