package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/git"
)

// Comment is the handler of the tool comment.
func Comment[Permit greenfield.CommentPermit](ctx context.Context, permit Permit, in greenfield.CommentInput) (greenfield.CommentOutput, error) {
	done, err := remark(ctx, permit, in.Base, in.Commit, git.Remark{Kind: git.Comment, Text: in.Text, Path: value(in.Path), Line: value(in.Line)})
	if err != nil {
		return greenfield.CommentOutput{}, err
	}
	return greenfield.CommentOutput{Commit: done.Commit, Base: done.Base, Review: done.ID}, nil
}

// remark records what a reviewer says.
func remark[Permit greenfield.CanWrite](ctx context.Context, permit Permit, base, commit string, said git.Remark) (git.Review, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return git.Review{}, err
	}
	return writer.Review(ctx, writer.caller, base, commit, said)
}

// present is a pointer to what is said, and nil where nothing is.
func present[T comparable](said T) *T {
	var zero T
	if said == zero {
		return nil
	}
	return &said
}
