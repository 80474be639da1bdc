// Package solo has the handlers of the protocol solo: one file each. They are
// thin; files are the matter of internal/files.
package solo

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/protocols/solo/internal/files"
	"github.com/gatewright/gatewright/runtime/gate"
)

// workspace is what changes files. Nothing but the permit of a write tool opens
// it, so only a call that the gate has admitted does.
var workspace = solo.Guard(func(call *gate.Call) (*files.Writer, error) {
	writer, err := files.OpenWriter(call.Workspace)
	if err != nil {
		return nil, err
	}
	// What a handler keeps beyond its call is of no use to it.
	context.AfterFunc(call.Context(), func() { _ = writer.Close() })
	return writer, nil
})

// reading gives a read-only view of the workspace to do.
func reading[Permit solo.CanRead](permit Permit, do func(*files.Tree) error) (err error) {
	call, err := solo.Open(permit)
	if err != nil {
		return err
	}
	tree, err := files.Open(call.Workspace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	return do(tree)
}

// value is what a property says, or the zero value where it is absent.
func value[T any](property *T) T {
	if property == nil {
		var zero T
		return zero
	}
	return *property
}
