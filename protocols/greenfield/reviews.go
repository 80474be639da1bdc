package greenfield

import (
	"context"
	"time"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// maxReviews is how many remarks reviews returns.
const maxReviews = 200

// Reviews is the handler of the tool reviews.
func Reviews[Permit greenfield.ReviewsPermit](ctx context.Context, permit Permit, in greenfield.ReviewsInput) (greenfield.ReviewsOutput, error) {
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return greenfield.ReviewsOutput{}, err
	}
	commit, err := named(ctx, repository, in.Branch, in.Commit)
	if err != nil {
		return greenfield.ReviewsOutput{}, err
	}
	commits := []string{commit}
	if in.Commit == nil {
		if commits, err = repository.Commits(ctx, commit); err != nil {
			return greenfield.ReviewsOutput{}, err
		}
	}
	target, err := repository.Target(ctx)
	if err != nil {
		return greenfield.ReviewsOutput{}, err
	}
	decision, err := repository.Decision(ctx, target.Tip, commit)
	if err != nil {
		return greenfield.ReviewsOutput{}, err
	}
	said, more, err := repository.Reviews(ctx, commits, maxReviews)
	if err != nil {
		return greenfield.ReviewsOutput{}, err
	}
	out := greenfield.ReviewsOutput{
		Commit: commit, Base: target.Tip, Decision: greenfield.ReviewsOutputDecision(decision),
		Reviews: make([]greenfield.ReviewsOutputReviewsItem, 0, len(said)), Truncated: more,
	}
	for _, v := range said {
		out.Reviews = append(out.Reviews, greenfield.ReviewsOutputReviewsItem{
			Review: v.ID, Kind: greenfield.ReviewsOutputReviewsItemKind(v.Kind), Commit: v.Commit, Base: v.Base, Text: v.Text,
			Path: present(v.Path), Line: present(v.Line), Actor: worktree.Shown(v.Actor), At: v.At.Format(time.RFC3339),
		})
	}
	return out, nil
}
