// Package greenfield has the handlers of the protocol greenfield: one file
// each. They are thin; files are the matter of internal/worktree, and git that
// of internal/git.
package greenfield

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/git"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
	"github.com/gatewright/gatewright/runtime/gate"
)

// files and repository are what can change the work tree and the repository.
// Nothing but a write permit of this protocol opens them: how they are opened
// has no name that other code could call. They are the only callers of what
// makes a writer.
var (
	files = greenfield.Guard(func(call *gate.Call) (*worktree.Writer, error) {
		opened, err := worktree.OpenWriter(call.Workspace)
		if err != nil {
			return nil, err
		}
		// What a handler keeps beyond its call is of no use to it.
		context.AfterFunc(call.Context(), func() { _ = opened.Close() })
		return opened, nil
	})
	repository = greenfield.Guard(func(call *gate.Call) (*writer, error) {
		opened, err := git.OpenWriter(call.Context(), call.Workspace)
		if err != nil {
			return nil, err
		}
		return &writer{Writer: opened, caller: git.Caller{Actor: call.Actor, Call: call.ID}}, nil
	})
)

// A writer is a repository that is written on somebody's behalf.
type writer struct {
	*git.Writer

	caller git.Caller
}

// readFiles gives a read-only view of the work tree to do.
func readFiles[Permit greenfield.CanRead](permit Permit, do func(*worktree.Tree) error) (err error) {
	call, err := greenfield.Open(permit)
	if err != nil {
		return err
	}
	tree, err := worktree.Open(call.Workspace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	return do(tree)
}

// readRepository gives a read-only view of the repository.
func readRepository[Permit greenfield.CanRead](ctx context.Context, permit Permit) (*git.Repository, error) {
	call, err := greenfield.Open(permit)
	if err != nil {
		return nil, err
	}
	return git.Open(ctx, call.Workspace)
}

// value is what a property says, or the zero value where it is absent.
func value[T any](property *T) T {
	if property == nil {
		var zero T
		return zero
	}
	return *property
}
