package tracker_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/servertest"
)

// An item that somebody else has imported since the preview stays as it is, and
// the import says how far it got: also when it is asked again.
func TestAnImportThatConflictsIsAPartialOne(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	planner, other := kit.WithActor("ada").Planner(t), kit.WithActor("bob").Planner(t)
	preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	write(t, folder, "docs/plan.md", "- [ ] Say what changed\n  In the words of Bob.\n")
	imported(t, other, "docs/plan.md")

	commit := servertest.Commit{Handle: preview.Handle, Confirmed: true, IdempotencyKey: "once"}
	_, err = planner.ImportCommit(ctx, commit)
	said := refused(t, err, gate.CommitPartial)
	require.Equal(t, []string{preview.Plan.Items[0].Key}, said.Partial.Finished)
	require.Equal(t, []gate.FailedItem{{Item: preview.Plan.Items[1].Key, Reason: "it is item 1 already"}}, said.Partial.Failed)
	require.Equal(t, []string{"Say what changed", "Move the greeting"}, list(t, planner))
	shown, err := planner.ShowItem(ctx, tracker.ShowItemInput{Item: 1})
	require.NoError(t, err)
	require.Equal(t, "bob", shown.ImportedBy)
	require.Equal(t, "In the words of Bob.", shown.Description)

	_, err = planner.ImportCommit(ctx, commit)
	require.Equal(t, said, refused(t, err, gate.CommitPartial), "the same again, and nothing runs")
	_, err = planner.ImportCommit(ctx, confirmed(preview.Handle))
	refused(t, err, gate.HandleUsed)
	require.Len(t, list(t, planner), 2)
}

// Where everything has been imported meanwhile, nothing is done.
func TestAnImportOfNothingNewIsRefused(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	planner := newKit(t, folder).Planner(t)
	late, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	imported(t, planner, "docs/./plan.md")
	_, err = planner.ImportCommit(ctx, confirmed(late.Handle))
	refused(t, err, "ITEMS_EXIST")
	_, err = planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.Equal(t, `"docs/plan.md" has nothing to import: 2 stored, 1 done, 1 unclear`, refused(t, err, "NOTHING_TO_IMPORT").Message)

	write(t, folder, "docs/plan.md", plan+"- [ ] One more\n")
	next, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	require.Len(t, next.Plan.Items, 1)
	require.Equal(t, tracker.ImportPlanSkippedItem{
		Line: 3, Text: "Move the greeting", Reason: tracker.ImportPlanSkippedItemReasonStored, Item: new(int64(1)),
	}, next.Plan.Skipped[0])
}

func TestPreviewsThatAreRefused(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	planner := newKit(t, folder).Planner(t)
	write(t, folder, "docs/prose.md", "# Nothing to do\n")
	write(t, folder, "docs/done.txt", "- [x] a\n- [ ] a (estimate: much)\n- [x] b\n")
	write(t, folder, "docs/many.md", strings.Repeat("- [x] a\n", 501))
	write(t, folder, "docs/binary.md", "- [ ] a\x00\n")
	for document, code := range map[string]gate.Code{
		"docs/prose.md": "NOTHING_TO_IMPORT", "docs/done.txt": "NOTHING_TO_IMPORT", "docs/many.md": "DOCUMENT_TOO_LARGE", "docs/binary.md": "DOCUMENT_BINARY",
		"docs/none.md": "DOCUMENT_NOT_FOUND", "plan.md": "PATH_INVALID", "": gate.ArgumentsInvalid, strings.Repeat("x", 600): gate.ArgumentsInvalid,
	} {
		_, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: document})
		refused(t, err, code)
	}
	require.Empty(t, list(t, planner))
}

// The largest document goes through: its plan is kept, approved and run.
func TestALargeImport(t *testing.T) {
	folder := scratch(t)
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "- [ ] item %d (estimate: %d)\n  %s\n", i, i+1, strings.Repeat("é\" \x01", 90))
	}
	write(t, folder, "docs/large.md", text.String())
	planner := newKit(t, folder).Planner(t)
	require.Len(t, imported(t, planner, "docs/large.md").Created, 500)
	titles := list(t, planner)
	require.Len(t, titles, 500)
	require.Equal(t, "item 499", titles[499])
	shown, err := planner.ShowItem(t.Context(), tracker.ShowItemInput{Item: 500})
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("é\" \x01", 90), shown.Description)
}

// Somebody who says no is heard, and what was not approved can be asked again.
func TestAnImportThatIsDenied(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	var mu sync.Mutex
	var asked []approval.Request
	planner := newKit(t, folder).WithPerson(func(request approval.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, request)
		return len(asked) > 1
	}).Planner(t)
	preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	_, err = planner.ImportCommit(ctx, confirmed(preview.Handle))
	refused(t, err, gate.ApprovalDenied)
	require.Empty(t, list(t, planner))
	_, err = planner.ImportCommit(ctx, confirmed(preview.Handle))
	require.NoError(t, err)
	require.Len(t, asked, 2)
	require.Equal(t, "import_commit", asked[0].Tool)
	require.Equal(t, "Items that are imported are what others will work on.", asked[0].Why)
	for _, shown := range []string{`"Move the greeting"`, `"It is in greeting.txt.\n\n- [ ] read it at start"`, preview.Plan.Sha256, preview.Plan.Items[1].Key} {
		require.Contains(t, string(asked[0].Arguments), shown, "a person sees all of the plan")
	}
}

// Two servers that import the same at the same time create it once.
func TestTwoServersImportAtOnce(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "- [ ] item %d\n", i)
	}
	write(t, folder, "docs/plan.md", text.String())
	var handles []string
	planners := []interface {
		ImportCommit(context.Context, servertest.Commit) (tracker.ImportOutput, error)
	}{}
	for _, actor := range []string{"ada", "bob", "cleo"} {
		planner := kit.WithActor(actor).Planner(t)
		preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
		require.NoError(t, err)
		handles, planners = append(handles, preview.Handle), append(planners, planner)
	}
	created := make([]int, len(planners))
	errs := make([]error, len(planners))
	var all sync.WaitGroup
	for i, planner := range planners {
		all.Go(func() {
			out, err := planner.ImportCommit(ctx, confirmed(handles[i]))
			created[i], errs[i] = len(out.Created), err
		})
	}
	all.Wait()
	total := 0
	for i, err := range errs {
		if total += created[i]; err != nil {
			refused(t, err, "ITEMS_EXIST")
		}
	}
	require.Equal(t, 50, total)
	require.Len(t, list(t, kit.Planner(t)), 50)
}

// A plan that is too large to be kept is refused, and nothing of it waits.
func TestAPlanThatIsTooLargeIsRefused(t *testing.T) {
	folder := scratch(t)
	var text strings.Builder
	for i := range 31 {
		fmt.Fprintf(&text, "- [ ] item %d\n  %s\n", i, strings.Repeat("\x01", 8000)) // each takes six bytes in JSON
	}
	write(t, folder, "docs/large.md", text.String())
	planner := newKit(t, folder).Planner(t)
	_, err := planner.ImportPreview(t.Context(), tracker.ImportInput{Document: "docs/large.md"})
	refused(t, err, gate.PlanTooLarge)
	require.Empty(t, list(t, planner))
}
