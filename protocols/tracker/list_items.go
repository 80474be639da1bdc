package tracker

import (
	"context"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
)

// maxListed is how many items list_items returns.
const maxListed = 200

// ListItems is the handler of the tool list_items.
func ListItems[Permit tracker.ListItemsPermit](ctx context.Context, permit Permit, in tracker.ListItemsInput) (tracker.ListItemsOutput, error) {
	filter := items.Filter{State: items.State(value(in.State)), Document: value(in.Document), After: value(in.After), Limit: maxListed}
	if in.Limit != nil {
		filter.Limit = int(*in.Limit)
	}
	out := tracker.ListItemsOutput{Items: []tracker.ListItemsOutputItemsItem{}}
	err := readItems(ctx, permit, func(reader *items.Reader) error {
		found, more, err := reader.List(ctx, filter)
		for _, item := range found {
			out.Items = append(out.Items, tracker.ListItemsOutputItemsItem{
				Id: item.ID, Title: item.Title, State: tracker.ListItemsOutputItemsItemState(item.State),
				Estimate: present(item.Estimate), Document: item.Document,
			})
		}
		out.More = more
		return err
	})
	return out, err
}
