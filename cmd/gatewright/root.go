package main

import "github.com/spf13/cobra"

// The exit codes of every command.
const (
	exitFindings = 1 // the protocol, or the generated tree, is not as it should be
	exitFailed   = 2 // the command could not do its work
)

// An exitError ends the program with a code of its own. Without an err nothing
// more is printed: what there is to say has been said.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return "findings were reported"
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// newRoot is the whole command; each command adds itself in one line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "gatewright",
		Short:         "Turn a protocol of modes and tools into gated MCP servers",
		Long:          "gatewright checks a protocol file (modes, tools, and who may approve what) and\ngenerates from it one MCP server per mode, whose tools cannot run without the gate.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newCheck(), newRules(), newExplain())
	root.AddCommand(newDiff(), newAdopt(), newApprovals(), newCommits(), newAudit(), newGraph())
	root.AddCommand(newInit(), newConnect(), newSchema(), newMan())
	root.AddCommand(newGenerate(), newVet(), newVersion())
	return documented(root)
}
