package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/cmd/gatewright/internal/tree"
	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/handlers"
)

// The test binary is the command, too, and what tests need beside it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gatewright":    func() { os.Exit(run()) },
		"mode-server":   func() { os.Exit(serveMode()) },
		"away-from-tty": func() { os.Exit(awayFromTTY()) },
		"dying-commit":  func() { os.Exit(dieCommitting()) },
	})
}

// TestScripts runs the scripts of every command but generate, which needs more
// around it.
func TestScripts(t *testing.T) {
	all, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	var scripts []string
	for _, script := range all {
		if !strings.HasPrefix(filepath.Base(script), "generate") {
			scripts = append(scripts, script)
		}
	}
	testscript.Run(t, testscript.Params{
		Files: scripts, UpdateScripts: os.Getenv("UPDATE") != "", RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// What generation reports can be explained, too.
func TestRulesOfGenerationAreExplained(t *testing.T) {
	for _, id := range []string{
		tree.RuleForeign, tree.RuleLink, tree.RuleCase, tree.RuleOwner,
		handlers.RuleSignature, handlers.RuleSyntax, handlers.RulePackage, handlers.RuleShared, handlers.RuleName,
	} {
		rule, ok := check.Lookup(id)
		require.True(t, ok, id)
		require.Equal(t, check.Generated, rule.Category)
	}
}

// Every command says what it does and shows how it is called.
func TestEveryCommandHasAnExample(t *testing.T) {
	for _, command := range newRoot().Commands() {
		require.NotEmpty(t, command.Short, command.Name())
		require.NotEmpty(t, command.Example, command.Name())
	}
}

// Nothing but a terminal gets colours.
func TestColourIsForTerminals(t *testing.T) {
	require.False(t, wantsColour(&bytes.Buffer{}))
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	require.False(t, wantsColour(file))
}
