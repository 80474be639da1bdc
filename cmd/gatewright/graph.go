package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/graph"
)

func newGraph() *cobra.Command {
	format := string(graph.Mermaid)
	var formats []string
	for _, each := range graph.Formats() {
		formats = append(formats, string(each))
	}
	cmd := &cobra.Command{
		Use:   "graph [--format mermaid|dot] PATH",
		Short: "Draw a protocol: modes, tools and transitions",
		Long: `graph writes a protocol as a diagram: a box for each mode with the tools that it
holds, and an arrow for each transition. Exclusive tools and waivers stand out.
A protocol that breaks WF1 or WF2 is drawn too, with the violation marked.

Exit codes: 0 drawn, 2 it could not do its work.`,
		Example: "  gatewright graph protocols/greenfield/protocol.yaml > protocol.mmd\n  gatewright graph --format dot protocols/greenfield | dot -Tsvg > protocol.svg",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, each := range graph.Formats() {
				if format == string(each) {
					return draw(cmd, args[0], each)
				}
			}
			return fmt.Errorf("no format %q: choose one of %s", format, strings.Join(formats, ", "))
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "language of the diagram: "+strings.Join(formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
	return cmd
}

// draw needs a protocol that reads without errors of form; what the rules find
// in it is drawn.
func draw(cmd *cobra.Command, path string, format graph.Format) error {
	p, err := readForm(cmd.ErrOrStderr(), path)
	if err != nil {
		return err
	}
	found := check.Run(p, check.Options{})
	if _, err := io.WriteString(cmd.OutOrStdout(), graph.Draw(p, found, format)); err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	if diag.HasErrors(found) {
		fmt.Fprintf(cmd.ErrOrStderr(), "gatewright: %s has errors; `gatewright check` shows them\n", diag.Visible(p.File))
	}
	return nil
}
