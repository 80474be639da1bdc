package git

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// branched has a person commit a change to a work branch, and checks main out.
func branched(t *testing.T, folder string, change func()) (base, commit string) {
	t.Helper()
	base = person(t, folder, "rev-parse", "main")
	person(t, folder, "checkout", "-q", "-b", "work/x")
	change()
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "change")
	commit = person(t, folder, "rev-parse", "HEAD")
	person(t, folder, "checkout", "-q", "main")
	return base, commit
}

func merged(t *testing.T, folder, base, commit string) (Merged, error) {
	t.Helper()
	_, err := opened(t, folder).Approve(t.Context(), somebody(), base, commit)
	require.NoError(t, err)
	return opened(t, folder).Merge(t.Context(), base, commit)
}

func TestMergeBringsEveryKindOfFile(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, "becomes/folder", "a file")
	put(t, folder, "was/folder/deep.txt", "deep")
	require.NoError(t, os.Symlink("a.txt", at(folder, "link")))
	put(t, folder, "plain.sh", "#!/bin/sh\n")
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "more")
	base, commit := branched(t, folder, func() {
		require.NoError(t, os.Remove(at(folder, "becomes/folder")))
		put(t, folder, "becomes/folder/-rf", "dash")
		require.NoError(t, os.RemoveAll(at(folder, "was")))
		put(t, folder, "was", "a file now")
		require.NoError(t, os.Remove(at(folder, "link")))
		require.NoError(t, os.Symlink("/nowhere/at all", at(folder, "link")))
		require.NoError(t, os.Remove(at(folder, "a.txt")))
		require.NoError(t, os.Symlink("link", at(folder, "a.txt")))
		require.NoError(t, os.Chmod(at(folder, "plain.sh"), 0o755))
		put(t, folder, "with space/ü.bin", "\x00\xff")
		put(t, folder, "new/link", "x")
		put(t, folder, "PLAN.md", "# Plan\n")
		require.NoError(t, os.RemoveAll(at(folder, "sub")))
	})
	done, err := merged(t, folder, base, commit)
	require.NoError(t, err)
	require.Equal(t, Updated, done.WorkTree)
	require.Empty(t, person(t, folder, "status", "--porcelain"))
	require.NoDirExists(t, at(folder, "sub"))
	info, err := os.Stat(at(folder, "plain.sh"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	target, err := os.Readlink(at(folder, "link"))
	require.NoError(t, err)
	require.Equal(t, "/nowhere/at all", target)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range left {
		require.NotContains(t, entry.Name(), ".tmp")
	}
}

func TestMergeKeepsLineEndsAsTheRepositoryWantsThem(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, ".gitattributes", "*.bat text eol=crlf\n")
	put(t, folder, "run.bat", "one\r\n")
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "batch")
	base, commit := branched(t, folder, func() { put(t, folder, "run.bat", "one\r\ntwo\r\n") })
	require.Equal(t, "one\ntwo", person(t, folder, "cat-file", "blob", commit+":run.bat"))
	done, err := merged(t, folder, base, commit)
	require.NoError(t, err)
	require.Equal(t, Updated, done.WorkTree)
	data, err := os.ReadFile(at(folder, "run.bat"))
	require.NoError(t, err)
	require.Equal(t, "one\r\ntwo\r\n", string(data))
	require.Empty(t, person(t, folder, "status", "--porcelain"))
}

func TestMergeOfASubmoduleLeavesItsFilesAlone(t *testing.T) {
	folder, _ := ground(t)
	nested, _ := ground(t)
	base, commit := branched(t, folder, func() {
		person(t, folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", nested, "module")
	})
	require.NoError(t, os.RemoveAll(at(folder, "module")))
	done, err := merged(t, folder, base, commit)
	require.NoError(t, err)
	require.Equal(t, Updated, done.WorkTree)
	inside, err := os.ReadDir(at(folder, "module"))
	require.NoError(t, err)
	require.Empty(t, inside)
	require.Empty(t, person(t, folder, "status", "--porcelain"))
}

func TestMergeRefusesAHugeFileWhereItWouldBeWritten(t *testing.T) {
	folder, _ := ground(t)
	base, commit := branched(t, folder, func() {
		put(t, folder, "big.bin", "")
		require.NoError(t, os.Truncate(at(folder, "big.bin"), worktree.MaxFile+1))
	})
	_, err := merged(t, folder, base, commit)
	requireCode(t, err, refusal.FileTooLarge)
	require.Equal(t, base, person(t, folder, "rev-parse", "main"))
	person(t, folder, "checkout", "-q", "--detach")
	_, err = opened(t, folder).Merge(t.Context(), base, commit)
	require.NoError(t, err)
}

func TestMergeRefusesASparseWorkTreeThatHasMain(t *testing.T) {
	folder, _ := ground(t)
	base, commit := branched(t, folder, func() { put(t, folder, "a.txt", "x") })
	person(t, folder, "sparse-checkout", "set", "sub")
	_, err := merged(t, folder, base, commit)
	requireCode(t, err, refusal.RepositoryUnusable)
	require.Equal(t, base, person(t, folder, "rev-parse", "main"))
	// Reading a commit needs no files.
	data, err := opened(t, folder).Read(t.Context(), commit, "a.txt")
	require.NoError(t, err)
	require.Equal(t, "x", string(data))
}

// A name with a line break can be in a commit that a person made. It can be
// read in no tool, and approving it shows it in a form that hides nothing.
func TestNamesWithLineBreaks(t *testing.T) {
	folder, _ := ground(t)
	base, commit := branched(t, folder, func() { put(t, folder, "two\nlines", "x") })
	writer := opened(t, folder)
	c, err := writer.Compare(t.Context(), "", commit)
	require.NoError(t, err)
	require.Equal(t, "two\nlines", c.Changes[0].Path)
	patch, _, err := writer.Patch(t.Context(), base, commit, "", 1<<20)
	require.NoError(t, err)
	require.Contains(t, patch, `"b/two\nlines"`)
	_, err = writer.Read(t.Context(), commit, "two\nlines")
	requireCode(t, err, refusal.PathInvalid)
	_, err = merged(t, folder, base, commit)
	requireCode(t, err, refusal.PathInvalid)
	require.Equal(t, base, person(t, folder, "rev-parse", "main"))
	listing, err := writer.List(t.Context(), commit, ".", false, 100)
	require.NoError(t, err)
	require.Equal(t, 1, listing.Hidden)
	for _, entry := range listing.Entries {
		require.NotContains(t, entry.Path, "\n")
	}
}
