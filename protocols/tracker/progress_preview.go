package tracker

import (
	"context"
	"strings"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// ProgressPreview is the preview of the tool progress.
func ProgressPreview[Permit tracker.ProgressPreviewPermit](ctx context.Context, permit Permit, in tracker.ProgressInput) (tracker.ProgressPlan, error) {
	var item items.Item
	err := readItems(ctx, permit, func(reader *items.Reader) (err error) {
		item, _, err = reader.Show(ctx, in.Item, 0)
		return err
	})
	if err != nil {
		return tracker.ProgressPlan{}, err
	}
	note := value(in.Note)
	switch {
	case strings.TrimSpace(note) != "":
	case items.State(in.State) == item.State:
		return tracker.ProgressPlan{}, refusal.New(refusal.NothingToReport, "item %d is %s already", in.Item, in.State)
	case items.State(in.State) == items.Blocked:
		return tracker.ProgressPlan{}, refusal.New(refusal.NoteMissing, "item %d would be blocked, and nothing says by what", in.Item)
	}
	return tracker.ProgressPlan{
		Item: item.ID, Title: item.Title,
		Before: tracker.ProgressPlanBefore{State: tracker.ProgressPlanState(item.State), Revision: item.Revision},
		After:  tracker.ProgressPlanAfter{State: tracker.ProgressPlanState(in.State), Revision: item.Revision + 1, Note: note},
	}, nil
}
