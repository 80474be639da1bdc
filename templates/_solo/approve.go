package solo

import (
	"context"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/protocols/solo/internal/files"
	"github.com/gatewright/gatewright/runtime/gate"
)

// Approve is the handler of the tool approve.
func Approve[Permit solo.ApprovePermit](_ context.Context, permit Permit, in solo.ApproveInput) error {
	call, err := solo.Open(permit)
	if err != nil {
		return err
	}
	writer, err := solo.Use(permit, workspace)
	if err != nil {
		return err
	}
	_, digest, err := writer.Read(in.Path)
	if err != nil {
		return err
	}
	if digest != in.Digest {
		return &gate.Failure{
			Code: "FILE_CHANGED", Message: "the file is not the text of that digest any more",
			Next: "Read the file again and look at what it is now.",
		}
	}
	return writer.Record(files.Approval{
		Path: in.Path, Digest: digest, Base: digest, Note: value(in.Note), Actor: call.Actor, Call: call.ID,
	})
}
