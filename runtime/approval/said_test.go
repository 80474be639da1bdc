//go:build unix

package approval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
)

// What a program or a client says when it fails is for whoever runs the server.
// The agent, the store and the log get to know which kind of failure it was.
func TestWhatAProviderSaysWhenItFailsIsForTheServerAlone(t *testing.T) {
	temp, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(temp, 0o755))
	program := func(name, script string) approval.Policy {
		path := filepath.Join(temp, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		require.NoError(t, os.Chmod(path, 0o755))
		return approval.Policy{By: []approval.Source{{Provider: approval.CommandProvider, Command: []string{path}}}, Hold: -1}
	}
	missing := approval.Policy{By: []approval.Source{{Provider: approval.CommandProvider, Command: []string{"/nowhere/secret"}}}, Hold: -1}
	for name, c := range map[string]struct {
		policy approval.Policy
		client *speaker
		reason string
		detail string
	}{
		"stderr":  {program("loud", `echo "password=secret" >&2; exit 3`), nil, "the program that decides: failed", "password=secret"},
		"printed": {program("prints", `echo secret`), nil, "what it printed is no decision", "prints"},
		"missing": {missing, nil, "the program that decides: missing", "/nowhere/secret"},
		"client": {through("elicit"), &speaker{answer: says("accept", map[string]any{"secret": 1})},
			"elicit: " + string(approval.ErrGarbage), "secret"},
		"wire": {through("elicit"), &speaker{answer: errs("secret")}, "elicit: " + string(approval.ErrUnreachable), "secret"},
		"ours": {through("elicit"), &speaker{mute: true}, "elicit: the client shows no forms", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, c.policy)
			ask := d.ask(`{}`)
			if c.client != nil {
				ask.Client = c.client
			}
			decision := decide(t, d.chain(t), ask)
			require.NotEqual(t, gate.Approved, decision.Verdict)
			require.Contains(t, decision.Detail, c.detail)
			request, err := d.book.Get(t.Context(), decision.ID)
			require.NoError(t, err)
			for _, text := range []string{decision.Reason, request.Reason, d.recorded[1].Reason} {
				require.Contains(t, "elicit: "+text, c.reason)
				require.NotContains(t, text, "secret")
				require.NotContains(t, text, temp)
			}
		})
	}
}

func errs(text string) func(context.Context, approval.Question) (approval.Reply, error) {
	return func(context.Context, approval.Question) (approval.Reply, error) {
		return approval.Reply{}, errors.New(text)
	}
}
