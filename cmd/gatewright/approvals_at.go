package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// atDesk does something with the open folders, and says which were left out.
func atDesk(cmd *cobra.Command, stateDir string, do func(*desk) error) error {
	desk, err := openDesk(cmd.Context(), stateDir)
	if err != nil {
		return err
	}
	defer desk.close()
	err = do(desk)
	for _, problem := range desk.problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "gatewright: left out: %s\n", problem)
	}
	return err
}

// completed offers ids for the one argument of a command.
func completed(cmd *cobra.Command, args []string, stateDir string, ids func(*desk) []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	desk, err := openDesk(cmd.Context(), stateDir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer desk.close()
	return ids(desk), cobra.ShellCompDirectiveNoFileComp
}
