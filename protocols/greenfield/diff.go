package greenfield

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/git"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
	"github.com/gatewright/gatewright/runtime/gate"
)

// maxPatch is how many bytes of a patch diff returns.
const maxPatch = 256 << 10

// Diff is the handler of the tool diff.
func Diff[Permit greenfield.DiffPermit](ctx context.Context, permit Permit, in greenfield.DiffInput) (greenfield.DiffOutput, error) {
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return greenfield.DiffOutput{}, err
	}
	commit, err := named(ctx, repository, in.Branch, in.Commit)
	if err != nil {
		return greenfield.DiffOutput{}, err
	}
	compared, err := repository.Compare(ctx, value(in.Base), commit)
	if err != nil {
		return greenfield.DiffOutput{}, err
	}
	out := describe(compared)
	out.Patch, out.Truncated, err = repository.Patch(ctx, compared.Base, compared.Commit, value(in.Path), maxPatch)
	if err != nil {
		return greenfield.DiffOutput{}, err
	}
	return judge(ctx, repository, compared, out)
}

// named returns the commit that is meant: the one that is given, the tip of a
// work branch, or that of the work branch that is checked out.
func named(ctx context.Context, repository *git.Repository, branch, commit *string) (string, error) {
	if commit != nil && branch == nil {
		return *commit, nil
	}
	tip, err := repository.Work(ctx, value(branch))
	if err != nil {
		return "", err
	}
	if commit != nil && *commit != tip.Tip {
		return "", refusal.New(refusal.CommitNotFound, "%s is at %s, not at %s", tip.Name, tip.Tip, *commit)
	}
	return tip.Tip, nil
}

// describe words what was compared.
func describe(compared git.Comparison) greenfield.DiffOutput {
	out := greenfield.DiffOutput{
		Base: compared.Base, Commit: compared.Commit, Tree: compared.Tree, Target: compared.Target.Name,
		Files: []greenfield.DiffOutputFilesItem{}, FileCount: int64(len(compared.Changes)),
	}
	for _, change := range compared.Changes[:min(len(compared.Changes), maxFiles)] {
		item := greenfield.DiffOutputFilesItem{
			Path: worktree.Shown(change.Path), Status: greenfield.DiffOutputFilesItemStatus(change.Status), Binary: change.Binary, Mode: change.Mode,
		}
		if !change.Binary {
			item.Added, item.Removed = &change.Added, &change.Removed
		}
		out.Files = append(out.Files, item)
	}
	return out
}

// judge says whether what was compared is approved, and what stands against it.
func judge(ctx context.Context, repository *git.Repository, compared git.Comparison, out greenfield.DiffOutput) (greenfield.DiffOutput, error) {
	_, err := repository.Approved(ctx, compared)
	if err != nil && !refusal.Is(err, refusal.NotApproved) {
		return greenfield.DiffOutput{}, err
	}
	out.Approved = err == nil
	err = repository.Obstacle(ctx, compared)
	var failure *gate.Failure
	switch {
	case errors.As(err, &failure):
		obstacle := string(failure.Code) + ": " + failure.Message
		out.Obstacle = &obstacle
	case err != nil:
		return greenfield.DiffOutput{}, err
	}
	return out, nil
}
