package tracker

import (
	"context"
	"time"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/items"
)

// maxReports is how many reports show_item returns.
const maxReports = 50

// ShowItem is the handler of the tool show_item.
func ShowItem[Permit tracker.ShowItemPermit](ctx context.Context, permit Permit, in tracker.ShowItemInput) (tracker.ShowItemOutput, error) {
	var item items.Item
	var reports []items.Report
	err := readItems(ctx, permit, func(reader *items.Reader) (err error) {
		item, reports, err = reader.Show(ctx, in.Item, maxReports)
		return err
	})
	if err != nil {
		return tracker.ShowItemOutput{}, err
	}
	out := tracker.ShowItemOutput{
		Id: item.ID, Key: item.Key, Title: item.Title, Description: item.Description, Estimate: present(item.Estimate),
		State: tracker.ShowItemOutputState(item.State), Revision: item.Revision, Document: item.Document, Line: item.Line,
		ImportedBy: item.By.Actor, ImportedAt: item.At.Format(time.RFC3339), Reports: []tracker.ShowItemOutputReportsItem{},
	}
	for _, report := range reports {
		out.Reports = append(out.Reports, tracker.ShowItemOutputReportsItem{
			Revision: report.Revision, Before: tracker.ShowItemOutputState(report.Before), After: tracker.ShowItemOutputState(report.After),
			Note: report.Note, ReportedBy: report.By.Actor, ReportedAt: report.At.Format(time.RFC3339),
		})
	}
	return out, nil
}
