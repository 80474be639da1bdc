package greenfield

import (
	"context"
	"strings"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// maxBranches is how many work branches branches returns.
const maxBranches = 50

// Branches is the handler of the tool branches.
func Branches[Permit greenfield.BranchesPermit](ctx context.Context, permit Permit, _ greenfield.BranchesInput) (greenfield.BranchesOutput, error) {
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return greenfield.BranchesOutput{}, err
	}
	target, standing, more, err := repository.Branches(ctx, maxBranches)
	if err != nil {
		return greenfield.BranchesOutput{}, err
	}
	out := greenfield.BranchesOutput{
		Target: target.Name, Base: target.Tip, Truncated: more, Branches: make([]greenfield.BranchesOutputBranchesItem, 0, len(standing)),
	}
	for _, one := range standing {
		out.Branches = append(out.Branches, greenfield.BranchesOutputBranchesItem{
			Branch: strings.TrimPrefix(one.Name, "work/"), Commit: one.Tip, Ahead: one.Ahead, Behind: one.Behind,
			CheckedOut: one.CheckedOut, Decision: greenfield.BranchesOutputBranchesItemDecision(one.Decision),
		})
	}
	return out, nil
}
