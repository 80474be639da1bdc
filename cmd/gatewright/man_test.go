package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// Every command, those of the library included, says what it does in short and
// at length, and shows how it is called. The manual is made of the same.
func TestEveryCommandIsDocumented(t *testing.T) {
	var each func(command *cobra.Command)
	each = func(command *cobra.Command) {
		for _, command := range command.Commands() {
			path := command.CommandPath()
			require.NotEmpty(t, command.Short, path)
			require.NotEmpty(t, command.Long, path)
			require.Contains(t, command.Example, path, path)
			each(command)
		}
	}
	root := newRoot()
	require.NotEmpty(t, root.Long)
	each(root)
}
