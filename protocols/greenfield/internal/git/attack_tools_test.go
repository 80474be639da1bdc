//go:build unix

package git

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// What searches, reviews and moves between branches runs nothing either.
func TestNothingThatARepositoryNamesIsRunBetweenBranches(t *testing.T) {
	folder, first := ground(t)
	put(t, folder, "b.txt", "b\n")
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "second")
	second := person(t, folder, "rev-parse", "HEAD")
	person(t, folder, "checkout", "-q", "-b", "work/x", first)
	put(t, folder, "a.txt", "one\n2\n")
	person(t, folder, "commit", "-qam", "work")
	tip := person(t, folder, "rev-parse", "HEAD")
	marker, ctx := hostile(t, folder), t.Context()
	writer := opened(t, folder)

	names, err := writer.Names(ctx, ".")
	require.NoError(t, err)
	require.Contains(t, names, "a.txt")
	searcher, err := worktree.NewSearcher(worktree.Query{Pattern: "two", Limit: 10})
	require.NoError(t, err)
	require.NoError(t, writer.Search(ctx, searcher, first, "."))
	require.Len(t, searcher.Matches, 1)
	_, err = writer.Review(ctx, somebody(), second, tip, Remark{Kind: Reject, Text: "No."})
	require.NoError(t, err)
	said, _, err := writer.Reviews(ctx, []string{tip}, 10)
	require.NoError(t, err)
	require.Len(t, said, 1)
	_, standing, _, err := writer.Branches(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, DecisionRejected, standing[0].Decision)

	updated, err := writer.Update(ctx, somebody(), false)
	require.NoError(t, err)
	require.Equal(t, Updated, updated.WorkTree)
	require.FileExists(t, at(folder, "b.txt"))
	switched, err := writer.Switch(ctx, "")
	require.NoError(t, err)
	require.Equal(t, Updated, switched.WorkTree)
	reverted, err := writer.Revert(ctx, somebody(), second, "back", "No.")
	require.NoError(t, err)
	require.Equal(t, Updated, reverted.WorkTree)
	require.NoFileExists(t, at(folder, "b.txt"))
	require.NoFileExists(t, marker)
}

// A record of this protocol that is a link in the git folder is not written.
func TestRecordsThatAreLinksAreNotWritten(t *testing.T) {
	folder, first := ground(t)
	done := committed(t, folder)
	outside := t.TempDir()
	link(t, outside, at(folder, ".git/refs/gatewright"))
	_, err := opened(t, folder).Review(t.Context(), somebody(), first, done.Commit, Remark{Kind: Comment, Text: "x"})
	requireCode(t, err, "REPOSITORY_UNUSABLE")
	_, err = opened(t, folder).Approve(t.Context(), somebody(), first, done.Commit)
	requireCode(t, err, "REPOSITORY_UNUSABLE")
	requireEmpty(t, outside)
}
