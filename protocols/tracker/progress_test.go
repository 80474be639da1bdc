package tracker_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/servertest"
)

// A report is made on the item as its preview showed it, or not at all.
func TestAReportOnAnItemThatHasChangedIsRefused(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	imported(t, kit.Planner(t), "docs/plan.md")
	ada, bob := kit.WithActor("ada").Reporter(t), kit.WithActor("bob").Reporter(t)
	first, err := ada.ProgressPreview(ctx, tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateDoing})
	require.NoError(t, err)
	second, err := bob.ProgressPreview(ctx, tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateDone})
	require.NoError(t, err)
	elsewhere, err := bob.ProgressPreview(ctx, tracker.ProgressInput{Item: 2, State: tracker.ProgressInputStateDone})
	require.NoError(t, err)

	commit := servertest.Commit{Handle: first.Handle, Confirmed: true, IdempotencyKey: "k"}
	done, err := ada.ProgressCommit(ctx, commit)
	require.NoError(t, err)
	again, err := ada.ProgressCommit(ctx, commit)
	require.NoError(t, err)
	require.Equal(t, done, again)
	_, err = bob.ProgressCommit(ctx, confirmed(second.Handle))
	require.Contains(t, refused(t, err, "ITEM_CHANGED").Message, "item 1 was open in revision 1 at the preview, and is doing in revision 2 now")
	_, err = bob.ProgressCommit(ctx, confirmed(elsewhere.Handle))
	require.NoError(t, err, "another item has nothing to do with it")

	shown, err := ada.ShowItem(ctx, tracker.ShowItemInput{Item: 1})
	require.NoError(t, err)
	require.Equal(t, tracker.ShowItemOutputStateDoing, shown.State)
	require.EqualValues(t, 2, shown.Revision)
	require.Len(t, shown.Reports, 1)
}

func TestReportsThatSayNothingAreRefused(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	imported(t, kit.Planner(t), "docs/plan.md")
	reporter := kit.Reporter(t)
	for _, c := range []struct {
		in   tracker.ProgressInput
		code gate.Code
	}{
		{tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateOpen}, "NOTHING_TO_REPORT"},
		{tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateOpen, Note: new(" \n")}, "NOTHING_TO_REPORT"},
		{tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateBlocked}, "NOTE_MISSING"},
		{tracker.ProgressInput{Item: 3, State: tracker.ProgressInputStateDone}, "ITEM_NOT_FOUND"},
		{tracker.ProgressInput{Item: 0, State: tracker.ProgressInputStateDone}, gate.ArgumentsInvalid},
		{tracker.ProgressInput{Item: 1, State: "finished"}, gate.ArgumentsInvalid},
		{tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateDone, Note: new(strings.Repeat("é", 4001))}, gate.ArgumentsInvalid},
	} {
		_, err := reporter.ProgressPreview(ctx, c.in)
		refused(t, err, c.code)
	}
	note := strings.Repeat("é\x00\u202e\n", 1000)
	preview, err := reporter.ProgressPreview(ctx, tracker.ProgressInput{Item: 1, State: tracker.ProgressInputStateOpen, Note: &note})
	require.NoError(t, err)
	_, err = reporter.ProgressCommit(ctx, confirmed(preview.Handle))
	require.NoError(t, err)
	shown, err := reporter.ShowItem(ctx, tracker.ShowItemInput{Item: 1})
	require.NoError(t, err)
	require.Equal(t, note, shown.Reports[0].Note, "text is kept as it is")
}

// A handle works for the tool whose preview returned it, and for no other.
func TestHandlesBelongToTheirTool(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	kit := newKit(t, folder)
	planner, reporter := kit.Planner(t), kit.Reporter(t)
	preview, err := planner.ImportPreview(ctx, tracker.ImportInput{Document: "docs/plan.md"})
	require.NoError(t, err)
	_, err = reporter.ProgressCommit(ctx, confirmed(preview.Handle))
	require.Error(t, err)
	require.Empty(t, list(t, planner))
	_, err = planner.ImportCommit(ctx, confirmed(preview.Handle))
	require.NoError(t, err)
	_, err = planner.ImportCommit(ctx, confirmed(preview.Handle))
	refused(t, err, gate.HandleUsed)
	_, err = planner.ImportCommit(ctx, confirmed("invented"))
	refused(t, err, gate.HandleUnknown)
}
