package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Bounds of what commit returns.
const (
	maxFiles   = 1000
	maxSkipped = 100
)

// Commit is the handler of the tool commit.
func Commit[Permit greenfield.CommitPermit](ctx context.Context, permit Permit, in greenfield.CommitInput) (greenfield.CommitOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.CommitOutput{}, err
	}
	done, err := writer.Commit(ctx, writer.caller, value(in.Branch), in.Message)
	if err != nil {
		return greenfield.CommitOutput{}, err
	}
	out := greenfield.CommitOutput{
		Commit: done.Commit, Base: done.Base, Branch: done.Branch,
		Files: []string{}, FileCount: int64(len(done.Files)),
		Skipped: []greenfield.CommitOutputSkippedItem{}, SkippedCount: int64(len(done.Skipped)),
	}
	for _, name := range done.Files[:min(len(done.Files), maxFiles)] {
		out.Files = append(out.Files, worktree.Shown(name))
	}
	for _, skipped := range done.Skipped[:min(len(done.Skipped), maxSkipped)] {
		out.Skipped = append(out.Skipped, greenfield.CommitOutputSkippedItem{Path: skipped.Path, Reason: skipped.Reason})
	}
	return out, nil
}
