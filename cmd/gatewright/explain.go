package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "Say what a rule, or an answer of the gate, is about and what to do",
		Long: `explain says of a rule what holds where it finds nothing, why, and how to mend
what it finds, with an example of each. Of a code with which a running gate
answers it says what happened and what to do next.`,
		Example: "  gatewright explain WF1\n  gatewright explain TOOL_NOT_IN_MODE",
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var ids []cobra.Completion
			for _, rule := range check.Rules() {
				ids = append(ids, cobra.CompletionWithDesc(rule.ID, rule.Purpose))
			}
			for _, code := range slices.Concat(check.Codes(), check.Warnings()) {
				ids = append(ids, cobra.CompletionWithDesc(code.ID, code.What))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text, nearest, ok := check.Explain(args[0])
			if ok {
				_, err := fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			message := "nothing is called " + diag.Quote(args[0])
			if nearest != "" {
				message += fmt.Sprintf("; did you mean %s?", nearest)
			}
			return errors.New(message + "\n`gatewright rules` lists the rules")
		},
	}
}
