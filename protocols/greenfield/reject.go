package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/git"
)

// Reject is the handler of the tool reject.
func Reject[Permit greenfield.RejectPermit](ctx context.Context, permit Permit, in greenfield.RejectInput) (greenfield.RejectOutput, error) {
	done, err := remark(ctx, permit, in.Base, in.Commit, git.Remark{Kind: git.Reject, Text: in.Text, Path: value(in.Path), Line: value(in.Line)})
	if err != nil {
		return greenfield.RejectOutput{}, err
	}
	return greenfield.RejectOutput{Commit: done.Commit, Base: done.Base, Review: done.ID, Withdrawn: present(done.Withdrawn)}, nil
}
