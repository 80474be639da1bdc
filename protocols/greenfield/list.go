package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// maxEntries is how many entries list returns.
const maxEntries = 2000

// List is the handler of the tool list.
func List[Permit greenfield.ListPermit](ctx context.Context, permit Permit, in greenfield.ListInput) (greenfield.ListOutput, error) {
	folder := "."
	if in.Path != nil {
		folder = *in.Path
	}
	listing, err := list(ctx, permit, folder, in)
	if err != nil {
		return greenfield.ListOutput{}, err
	}
	out := greenfield.ListOutput{
		Entries: make([]greenfield.ListOutputEntriesItem, 0, len(listing.Entries)), Truncated: listing.Truncated, Hidden: int64(listing.Hidden),
	}
	for _, entry := range listing.Entries {
		item := greenfield.ListOutputEntriesItem{Path: entry.Path, Kind: greenfield.ListOutputEntriesItemKind(entry.Kind)}
		if entry.Kind == worktree.File {
			item.Size = &entry.Size
		}
		out.Entries = append(out.Entries, item)
	}
	return out, nil
}

func list[Permit greenfield.CanRead](ctx context.Context, permit Permit, folder string, in greenfield.ListInput) (listing worktree.Listing, err error) {
	if in.Commit == nil {
		err = readFiles(permit, func(tree *worktree.Tree) (err error) {
			listing, err = tree.List(ctx, folder, value(in.Recursive), maxEntries)
			return err
		})
		return listing, err
	}
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return listing, err
	}
	return repository.List(ctx, *in.Commit, folder, value(in.Recursive), maxEntries)
}
