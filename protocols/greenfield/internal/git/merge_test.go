package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// onMain makes a commit on a work branch, approves it, and checks main out.
func onMain(t *testing.T, init ...string) (string, Committed) {
	t.Helper()
	folder, _ := ground(t, init...)
	put(t, folder, "new/file.txt", "new\n")
	require.NoError(t, os.Remove(at(folder, "sub/b.txt")))
	done := committed(t, folder)
	_, err := opened(t, folder).Approve(t.Context(), somebody(), done.Base, done.Commit)
	require.NoError(t, err)
	person(t, folder, "checkout", "-q", "main")
	return folder, done
}

func TestMergeUpdatesTheWorkTreeThatHasMain(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			folder, done := onMain(t, "--object-format="+format)
			put(t, folder, "untracked.log", "stays")
			merged, err := opened(t, folder).Merge(t.Context(), done.Base, done.Commit)
			require.NoError(t, err)
			require.Equal(t, Updated, merged.WorkTree)
			require.Equal(t, done.Commit, person(t, folder, "rev-parse", "main"))
			require.Empty(t, person(t, folder, "status", "--porcelain"))
			require.NoFileExists(t, at(folder, "sub/b.txt"))
			require.FileExists(t, at(folder, "untracked.log"))
			// The approval is used up.
			person(t, folder, "reset", "-q", "--hard", done.Base)
			_, err = opened(t, folder).Merge(t.Context(), done.Base, done.Commit)
			requireCode(t, err, refusal.NotApproved)
		})
	}
}

func TestMergeRefusesADirtyWorkTree(t *testing.T) {
	for _, spoilt := range []string{"changed", "deleted", "staged", "in the way", "hidden change"} {
		t.Run(spoilt, func(t *testing.T) {
			folder, done := onMain(t)
			switch spoilt {
			case "changed":
				put(t, folder, "a.txt", "mine")
			case "deleted":
				require.NoError(t, os.Remove(at(folder, "a.txt")))
			case "staged":
				put(t, folder, "z.txt", "z")
				person(t, folder, "add", "z.txt")
			case "in the way":
				put(t, folder, "new/file.txt", "mine")
			case "hidden change":
				person(t, folder, "update-index", "--assume-unchanged", "a.txt")
				put(t, folder, "a.txt", "mine")
			}
			_, err := opened(t, folder).Merge(t.Context(), done.Base, done.Commit)
			requireCode(t, err, refusal.WorktreeDirty)
			require.Equal(t, done.Base, person(t, folder, "rev-parse", "main"))
			require.NotEmpty(t, person(t, folder, "for-each-ref", approvals))
		})
	}
}

func TestMergeDoesNotLeaveTheWorkTree(t *testing.T) {
	folder, done := onMain(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, at(folder, "new")))
	_, err := opened(t, folder).Merge(t.Context(), done.Base, done.Commit)
	requireCode(t, err, refusal.WorktreeDirty)
	require.NoFileExists(t, at(outside, "file.txt"))
}

func TestMergeRefusesWhileMainIsCheckedOutElsewhere(t *testing.T) {
	folder, done := onMain(t)
	linked := filepath.Join(t.TempDir(), "linked")
	person(t, folder, "worktree", "add", "-q", linked, "work/x")
	_, err := opened(t, linked).Merge(t.Context(), done.Base, done.Commit)
	requireCode(t, err, refusal.TargetInUse)
	person(t, folder, "checkout", "-q", "--detach")
	merged, err := opened(t, linked).Merge(t.Context(), done.Base, done.Commit)
	require.NoError(t, err)
	require.Equal(t, Untouched, merged.WorkTree)
}

func TestWorkInALinkedWorkTree(t *testing.T) {
	folder, first := ground(t)
	linked := filepath.Join(t.TempDir(), "linked")
	person(t, folder, "worktree", "add", "-q", "--detach", linked)
	done := committed(t, linked)
	require.Equal(t, first, done.Base)
	require.Equal(t, "work/x", person(t, linked, "branch", "--show-current"))
	require.Empty(t, person(t, linked, "status", "--porcelain"))
	require.Equal(t, "main", person(t, folder, "branch", "--show-current"))
	require.Empty(t, person(t, folder, "status", "--porcelain"))
}

// Whatever stands under the ref of an approval, only a record that says exactly
// this counts.
func TestForgedApprovalsDoNotCount(t *testing.T) {
	folder, first := ground(t)
	done := committed(t, folder)
	writer := opened(t, folder)
	ref := approvals + pair(done.Base, done.Commit)
	a := Approval{Target: "main", Base: done.Base, Commit: done.Commit, Tree: person(t, folder, "rev-parse", done.Commit+"^{tree}")}
	tagger := "x <x@x> 1 +0000\n\n"
	other := a
	other.Tree = person(t, folder, "rev-parse", first+"^{tree}")
	otherTarget := a
	otherTarget.Target = "master"
	otherBase := a
	otherBase.Base = done.Commit
	for name, text := range map[string]string{
		"another tree":   a.header() + tagger + other.statement() + "\nactor \"x\"\n",
		"another target": a.header() + tagger + otherTarget.statement() + "\nactor \"x\"\n",
		"another base":   a.header() + tagger + otherBase.statement() + "\nactor \"x\"\n",
		"another commit": strings.Replace(a.header(), done.Commit, first, 1) + tagger + a.statement() + "\nactor \"x\"\n",
		"words before":   a.header() + tagger + "Not yet.\n\n" + a.statement() + "\nactor \"x\"\n",
		"cut short":      a.header() + tagger + "Approved\n",
	} {
		file := filepath.Join(t.TempDir(), "tag")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		id := person(t, folder, "hash-object", "-t", "tag", "-w", file)
		person(t, folder, "update-ref", ref, id)
		_, err := writer.Merge(t.Context(), done.Base, done.Commit)
		requireCode(t, err, refusal.NotApproved)
		require.Equal(t, first, person(t, folder, "rev-parse", "main"), name)
	}
	person(t, folder, "update-ref", ref, done.Commit)
	_, err := writer.Merge(t.Context(), done.Base, done.Commit)
	requireCode(t, err, refusal.NotApproved)
	person(t, folder, "update-ref", "-d", ref)

	_, err = writer.Approve(t.Context(), Caller{Actor: "a\n\nbase x", Call: "c"}, done.Base, done.Commit)
	require.NoError(t, err)
	_, err = writer.Merge(t.Context(), done.Base, done.Commit)
	require.NoError(t, err)
}

// A commit that a person made may hold what no tool here may change; approving
// it here would let it in.
func TestACommitThatTouchesProtectedFilesIsNeitherApprovedNorMerged(t *testing.T) {
	for _, name := range []string{"protocols/x/protocol.yaml", "generated/x/a.go", ".mcp.json", "deep/.Claude/settings.json"} {
		folder, first := ground(t)
		person(t, folder, "checkout", "-qb", "work/x")
		put(t, folder, name, "changed")
		person(t, folder, "add", "-f", "-A")
		person(t, folder, "commit", "-qm", "m")
		commit := person(t, folder, "rev-parse", "HEAD")
		writer := opened(t, folder)
		_, err := writer.Approve(t.Context(), somebody(), first, commit)
		requireCode(t, err, refusal.PathProtected)
		compared, err := writer.Compare(t.Context(), "", commit)
		require.NoError(t, err)
		require.ErrorContains(t, writer.Obstacle(t.Context(), compared), fmt.Sprintf("%q", name))
	}
}

func TestATargetThatStandsForAnotherBranchIsRefused(t *testing.T) {
	folder, done := onMain(t)
	person(t, folder, "checkout", "-q", "--detach")
	person(t, folder, "branch", "other", "main")
	person(t, folder, "symbolic-ref", "refs/heads/main", "refs/heads/other")
	_, err := opened(t, folder).Merge(t.Context(), done.Base, done.Commit)
	requireCode(t, err, refusal.RepositoryUnusable)
}

// Of many concurrent merges exactly one moves the branch.
func TestConcurrentMergesUseAnApprovalOnce(t *testing.T) {
	folder, done := onMain(t)
	person(t, folder, "checkout", "-q", "work/x")
	results := make(chan error)
	for range 4 {
		writer := opened(t, folder)
		go func() {
			_, err := writer.Merge(t.Context(), done.Base, done.Commit)
			results <- err
		}()
	}
	succeeded := 0
	for range 4 {
		if <-results == nil {
			succeeded++
		}
	}
	require.Equal(t, 1, succeeded)
	require.Equal(t, done.Commit, person(t, folder, "rev-parse", "main"))
}

func TestOpenRefusesWhatIsNoWorkTree(t *testing.T) {
	folder, _ := ground(t)
	bare := t.TempDir()
	person(t, bare, "init", "-q", "--bare")
	linked := t.TempDir()
	require.NoError(t, os.Symlink(at(folder, ".git"), at(linked, ".git")))
	broken := t.TempDir()
	put(t, broken, ".git", "gitdir: /nowhere\n")
	for _, name := range []string{t.TempDir(), at(folder, "sub"), bare, linked, broken} {
		_, err := Open(t.Context(), name)
		requireCode(t, err, refusal.NotARepository)
	}
}

func TestReadAndListOfACommit(t *testing.T) {
	folder, _ := ground(t)
	require.NoError(t, os.Symlink("a.txt", at(folder, "link")))
	done := committed(t, folder)
	repository := opened(t, folder).Repository
	_, err := repository.Read(t.Context(), done.Commit, "link")
	requireCode(t, err, refusal.PathIsLink)
	_, err = repository.Read(t.Context(), done.Commit, "sub")
	requireCode(t, err, refusal.NotAFile)
	_, err = repository.Read(t.Context(), done.Commit, "a.txt/x")
	requireCode(t, err, refusal.FileNotFound)
	_, err = repository.Read(t.Context(), done.Commit, "../a.txt")
	requireCode(t, err, refusal.PathOutside)
	_, err = repository.Read(t.Context(), "HEAD", "a.txt")
	requireCode(t, err, refusal.CommitNotFound)
	listing, err := repository.List(t.Context(), done.Commit, ".", true, 3)
	require.NoError(t, err)
	require.True(t, listing.Truncated)
	require.Len(t, listing.Entries, 3)
}
