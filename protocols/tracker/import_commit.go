package tracker

import (
	"context"
	"fmt"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
	"github.com/gatewright/gatewright/runtime/gate"
)

// ImportCommit is the commit of the tool import. It inserts what the plan
// holds, whatever the document says by now. An item that somebody else has
// imported since the preview is left as it is, and makes the import a partial
// one.
func ImportCommit[Permit tracker.ImportCommitPermit](ctx context.Context, permit Permit, plan tracker.ImportPlan) (tracker.ImportOutput, error) {
	writer, err := tracker.Use(permit, store)
	if err != nil {
		return tracker.ImportOutput{}, err
	}
	defer func() { _ = writer.Close() }() // what is in it is kept already
	drafts := make([]items.Draft, 0, len(plan.Items))
	for _, item := range plan.Items {
		drafts = append(drafts, items.Draft{
			Key: item.Key, Document: plan.Document, Line: item.Line, Title: item.Title, Description: item.Description, Estimate: value(item.Estimate),
		})
	}
	created, existing, err := writer.Insert(ctx, writer.by, drafts)
	if err != nil {
		return tracker.ImportOutput{}, err
	}
	if len(existing) > 0 {
		return tracker.ImportOutput{}, partial(created, existing)
	}
	out := tracker.ImportOutput{Document: plan.Document, Sha256: plan.Sha256, Created: []int64{}}
	for _, placed := range created {
		out.Created = append(out.Created, placed.ID)
	}
	return out, nil
}

// partial says how far an import got, in the keys of its plan.
func partial(created, existing []items.Placed) *gate.Partial {
	far := &gate.Partial{Message: "some items have been imported by somebody else since the preview; they stay as they are", Finished: []string{}}
	for _, placed := range created {
		far.Finished = append(far.Finished, placed.Draft.Key)
	}
	for _, placed := range existing {
		far.Failed = append(far.Failed, gate.FailedItem{Item: placed.Draft.Key, Reason: fmt.Sprintf("it is item %d already", placed.ID)})
	}
	return far
}
