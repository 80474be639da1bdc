package tracker

import (
	"context"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
)

// ProgressCommit is the commit of the tool progress. It changes the item only
// as long as that is as the plan shows it.
func ProgressCommit[Permit tracker.ProgressCommitPermit](ctx context.Context, permit Permit, plan tracker.ProgressPlan) (tracker.ProgressOutput, error) {
	writer, err := tracker.Use(permit, store)
	if err != nil {
		return tracker.ProgressOutput{}, err
	}
	defer func() { _ = writer.Close() }() // what is in it is kept already
	revision, err := writer.Report(ctx, writer.by, items.Change{
		Item: plan.Item, Revision: plan.Before.Revision,
		Before: items.State(plan.Before.State), After: items.State(plan.After.State), Note: plan.After.Note,
	})
	if err != nil {
		return tracker.ProgressOutput{}, err
	}
	return tracker.ProgressOutput{Item: plan.Item, State: tracker.ProgressOutputState(plan.After.State), Revision: revision}, nil
}
