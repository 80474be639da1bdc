// Package tracker has the handlers of the protocol tracker: one file each. They
// are thin; documents are the matter of internal/document, and what is kept of
// them that of internal/items.
package tracker

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/document"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
	"github.com/gatewright/gatewright/runtime/gate"
)

// store is what can change the tracker. Nothing but the permit of a commit
// opens it: previews hold read permits, and how it is opened has no name that
// other code could call.
var store = tracker.Guard(func(call *gate.Call) (*writer, error) {
	opened, err := items.OpenWriter(call.Context(), call.Workspace)
	if err != nil {
		return nil, err
	}
	// What a handler keeps beyond its call is of no use to it.
	context.AfterFunc(call.Context(), func() { _ = opened.Close() })
	return &writer{Writer: opened, by: items.By{Actor: call.Actor, Call: call.ID}}, nil
})

// A writer is a tracker that is changed on somebody's behalf.
type writer struct {
	*items.Writer

	by items.By
}

// readItems gives a read-only view of the tracker to do.
func readItems[Permit tracker.CanRead](ctx context.Context, permit Permit, do func(*items.Reader) error) (err error) {
	call, err := tracker.Open(permit)
	if err != nil {
		return err
	}
	reader, err := items.OpenReader(ctx, call.Workspace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return do(reader)
}

// readSource reads a document.
func readSource[Permit tracker.CanRead](permit Permit, name string) (read document.Document, err error) {
	call, err := tracker.Open(permit)
	if err != nil {
		return read, err
	}
	folder, err := document.Open(call.Workspace)
	if err != nil {
		return read, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	return folder.Read(name)
}

// value is what a property says, or the zero value where it is absent.
func value[T any](property *T) T {
	if property == nil {
		var zero T
		return zero
	}
	return *property
}

// present is a property that is absent where there is nothing to say.
func present(number int64) *int64 {
	if number == 0 {
		return nil
	}
	return &number
}
