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
	commit := value(in.Commit)
	if commit == "" || in.Branch != nil {
		branch, err := repository.Work(ctx, value(in.Branch))
		if err != nil {
			return greenfield.DiffOutput{}, err
		}
		if commit != "" && commit != branch.Tip {
			return greenfield.DiffOutput{}, refusal.New(refusal.CommitNotFound, "%s is at %s, not at %s", branch.Name, branch.Tip, commit)
		}
		commit = branch.Tip
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
