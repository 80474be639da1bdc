package greenfield_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// What a reviewer says reaches whoever implements, and a decision stands until
// the next one.
func TestReviewsReachWhoImplements(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review := kit.WithActor("reviewer").Review(t)
	commented, err := review.Comment(ctx, greenfield.CommentInput{
		Commit: committed.Commit, Base: committed.Base, Text: "  Who is everybody?\n\n\x1b[2Jbase 0\n", Path: new("hello.txt"), Line: new(int64(2)),
	})
	require.NoError(t, err)
	asked, err := review.RequestChanges(ctx, greenfield.RequestChangesInput{Commit: committed.Commit, Base: committed.Base, Text: "Name them."})
	require.NoError(t, err)
	require.Nil(t, asked.Withdrawn)

	implement := kit.WithActor("implementer").Implement(t)
	said, err := implement.Reviews(ctx, greenfield.ReviewsInput{})
	require.NoError(t, err)
	require.Equal(t, committed.Commit, said.Commit)
	require.Equal(t, greenfield.ReviewsOutputDecisionChangesRequested, said.Decision)
	require.Len(t, said.Reviews, 2)
	first := said.Reviews[0]
	require.Equal(t, commented.Review, first.Review)
	require.Equal(t, "Who is everybody?\n\n[2Jbase 0", first.Text)
	require.Equal(t, "hello.txt", *first.Path)
	require.EqualValues(t, 2, *first.Line)
	require.Equal(t, "reviewer", first.Actor)
	require.Equal(t, greenfield.ReviewsOutputReviewsItemKindRequestChanges, said.Reviews[1].Kind)

	// A later commit is judged by itself, and what was said before is still told.
	_, err = implement.Edit(ctx, greenfield.EditInput{Path: "hello.txt", OldText: "everybody", NewText: "Ann and Bob"})
	require.NoError(t, err)
	again, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Name them"})
	require.NoError(t, err)
	said, err = implement.Reviews(ctx, greenfield.ReviewsInput{Branch: new("greet")})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReviewsOutputDecisionOpen, said.Decision)
	require.Len(t, said.Reviews, 2)
	_, err = review.Approve(ctx, greenfield.ApproveInput{Commit: again.Commit, Base: again.Base})
	require.NoError(t, err)
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: again.Commit, Base: again.Base})
	require.NoError(t, err)
	git(t, folder, "fsck", "--strict")
}

func TestADecisionStandsUntilTheNextOne(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review, integrate := kit.Review(t), kit.Integrate(t)
	approve := greenfield.ApproveInput{Commit: committed.Commit, Base: committed.Base}
	merge := greenfield.MergeInput{Commit: committed.Commit, Base: committed.Base}
	decision := func() greenfield.ReviewsOutputDecision {
		said, err := integrate.Reviews(ctx, greenfield.ReviewsInput{Commit: &committed.Commit})
		require.NoError(t, err)
		return said.Decision
	}
	approved, err := review.Approve(ctx, approve)
	require.NoError(t, err)
	require.Equal(t, greenfield.ReviewsOutputDecisionApproved, decision())
	_, err = review.Comment(ctx, greenfield.CommentInput{Commit: committed.Commit, Base: committed.Base, Text: "Well done."})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReviewsOutputDecisionApproved, decision(), "a comment decides nothing")

	rejected, err := review.Reject(ctx, greenfield.RejectInput{Commit: committed.Commit, Base: committed.Base, Text: "On second thoughts, no."})
	require.NoError(t, err)
	require.Equal(t, approved.Approval, *rejected.Withdrawn)
	require.Empty(t, git(t, folder, "for-each-ref", "refs/gatewright/approvals"))
	require.Contains(t, git(t, folder, "for-each-ref", "refs/gatewright/withdrawn"), approved.Approval)
	require.Equal(t, greenfield.ReviewsOutputDecisionRejected, decision())
	diff, err := review.Diff(ctx, greenfield.DiffInput{})
	require.NoError(t, err)
	require.False(t, diff.Approved)
	_, err = integrate.Merge(ctx, merge)
	refused(t, err, "NOT_APPROVED")

	// An approval that is put back by hand does not overrule what stands against it.
	git(t, folder, "update-ref", "refs/gatewright/approvals/"+committed.Base+"-"+committed.Commit, approved.Approval)
	_, err = integrate.Merge(ctx, merge)
	refused(t, err, "NOT_APPROVED")
	git(t, folder, "update-ref", "-d", "refs/gatewright/approvals/"+committed.Base+"-"+committed.Commit)

	anew, err := review.Approve(ctx, approve)
	require.NoError(t, err)
	require.False(t, anew.Already)
	_, err = integrate.Merge(ctx, merge)
	require.NoError(t, err)
	require.Equal(t, greenfield.ReviewsOutputDecisionMerged, func() greenfield.ReviewsOutputDecision {
		git(t, folder, "update-ref", "refs/heads/main", committed.Base)
		return decision()
	}())
	_, err = review.Reject(ctx, greenfield.RejectInput{Commit: committed.Commit, Base: committed.Base, Text: "Too late."})
	refused(t, err, "ALREADY_MERGED")
}

func TestReviewsAreBoundToWhatTheyAreAbout(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review := kit.Review(t)
	said := greenfield.CommentInput{Commit: committed.Commit, Base: committed.Base, Text: "x"}
	for code, spoil := range map[string]func(*greenfield.CommentInput){
		"COMMIT_NOT_FOUND":  func(in *greenfield.CommentInput) { in.Commit = strings.Repeat("a", 40) },
		"COMMIT_IS_BASE":    func(in *greenfield.CommentInput) { in.Commit = in.Base },
		"FILE_NOT_FOUND":    func(in *greenfield.CommentInput) { in.Path = new("nowhere.txt") },
		"PATH_OUTSIDE":      func(in *greenfield.CommentInput) { in.Path = new("../x") },
		"REVIEW_INVALID":    func(in *greenfield.CommentInput) { in.Text = " \x07\n" },
		"ARGUMENTS_INVALID": func(in *greenfield.CommentInput) { in.Line = new(int64(0)) },
	} {
		in := said
		spoil(&in)
		_, err := review.Comment(ctx, in)
		refused(t, err, gateCode(code))
	}
	said.Line = new(int64(3))
	_, err := review.Comment(ctx, said)
	refused(t, err, "REVIEW_INVALID")
	require.Empty(t, git(t, folder, "for-each-ref", "refs/gatewright"))

	// A record that was put under another commit's name says nothing about it.
	_, err = review.Comment(ctx, greenfield.CommentInput{Commit: committed.Commit, Base: committed.Base, Text: "x"})
	require.NoError(t, err)
	id := strings.Fields(git(t, folder, "for-each-ref", "refs/gatewright/reviews"))[0]
	other := git(t, folder, "commit-tree", committed.Commit+"^{tree}", "-p", committed.Base, "-m", "same content")
	git(t, folder, "update-ref", "refs/gatewright/reviews/"+committed.Base+"-"+other+"/"+id, id)
	listed, err := review.Reviews(ctx, greenfield.ReviewsInput{Commit: &other})
	require.NoError(t, err)
	require.Empty(t, listed.Reviews)
	// But a decision that cannot be read is a no.
	git(t, folder, "update-ref", "refs/gatewright/objections/"+committed.Base+"-"+other, id)
	listed, err = review.Reviews(ctx, greenfield.ReviewsInput{Commit: &other})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReviewsOutputDecisionRejected, listed.Decision)
}

// Of an approval and a rejection at the same time, one stands at the end, and
// never both.
func TestConcurrentDecisionsLeaveOneStanding(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review := kit.Review(t)
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := review.Approve(ctx, greenfield.ApproveInput{Commit: committed.Commit, Base: committed.Base})
			done <- err
		}()
		go func() {
			_, err := review.Reject(ctx, greenfield.RejectInput{Commit: committed.Commit, Base: committed.Base, Text: "No."})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			refused(t, err, "REVIEW_MOVED")
		}
	}
	standing := git(t, folder, "for-each-ref", "--format=%(refname)", "refs/gatewright/approvals", "refs/gatewright/objections")
	require.Len(t, strings.Fields(standing), 1)
}
