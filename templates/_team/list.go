package team

import (
	"context"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/protocols/team/internal/files"
)

// List is the handler of the tool list.
func List[Permit team.ListPermit](_ context.Context, permit Permit, in team.ListInput) (team.ListOutput, error) {
	out := team.ListOutput{Entries: []team.ListOutputEntriesItem{}}
	err := reading(permit, func(tree *files.Tree) error {
		entries, more, err := tree.List(value(in.Path))
		for _, entry := range entries {
			item := team.ListOutputEntriesItem{Path: entry.Path, Kind: team.ListOutputEntriesItemKind(entry.Kind)}
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
