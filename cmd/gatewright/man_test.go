package main

import (
	"os"
	"path/filepath"
	"strings"
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

// Lists stand in the pages as they stand in the help.
func TestListsKeepTheirShapeInThePages(t *testing.T) {
	dir := t.TempDir()
	root := newRoot()
	root.SetArgs([]string{"man", dir})
	require.NoError(t, root.Execute())
	for page, list := range map[string]string{
		"gatewright-audit-anchor.1":   "  gatewright audit log v1\n  protocol ID\n",
		"gatewright-audit-verify.1":   "  whole       whether log and state.json are what was written\n",
		"gatewright-approvals-list.1": "asked_at, expires_at, decided_at, used_at",
	} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		before, _, found := strings.Cut(string(text), list)
		require.True(t, found, page)
		require.Greater(t, strings.LastIndex(before, ".EX"), strings.LastIndex(before, ".EE"), "%s prints the list as it stands", page)
	}
}
