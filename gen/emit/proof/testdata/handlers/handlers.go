// Package sample has the handlers that the attacks try to run.
package sample

import (
	"context"

	"example.com/s/generated/sample"
	"github.com/gatewright/gatewright/runtime/gate"
)

// A Writer stands for what changes the world.
type Writer struct{ workspace string }

// Write changes it.
func (w *Writer) Write(path string) error { return nil }

// Files is exported so that attacks can name it: the guard has to hold anyway.
var Files = sample.Guard(func(call *gate.Call) (*Writer, error) { return &Writer{workspace: call.Workspace}, nil })

// List opens its permit.
func List[Permit sample.ListPermit](ctx context.Context, permit Permit, in sample.ListInput) (sample.ListOutput, error) {
	_, err := sample.Open(permit)
	return sample.ListOutput{}, err
}

// Edit uses a guarded client.
func Edit[Permit sample.EditPermit](ctx context.Context, permit Permit, in sample.EditInput) (sample.EditOutput, error) {
	writer, err := sample.Use(permit, Files)
	if err != nil {
		return sample.EditOutput{}, err
	}
	return sample.EditOutput{Changed: true}, writer.Write(in.Path)
}

// Approve opens its permit.
func Approve[Permit sample.ApprovePermit](ctx context.Context, permit Permit, in sample.ApproveInput) error {
	_, err := sample.Open(permit)
	return err
}

// Merge never touches its permit, which is careless.
func Merge[Permit sample.MergePermit](ctx context.Context, permit Permit, in sample.MergeInput) error {
	return nil
}
