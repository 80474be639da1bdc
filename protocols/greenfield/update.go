package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Update is the handler of the tool update.
func Update[Permit greenfield.UpdatePermit](ctx context.Context, permit Permit, in greenfield.UpdateInput) (greenfield.UpdateOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.UpdateOutput{}, err
	}
	done, err := writer.Update(ctx, writer.caller, value(in.KeepConflicts))
	if err != nil {
		return greenfield.UpdateOutput{}, err
	}
	out := greenfield.UpdateOutput{
		Commit: done.Commit, Base: done.Base, Branch: done.Branch, Conflicts: []string{}, WorkTree: greenfield.UpdateOutputWorkTree(done.WorkTree),
	}
	for _, name := range done.Conflicts[:min(len(done.Conflicts), maxFiles)] {
		out.Conflicts = append(out.Conflicts, worktree.Shown(name))
	}
	return out, nil
}
