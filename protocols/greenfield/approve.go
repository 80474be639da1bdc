package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Approve is the handler of the tool approve.
func Approve[Permit greenfield.ApprovePermit](ctx context.Context, permit Permit, in greenfield.ApproveInput) (greenfield.ApproveOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.ApproveOutput{}, err
	}
	done, err := writer.Approve(ctx, writer.caller, in.Base, in.Commit)
	if err != nil {
		return greenfield.ApproveOutput{}, err
	}
	return greenfield.ApproveOutput{
		Commit: done.Commit, Base: done.Base, Tree: done.Tree, Target: done.Target, Approval: done.ID, Already: done.Already,
	}, nil
}
