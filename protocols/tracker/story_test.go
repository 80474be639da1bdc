package tracker_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/generated/tracker/trackertest"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/servertest"
)

const plan = `# Release 2

- [ ] Move the greeting (estimate: 3)
  It is in greeting.txt.

  - [ ] read it at start
- [x] Rename the module
- [ ] Say what changed
- [] Publish
`

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	full := filepath.Join(folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
}

// scratch is a workspace with one document.
func scratch(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "docs/plan.md", plan)
	return folder
}

// newKit is a kit with somebody at the queue who approves every import.
func newKit(t *testing.T, folder string) *trackertest.Kit {
	t.Helper()
	return trackertest.New(t, folder).WithPerson(func(approval.Request) bool { return true })
}

func refused(t *testing.T, err error, code gate.Code) *gate.Refusal {
	t.Helper()
	var refusal *gate.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, code, refusal.Code, refusal.Message)
	require.NotEmpty(t, refusal.Next)
	return refusal
}

func confirmed(handle string) servertest.Commit {
	return servertest.Commit{Handle: handle, Confirmed: true}
}

// list is every title in the tracker, in order.
func list(t *testing.T, c interface {
	ListItems(context.Context, tracker.ListItemsInput) (tracker.ListItemsOutput, error)
},
) (titles []string) {
	t.Helper()
	in := tracker.ListItemsInput{After: new(int64(0))}
	for {
		out, err := c.ListItems(t.Context(), in)
		require.NoError(t, err)
		for _, item := range out.Items {
			titles = append(titles, item.Title)
			*in.After = item.Id
		}
		if !out.More {
			return titles
		}
	}
}

// imported previews and commits a document.
func imported(t *testing.T, planner *trackertest.PlannerClient, document string) tracker.ImportOutput {
	t.Helper()
	preview, err := planner.ImportPreview(t.Context(), tracker.ImportInput{Document: document})
	require.NoError(t, err)
	out, err := planner.ImportCommit(t.Context(), confirmed(preview.Handle))
	require.NoError(t, err)
	return out
}

// A document is imported, and progress reported on what was in it.
func TestStory(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	planner, reporter := kit.WithActor("planner").Planner(t), kit.WithActor("reporter").Reporter(t)

	read, err := planner.ReadDocument(ctx, tracker.ReadDocumentInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	require.Equal(t, plan, read.Text)
	preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	require.Equal(t, tracker.ImportPlan{
		Document: "docs/plan.md", Sha256: read.Sha256,
		Items: []tracker.ImportPlanItemsItem{
			{Key: preview.Plan.Items[0].Key, Line: 3, Title: "Move the greeting", Description: "It is in greeting.txt.\n\n- [ ] read it at start", Estimate: new(int64(3))},
			{Key: preview.Plan.Items[1].Key, Line: 8, Title: "Say what changed"},
		},
		Skipped: []tracker.ImportPlanSkippedItem{
			{Line: 7, Text: "Rename the module", Reason: tracker.ImportPlanSkippedItemReasonDone},
			{Line: 9, Text: "- [] Publish", Reason: tracker.ImportPlanSkippedItemReasonUnclear},
		},
	}, preview.Plan)
	require.Empty(t, list(t, planner), "a preview changes nothing")
	require.NoDirExists(t, filepath.Join(folder, ".tracker"))

	committed, err := planner.ImportCommit(ctx, confirmed(preview.Handle))
	require.NoError(t, err)
	require.Equal(t, tracker.ImportOutput{Document: "docs/plan.md", Sha256: read.Sha256, Created: []int64{1, 2}}, committed)

	step, err := reporter.ProgressPreview(ctx, tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateBlocked, Note: new("waits for the text")})
	require.NoError(t, err)
	require.Equal(t, tracker.ProgressPlan{
		Item: 1, Title: "Move the greeting",
		Before: tracker.ProgressPlanBefore{State: tracker.ProgressPlanStateOpen, Revision: 1},
		After:  tracker.ProgressPlanAfter{State: tracker.ProgressPlanStateBlocked, Revision: 2, Note: "waits for the text"},
	}, step.Plan)
	done, err := reporter.ProgressCommit(ctx, confirmed(step.Handle))
	require.NoError(t, err)
	require.Equal(t, tracker.ProgressOutput{Item: 1, State: tracker.ProgressOutputStateBlocked, Revision: 2}, done)

	shown, err := planner.ShowItem(ctx, tracker.ShowItemInput{Item: 1})
	require.NoError(t, err)
	for _, at := range []string{shown.ImportedAt, shown.Reports[0].ReportedAt} {
		_, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
	}
	require.Equal(t, tracker.ShowItemOutput{
		Id: 1, Key: preview.Plan.Items[0].Key, Title: "Move the greeting", Description: "It is in greeting.txt.\n\n- [ ] read it at start", Estimate: new(int64(3)),
		State: tracker.ShowItemOutputStateBlocked, Revision: 2, Document: "docs/plan.md", Line: 3, ImportedBy: "planner", ImportedAt: shown.ImportedAt,
		Reports: []tracker.ShowItemOutputReportsItem{{
			Revision: 2, Before: tracker.ShowItemOutputStateOpen, After: tracker.ShowItemOutputStateBlocked, Note: "waits for the text",
			ReportedBy: "reporter", ReportedAt: shown.Reports[0].ReportedAt,
		}},
	}, shown)
	only, err := planner.ListItems(ctx, tracker.ListItemsInput{State: new(tracker.ListItemsInputStateBlocked)})
	require.NoError(t, err)
	require.Equal(t, []tracker.ListItemsOutputItemsItem{
		{Id: 1, Title: "Move the greeting", State: tracker.ListItemsOutputItemsItemStateBlocked, Estimate: new(int64(3)), Document: "docs/plan.md"},
	}, only.Items)
}

// What a document says after the preview does not matter to the commit.
func TestINV6_TheStoredPlanRuns(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, folder string){
		"changed": func(t *testing.T, folder string) {
			t.Helper()
			write(t, folder, "docs/plan.md", "- [ ] Something else\n")
		},
		"removed": func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.RemoveAll(filepath.Join(folder, "docs")))
		},
		"made a link": func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.Rename(filepath.Join(folder, "docs"), filepath.Join(folder, "elsewhere")))
			require.NoError(t, os.Symlink("elsewhere", filepath.Join(folder, "docs")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, ctx := scratch(t), t.Context()
			planner := newKit(t, folder).Planner(t)
			preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
			require.NoError(t, err)
			change(t, folder)
			out, err := planner.ImportCommit(ctx, confirmed(preview.Handle))
			require.NoError(t, err)
			require.Equal(t, preview.Plan.Sha256, out.Sha256)
			require.Equal(t, []string{"Move the greeting", "Say what changed"}, list(t, planner))
		})
	}
}
