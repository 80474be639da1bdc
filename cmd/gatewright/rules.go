package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List the rules that check holds protocols against",
		Long: `rules lists every rule: its id, what it is about, whether its findings are errors
or warnings, and whether a protocol can take them back with waive.`,
		Example: "  gatewright rules\n  gatewright explain WF1",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "RULE\tCATEGORY\tLEVEL\tWAIVABLE\tPURPOSE")
			for _, rule := range check.Rules() {
				waivable := "no"
				if rule.Waivable() {
					waivable = "yes"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", rule.ID, rule.Category, rule.Level, waivable, rule.Purpose)
			}
			if err := table.Flush(); err != nil {
				return fmt.Errorf("list the rules: %w", err)
			}
			return nil
		},
	}
}
