//go:build unix

package git

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// An old git says that it does not know the option, and ends with 129.
func TestAGitThatCannotMergeAloneIsRefused(t *testing.T) {
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	folder, _ := ground(t)
	done := committed(t, folder)
	person(t, folder, "checkout", "-q", "main")
	put(t, folder, "c.txt", "c\n")
	person(t, folder, "add", "c.txt")
	person(t, folder, "commit", "-qm", "meanwhile")
	person(t, folder, "checkout", "-q", "work/x")
	old := t.TempDir()
	put(t, old, "git", "#!/bin/sh\nfor word; do [ \"$word\" = merge-tree ] && { echo usage: git merge-tree >&2; exit 129; }; done\nexec "+real+" \"$@\"\n")
	require.NoError(t, os.Chmod(at(old, "git"), 0o755))
	t.Setenv("PATH", old+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err = opened(t, folder).Update(t.Context(), somebody(), false)
	requireCode(t, err, refusal.GitTooOld)
	require.Equal(t, done.Commit, person(t, folder, "rev-parse", "work/x"))
	require.Empty(t, person(t, folder, "status", "--porcelain"))
}

func TestReviewsOfACommitAreBounded(t *testing.T) {
	folder, _ := ground(t)
	done := committed(t, folder)
	writer := opened(t, folder)
	var lines strings.Builder
	for i := range maxReviews - 1 {
		fmt.Fprintf(&lines, "create %s%s/%d %s\n", reviews, pair(done.Base, done.Commit), i, done.Commit)
	}
	refs := at(t.TempDir(), "refs")
	require.NoError(t, os.WriteFile(refs, []byte(lines.String()), 0o600))
	fill := exec.Command("sh", "-c", `git update-ref --stdin <"$0"`, refs)
	fill.Dir = folder
	output, err := fill.CombinedOutput()
	require.NoError(t, err, "%s", output)
	_, err = writer.Review(t.Context(), somebody(), done.Base, done.Commit, Remark{Kind: Comment, Text: "the last one"})
	require.NoError(t, err)
	for _, kind := range []Kind{Comment, Reject} {
		_, err = writer.Review(t.Context(), somebody(), done.Base, done.Commit, Remark{Kind: kind, Text: "one too many"})
		requireCode(t, err, refusal.ReviewsFull)
	}
}

// The size of a clone is known from the names and sizes in the commit, before a
// byte of it is written.
func TestACommitThatIsTooLargeIsNotCloned(t *testing.T) {
	folder, commit := tested(t, "echo ran\n")
	huge := at(t.TempDir(), "huge")
	require.NoError(t, os.WriteFile(huge, nil, 0o600))
	require.NoError(t, os.Truncate(huge, 128<<20))
	blob := person(t, folder, "hash-object", "-w", "--no-filters", huge)
	for i := range 8 {
		person(t, folder, "update-index", "--add", "--cacheinfo", fmt.Sprintf("100644,%s,huge%d", blob, i))
	}
	tooLarge := person(t, folder, "commit-tree", "-p", commit, "-m", "large", person(t, folder, "write-tree"))
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	_, err := opened(t, folder).Test(t.Context(), tooLarge, bounds())
	requireCode(t, err, refusal.CommitTooLarge)
	requireEmpty(t, temporary)
}
