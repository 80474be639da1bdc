package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/document"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// ImportPreview is the preview of the tool import.
func ImportPreview[Permit tracker.ImportPreviewPermit](ctx context.Context, permit Permit, in tracker.ImportInput) (tracker.ImportPlan, error) {
	read, err := readSource(permit, in.Document)
	if err != nil {
		return tracker.ImportPlan{}, err
	}
	found, err := document.Parse(read)
	if err != nil {
		return tracker.ImportPlan{}, err
	}
	var stored map[string]int64
	err = readItems(ctx, permit, func(reader *items.Reader) (err error) {
		stored, err = reader.Stored(ctx, keys(found.Items))
		return err
	})
	if err != nil {
		return tracker.ImportPlan{}, err
	}
	plan := planned(read, found, stored)
	switch {
	case len(plan.Items) == 0:
		return tracker.ImportPlan{}, refusal.New(refusal.NothingToImport, "%q has nothing to import: %s", read.Name, count(plan.Skipped))
	case len(plan.Skipped) > document.MaxItems:
		return tracker.ImportPlan{}, refusal.New(refusal.DocumentTooLarge, "%q holds more than %d items to skip", read.Name, document.MaxItems)
	}
	return plan, nil
}

func keys(found []document.Item) []string {
	all := make([]string, 0, len(found))
	for _, item := range found {
		all = append(all, item.Key)
	}
	return all
}

// planned is what is to be inserted of a document, given what is stored.
func planned(read document.Document, found document.Found, stored map[string]int64) tracker.ImportPlan {
	plan := tracker.ImportPlan{
		Document: read.Name, Sha256: read.SHA256, Items: []tracker.ImportPlanItemsItem{}, Skipped: []tracker.ImportPlanSkippedItem{},
	}
	for _, item := range found.Items {
		if id, ok := stored[item.Key]; ok {
			plan.Skipped = append(plan.Skipped, tracker.ImportPlanSkippedItem{
				Line: int64(item.Line), Text: item.Title, Reason: tracker.ImportPlanSkippedItemReasonStored, Item: &id,
			})
			continue
		}
		plan.Items = append(plan.Items, tracker.ImportPlanItemsItem{
			Key: item.Key, Line: int64(item.Line), Title: item.Title, Description: item.Description, Estimate: present(int64(item.Estimate)),
		})
	}
	for _, skipped := range found.Skipped {
		plan.Skipped = append(plan.Skipped, tracker.ImportPlanSkippedItem{
			Line: int64(skipped.Line), Text: skipped.Text, Reason: tracker.ImportPlanSkippedItemReason(skipped.Reason),
		})
	}
	slices.SortStableFunc(plan.Skipped, func(a, b tracker.ImportPlanSkippedItem) int { return int(a.Line - b.Line) })
	return plan
}

// count says how many lines were skipped, and why.
func count(skipped []tracker.ImportPlanSkippedItem) string {
	if len(skipped) == 0 {
		return "no line of it is an item"
	}
	numbers := map[tracker.ImportPlanSkippedItemReason]int{}
	var reasons []tracker.ImportPlanSkippedItemReason
	for _, line := range skipped {
		if numbers[line.Reason]++; numbers[line.Reason] == 1 {
			reasons = append(reasons, line.Reason)
		}
	}
	parts := make([]string, 0, len(reasons))
	for _, reason := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", numbers[reason], reason))
	}
	return strings.Join(parts, ", ")
}
