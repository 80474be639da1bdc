package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// maxMatches is how many lines search returns.
const maxMatches = 500

// Search is the handler of the tool search.
func Search[Permit greenfield.SearchPermit](ctx context.Context, permit Permit, in greenfield.SearchInput) (greenfield.SearchOutput, error) {
	searcher, err := worktree.NewSearcher(worktree.Query{
		Pattern: in.Pattern, Regex: value(in.Regex), AnyCase: value(in.IgnoreCase), Limit: maxMatches,
	})
	if err != nil {
		return greenfield.SearchOutput{}, err
	}
	if err := search(ctx, permit, searcher, in); err != nil {
		return greenfield.SearchOutput{}, err
	}
	out := greenfield.SearchOutput{
		Matches: make([]greenfield.SearchOutputMatchesItem, 0, len(searcher.Matches)), Truncated: searcher.Truncated,
		Files: int64(searcher.Files), Binary: int64(searcher.Binary), Large: int64(searcher.Large), Other: int64(searcher.Other),
	}
	for _, match := range searcher.Matches {
		out.Matches = append(out.Matches, greenfield.SearchOutputMatchesItem{Path: match.Path, Line: int64(match.Line), Text: match.Text, Cut: match.Cut})
	}
	return out, nil
}

func search[Permit greenfield.CanRead](ctx context.Context, permit Permit, searcher *worktree.Searcher, in greenfield.SearchInput) error {
	below := "."
	if in.Path != nil {
		below = *in.Path
	}
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return err
	}
	if in.Commit != nil {
		return repository.Search(ctx, searcher, *in.Commit, below)
	}
	names, err := repository.Names(ctx, below)
	if err != nil {
		return err
	}
	return readFiles(permit, func(tree *worktree.Tree) error { return tree.Search(ctx, searcher, names) })
}
