package solo

import (
	"context"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/protocols/solo/internal/files"
)

// List is the handler of the tool list.
func List[Permit solo.ListPermit](_ context.Context, permit Permit, in solo.ListInput) (solo.ListOutput, error) {
	out := solo.ListOutput{Entries: []solo.ListOutputEntriesItem{}}
	err := reading(permit, func(tree *files.Tree) error {
		entries, more, err := tree.List(value(in.Path))
		for _, entry := range entries {
			item := solo.ListOutputEntriesItem{Path: entry.Path, Kind: solo.ListOutputEntriesItemKind(entry.Kind)}
			if entry.Kind == "file" {
				item.Size = &entry.Size
			}
			out.Entries = append(out.Entries, item)
		}
		out.More = more
		return err
	})
	return out, err
}
