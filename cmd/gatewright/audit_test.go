package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/state"
)

// TestAuditScripts runs the scripts that need a log:
//
//	journal STATE WORKSPACE ENTRIES
func TestAuditScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/audit", UpdateScripts: os.Getenv("UPDATE") != "", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"journal": func(ts *testscript.TestScript, _ bool, args []string) {
				n, err := strconv.Atoi(args[2])
				ts.Check(err)
				j, err := openJournal(context.Background(), ts.MkAbs(args[0]), ts.MkAbs(args[1]))
				ts.Check(err)
				ts.Check(errors.Join(j.fill(context.Background(), n), j.close()))
			},
		},
	})
}

// Of several folders the one of the workspace is meant.
func TestTheFolderOfTheWorkspaceIsMeant(t *testing.T) {
	one, two := newJournal(t), newJournal(t)
	a := &auditing{workspace: t.TempDir()}
	both := []*state.Folder{one.folder, two.folder}
	chosen, err := a.choose(both[:1])
	require.NoError(t, err)
	require.Same(t, one.folder, chosen, "the only one")
	_, err = a.choose(both)
	require.ErrorContains(t, err, one.dir)
	require.ErrorContains(t, err, two.dir)
	_, err = a.choose(nil)
	require.ErrorContains(t, err, "no server has written a log here")
	a.here = true
	_, err = a.choose(both[:1])
	require.ErrorContains(t, err, "no server has written a log for the workspace")
}
