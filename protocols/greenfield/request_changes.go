package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/git"
)

// RequestChanges is the handler of the tool request_changes.
func RequestChanges[Permit greenfield.RequestChangesPermit](ctx context.Context, permit Permit, in greenfield.RequestChangesInput) (greenfield.RequestChangesOutput, error) {
	done, err := remark(ctx, permit, in.Base, in.Commit, git.Remark{Kind: git.RequestChanges, Text: in.Text, Path: value(in.Path), Line: value(in.Line)})
	if err != nil {
		return greenfield.RequestChangesOutput{}, err
	}
	return greenfield.RequestChangesOutput{Commit: done.Commit, Base: done.Base, Review: done.ID, Withdrawn: present(done.Withdrawn)}, nil
}
