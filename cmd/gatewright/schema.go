package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/jsonschema"
)

func newSchema() *cobra.Command {
	var names []string
	var completions []cobra.Completion
	var list strings.Builder
	for _, schema := range jsonschema.Schemas() {
		names = append(names, schema.Name)
		completions = append(completions, cobra.CompletionWithDesc(schema.Name, schema.What))
		fmt.Fprintf(&list, "    %-12s %s\n", schema.Name, schema.What)
	}
	return &cobra.Command{
		Use:   "schema " + strings.Join(names, "|"),
		Short: "Print a JSON Schema of what gatewright reads or writes",
		Long: `schema prints a JSON Schema (draft 2020-12) of

` + list.String() + `
With that of protocols, an editor completes keys and marks mistakes while you
type. Save it beside the protocol and name it in the protocol's first line:

    # yaml-language-server: $schema=protocol.schema.json`,
		Example:           "  gatewright schema protocol > protocol.schema.json\n  gatewright schema audit",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, ok := jsonschema.Text(args[0])
			if !ok {
				return fmt.Errorf("there is no schema %s: choose one of %s", diag.Quote(args[0]), strings.Join(names, ", "))
			}
			if _, err := cmd.OutOrStdout().Write(text); err != nil {
				return fmt.Errorf("print the schema: %w", err)
			}
			return nil
		},
	}
}
