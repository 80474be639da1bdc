package git

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/trial"
)

// TestCommand is the file that names the program which tests the repository. It
// counts as the target branch has it, so a change of it counts once it was
// approved and merged.
const TestCommand = ".gatewright/tests"

// A Tested commit.
type Tested struct {
	trial.Result

	Commit  string
	Command trial.Command
}

// Test runs the tests of a commit in a throw-away clone. That runs whatever the
// commit holds, so it is the matter of a writer. Nobody but the protocol's mode
// for it calls this.
func (w *Writer) Test(ctx context.Context, commit string, bounds trial.Bounds) (done Tested, err error) {
	done.Commit = commit
	target, err := w.Target(ctx)
	if err != nil {
		return done, err
	}
	text, err := w.Read(ctx, target.Tip, TestCommand)
	if refusal.Is(err, refusal.FileNotFound) {
		return done, refusal.New(refusal.NoTestCommand, "%s has no %s", target.Name, TestCommand)
	}
	if err != nil {
		return done, err
	}
	if done.Command, err = trial.Parse(string(text)); err != nil {
		return done, err
	}
	clone, err := w.Clone(ctx, commit)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, clone.Close()) }()
	done.Result, err = trial.Run(ctx, done.Command, clone.Folder, clone.Home, w.workTree, bounds)
	return done, err
}
