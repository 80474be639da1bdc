package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Revert is the handler of the tool revert.
func Revert[Permit greenfield.RevertPermit](ctx context.Context, permit Permit, in greenfield.RevertInput) (greenfield.RevertOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.RevertOutput{}, err
	}
	done, err := writer.Revert(ctx, writer.caller, in.Commit, in.Branch, in.Reason)
	if err != nil {
		return greenfield.RevertOutput{}, err
	}
	return greenfield.RevertOutput{Commit: done.Commit, Base: done.Base, Branch: done.Branch, WorkTree: greenfield.RevertOutputWorkTree(done.WorkTree)}, nil
}
