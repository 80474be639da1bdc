package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Merge is the handler of the tool merge.
func Merge[Permit greenfield.MergePermit](ctx context.Context, permit Permit, in greenfield.MergeInput) (greenfield.MergeOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.MergeOutput{}, err
	}
	done, err := writer.Merge(ctx, in.Base, in.Commit)
	if err != nil {
		return greenfield.MergeOutput{}, err
	}
	return greenfield.MergeOutput{
		Commit: done.Commit, Base: done.Base, Target: done.Target, Approval: done.ID, WorkTree: greenfield.MergeOutputWorkTree(done.WorkTree),
	}, nil
}
