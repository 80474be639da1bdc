package git

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

func skippedPaths(done Committed) (paths []string) {
	for _, skipped := range done.Skipped {
		paths = append(paths, skipped.Path)
	}
	return paths
}

func TestCommitTakesEveryKindOfChange(t *testing.T) {
	folder, first := ground(t)
	put(t, folder, "a.txt", "changed\r\n")
	put(t, folder, "-rf", "dash")
	put(t, folder, "with space/ü.txt", "new")
	put(t, folder, ":(glob)x*", "magic")
	put(t, folder, "noise.log", "ignored")
	put(t, folder, "binary", "\x00\xff")
	require.NoError(t, os.RemoveAll(at(folder, "sub")))
	put(t, folder, "sub", "a file in the place of a folder")
	require.NoError(t, os.WriteFile(at(folder, "run.sh"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.Symlink("a.txt", at(folder, "link")))
	done, err := opened(t, folder).Commit(t.Context(), Caller{Actor: "Ann <x>\n", Call: "C1"}, "fix-it", "Subject\n\nBody")
	require.NoError(t, err)
	require.Equal(t, first, done.Base)
	require.ElementsMatch(t, []string{"-rf", ":(glob)x*", "a.txt", "binary", "link", "run.sh", "sub", "sub/b.txt", "with space/ü.txt"}, done.Files)
	require.Empty(t, done.Skipped)
	require.Equal(t, "work/fix-it", person(t, folder, "branch", "--show-current"))
	require.Empty(t, person(t, folder, "status", "--porcelain"))
	require.Equal(t, "Ann x", person(t, folder, "log", "-1", "--format=%an"))
	require.Equal(t, "Subject\n\nBody\n\nGatewright-Call: C1", person(t, folder, "log", "-1", "--format=%B")[:len("Subject\n\nBody\n\nGatewright-Call: C1")])
	require.Equal(t, first, person(t, folder, "rev-parse", "main"))
	require.Contains(t, person(t, folder, "ls-tree", "HEAD", "run.sh"), "100755")
	person(t, folder, "fsck", "--strict")
}

func TestCommitLeavesOutWhatIsProtected(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, "protocols/x/protocol.yaml", "evil")
	put(t, folder, ".claude/settings.json", "evil")
	put(t, folder, "generated/x/x.go", "evil")
	put(t, folder, "new\nline.txt", "odd")
	put(t, folder, "big.bin", "")
	require.NoError(t, os.Truncate(at(folder, "big.bin"), worktree.MaxFile+1))
	put(t, folder, "ok.txt", "ok")
	// Staging it beforehand makes no difference.
	person(t, folder, "add", ".claude/settings.json", "protocols/x/protocol.yaml")
	done, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	require.Equal(t, []string{"ok.txt"}, done.Files)
	require.ElementsMatch(t, []string{"protocols/x/protocol.yaml", ".claude/settings.json", "generated/x/x.go", `"new\nline.txt"`, "big.bin"}, skippedPaths(done))
	require.Contains(t, person(t, folder, "status", "--porcelain"), "A  .claude/settings.json")
	require.NotContains(t, person(t, folder, "ls-tree", "-r", "--name-only", "HEAD"), "claude")
}

func TestCommitLeavesOtherRepositoriesAlone(t *testing.T) {
	folder, _ := ground(t)
	nested, _ := ground(t)
	person(t, folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", nested, "module")
	person(t, folder, "commit", "-qm", "a submodule")
	put(t, folder, "module/c.txt", "c")
	person(t, at(folder, "module"), "add", "-A")
	person(t, at(folder, "module"), "commit", "-qm", "inside")
	put(t, folder, "own/x.txt", "x")
	person(t, at(folder, "own"), "init", "-q")
	put(t, folder, "a.txt", "changed")
	done, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, done.Files)
	require.ElementsMatch(t, []string{"module", "own/"}, skippedPaths(done))
}

func TestCommitLeavesOutWhatAFilterWouldChange(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, ".gitattributes", "*.psd filter=lfs\n")
	put(t, folder, "x.psd", "the bare content")
	done, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	require.Equal(t, []string{".gitattributes"}, done.Files)
	require.Equal(t, []string{"x.psd"}, skippedPaths(done))
}

func TestCommitKeepsLineEndsAsTheRepositoryWantsThem(t *testing.T) {
	folder, _ := ground(t)
	person(t, folder, "config", "core.autocrlf", "true")
	put(t, folder, "crlf.txt", "a\r\nb\r\n")
	_, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	require.Equal(t, "a\nb", person(t, folder, "cat-file", "blob", "HEAD:crlf.txt"))
	require.Empty(t, person(t, folder, "status", "--porcelain"))
}

func TestCommitChoosesTheBranch(t *testing.T) {
	folder, first := ground(t)
	writer := opened(t, folder)
	put(t, folder, "a.txt", "1")
	_, err := writer.Commit(t.Context(), somebody(), "", "m")
	requireCode(t, err, refusal.NoWorkBranch)
	_, err = writer.Commit(t.Context(), somebody(), "../main", "m")
	requireCode(t, err, refusal.NoWorkBranch)
	one, err := writer.Commit(t.Context(), somebody(), "one", "m")
	require.NoError(t, err)
	_, err = writer.Commit(t.Context(), somebody(), "", "m")
	requireCode(t, err, refusal.NothingToCommit)
	put(t, folder, "a.txt", "2")
	two, err := writer.Commit(t.Context(), somebody(), "", "m")
	require.NoError(t, err)
	require.Equal(t, one.Commit, person(t, folder, "rev-parse", two.Commit+"^"))
	put(t, folder, "a.txt", "3")
	_, err = writer.Commit(t.Context(), somebody(), "one", "m")
	require.NoError(t, err)
	put(t, folder, "a.txt", "4")
	_, err = writer.Commit(t.Context(), somebody(), "other", "m")
	requireCode(t, err, refusal.BranchUnmerged)
	person(t, folder, "branch", "work/taken", "main")
	_, err = writer.Commit(t.Context(), somebody(), "taken", "m")
	requireCode(t, err, refusal.BranchExists)
	require.Equal(t, first, person(t, folder, "rev-parse", "main"))
}

func TestCommitRefusesWhatItCannotJudge(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, "a.txt", "1")
	put(t, folder, ".git/MERGE_HEAD", "")
	_, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	requireCode(t, err, refusal.OperationInProgress)
	require.NoError(t, os.Remove(at(folder, ".git/MERGE_HEAD")))
	person(t, folder, "config", "core.sparseCheckout", "true")
	_, err = opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	requireCode(t, err, refusal.RepositoryUnusable)

	empty := t.TempDir()
	person(t, empty, "init", "-q", "-b", "main")
	put(t, empty, "a", "a")
	_, err = opened(t, empty).Commit(t.Context(), somebody(), "x", "m")
	requireCode(t, err, refusal.NoTargetBranch)
}

func TestConcurrentCommitsLoseNothing(t *testing.T) {
	folder, _ := ground(t)
	committed(t, folder)
	before := person(t, folder, "rev-parse", "HEAD")
	put(t, folder, "a.txt", "raced")
	done := make(chan error)
	for range 4 {
		writer := opened(t, folder)
		go func() {
			_, err := writer.Commit(t.Context(), somebody(), "", "m")
			done <- err
		}()
	}
	succeeded := 0
	for range 4 {
		if <-done == nil {
			succeeded++
		}
	}
	require.NotZero(t, succeeded)
	require.Equal(t, "raced", person(t, folder, "show", "HEAD:a.txt"))
	require.Len(t, strings.Fields(person(t, folder, "rev-list", before+"..HEAD")), succeeded)
}
