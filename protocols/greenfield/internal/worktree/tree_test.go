//go:build unix

package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

// ground makes a work tree and a folder beside it that nothing may reach.
func ground(t *testing.T) (tree *Writer, folder, outside string) {
	t.Helper()
	folder, outside = t.TempDir(), t.TempDir()
	tree, err := OpenWriter(folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	put(t, outside, "secret.txt", "secret")
	put(t, folder, "a.txt", "a\n")
	put(t, folder, "sub/b.txt", "b\n")
	put(t, folder, ".git/config", "[core]\n")
	put(t, folder, ".claude/settings.json", "{}")
	put(t, folder, "protocols/x/protocol.yaml", "protocol_id: x\n")
	return tree, folder, outside
}

// at is where a name with slashes is in a folder.
func at(folder, name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	full := at(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o777))
	require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
}

func content(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(data)
}

func to(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func requireCode(t *testing.T, err error, code gate.Code) {
	t.Helper()
	require.Error(t, err)
	require.True(t, refusal.Is(err, code), "%s: %v", code, err)
}

func TestReadAndReplace(t *testing.T) {
	tree, folder, _ := ground(t)
	require.NoError(t, os.Chmod(at(folder, "a.txt"), 0o751))
	require.NoError(t, tree.Replace(t.Context(), "a.txt", to("b\r\n")))
	data, err := tree.Read("./a.txt")
	require.NoError(t, err)
	require.Equal(t, "b\r\n", string(data))
	info, err := os.Stat(at(folder, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o751), info.Mode().Perm())
	leftovers, err := filepath.Glob(at(folder, ".gatewright-*"))
	require.NoError(t, err)
	require.Empty(t, leftovers)
}

func TestCreate(t *testing.T) {
	tree, folder, _ := ground(t)
	require.NoError(t, tree.Create(t.Context(), "new/deep/-file", []byte("x")))
	require.Equal(t, "x", content(t, folder, "new/deep/-file"))
	requireCode(t, tree.Create(t.Context(), "a.txt", nil), refusal.FileExists)
	requireCode(t, tree.Create(t.Context(), "sub", nil), refusal.FileExists)
	requireCode(t, tree.Create(t.Context(), "a.txt/b", nil), refusal.NotAFolder)
	requireCode(t, tree.Create(t.Context(), "new/", nil), refusal.NotAFile)
	requireCode(t, tree.Create(t.Context(), ".", nil), refusal.NotAFile)
	requireCode(t, tree.Create(t.Context(), "big", make([]byte, MaxFile+1)), refusal.FileTooLarge)
}

func TestThePlanIsWrittenByItsOwnMethodAlone(t *testing.T) {
	tree, folder, _ := ground(t)
	requireCode(t, tree.Create(t.Context(), "PLAN.md", []byte("x")), refusal.PathProtected)
	require.NoError(t, tree.WritePlan(t.Context(), []byte("one")))
	require.NoError(t, tree.WritePlan(t.Context(), []byte("two")))
	require.Equal(t, "two", content(t, folder, "PLAN.md"))
	requireCode(t, tree.Replace(t.Context(), "plan.md", to("x")), refusal.PathProtected)
}

func TestThePlanCannotBeALink(t *testing.T) {
	tree, folder, outside := ground(t)
	for _, target := range []string{at(outside, "secret.txt"), ".claude/settings.json", at(outside, "new")} {
		require.NoError(t, os.Symlink(target, at(folder, "PLAN.md")))
		requireCode(t, tree.WritePlan(t.Context(), []byte("x")), refusal.PathIsLink)
		require.NoError(t, os.Remove(at(folder, "PLAN.md")))
	}
	require.Equal(t, "secret", content(t, outside, "secret.txt"))
	require.NoFileExists(t, at(outside, "new"))
}

func TestProtectedPathsAreNotWritten(t *testing.T) {
	tree, folder, _ := ground(t)
	for _, name := range []string{".git/config", ".GIT/config", ".claude/settings.json", "protocols/x/protocol.yaml", "sub/../.git/config"} {
		require.Error(t, tree.Replace(t.Context(), name, to("evil")), name)
	}
	for _, name := range []string{".git/hooks/post-commit", ".mcp.json", "generated/x/y.go", ".cursor/mcp.json", ".vscode/mcp.json", "sub/.git"} {
		requireCode(t, tree.Create(t.Context(), name, []byte("evil")), refusal.PathProtected)
		require.NoFileExists(t, filepath.Join(folder, name))
	}
	require.NoDirExists(t, at(folder, "generated"))
	require.Equal(t, "[core]\n", content(t, folder, ".git/config"))
	_, err := tree.Read(".git/config")
	requireCode(t, err, refusal.PathProtected)
}

func TestLinksAreNeverFollowed(t *testing.T) {
	tree, folder, outside := ground(t)
	for name, target := range map[string]string{
		"out": outside, "out.txt": at(outside, "secret.txt"), "git": ".git", "claude": ".claude", "conf": ".git/config",
		"up": "../..", "proto.md": "protocols/x/protocol.yaml", "inner": "sub", "dangling": at(outside, "new"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(folder, name)))
	}
	for _, name := range []string{"out/secret.txt", "out.txt", "git/config", "claude/settings.json", "conf", "up/x", "proto.md", "inner/b.txt", "dangling"} {
		_, err := tree.Read(name)
		requireCode(t, err, refusal.PathIsLink)
		requireCode(t, tree.Replace(t.Context(), name, to("evil")), refusal.PathIsLink)
	}
	for _, name := range []string{"out/new", "git/hooks/x", "claude/new", "inner/new"} {
		requireCode(t, tree.Create(t.Context(), name, []byte("evil")), refusal.PathIsLink)
	}
	requireCode(t, tree.Create(t.Context(), "dangling", []byte("evil")), refusal.FileExists)
	require.Equal(t, "secret", content(t, outside, "secret.txt"))
	require.NoFileExists(t, at(outside, "new"))
	listing, err := tree.List(t.Context(), ".", true, 100)
	require.NoError(t, err)
	for _, entry := range listing.Entries {
		require.NotContains(t, entry.Path, "secret")
		require.NotContains(t, entry.Path, ".git")
	}
}

// A hard link keeps the content it has: replacing writes another file.
func TestHardLinksAreNotWrittenThrough(t *testing.T) {
	tree, folder, outside := ground(t)
	require.NoError(t, os.Link(at(outside, "secret.txt"), at(folder, "hard.txt")))
	require.NoError(t, os.Link(at(folder, "protocols/x/protocol.yaml"), at(folder, "innocent.md")))
	require.NoError(t, os.Link(at(folder, "protocols/x/protocol.yaml"), at(folder, "protocols/x/beside.md")))
	require.NoError(t, tree.Replace(t.Context(), "hard.txt", to("mine")))
	require.NoError(t, tree.Replace(t.Context(), "innocent.md", to("mine")))
	requireCode(t, tree.Replace(t.Context(), "protocols/x/beside.md", to("mine")), refusal.PathProtected)
	require.Equal(t, "secret", content(t, outside, "secret.txt"))
	require.Equal(t, "protocol_id: x\n", content(t, folder, "protocols/x/protocol.yaml"))
	require.Equal(t, "mine", content(t, folder, "hard.txt"))
}

// A file system may find a protected folder under a name nobody thought of. Two
// names of one folder cannot be made here without privileges, so what is tested
// is the comparison.
func TestTheSameFolderIsRecognised(t *testing.T) {
	tree, folder, _ := ground(t)
	info, err := os.Lstat(at(folder, ".claude"))
	require.NoError(t, err)
	require.True(t, isNamed(tree.root, info, protectedFolders()...))
	info, err = os.Lstat(at(folder, "sub"))
	require.NoError(t, err)
	require.False(t, isNamed(tree.root, info, protectedFolders()...))
}

func TestOtherRepositoriesAreNotWritten(t *testing.T) {
	tree, folder, _ := ground(t)
	put(t, folder, "nested/.git/HEAD", "ref: refs/heads/main\n")
	put(t, folder, "nested/x.txt", "x")
	put(t, folder, "linked/.git", "gitdir: elsewhere\n")
	put(t, folder, "bare/HEAD", "ref: refs/heads/main\n")
	require.NoError(t, os.MkdirAll(at(folder, "bare/objects"), 0o777))
	require.NoError(t, os.MkdirAll(at(folder, "bare/refs"), 0o777))
	requireCode(t, tree.Replace(t.Context(), "nested/x.txt", to("y")), refusal.PathProtected)
	requireCode(t, tree.Create(t.Context(), "linked/x.txt", nil), refusal.PathProtected)
	requireCode(t, tree.Create(t.Context(), "bare/config", nil), refusal.PathProtected)
	listing, err := tree.List(t.Context(), ".", true, 100)
	require.NoError(t, err)
	require.Contains(t, listing.Entries, Entry{Path: "nested", Kind: Submodule})
	require.NotContains(t, listing.Entries, Entry{Path: "nested/x.txt", Kind: File, Size: 1})
}

func TestWhatIsNoRegularFileIsRefusedAtOnce(t *testing.T) {
	tree, folder, _ := ground(t)
	require.NoError(t, syscall.Mkfifo(at(folder, "pipe"), 0o600))
	_, err := tree.Read("pipe")
	requireCode(t, err, refusal.NotAFile)
	requireCode(t, tree.Replace(t.Context(), "pipe", to("x")), refusal.NotAFile)
	_, err = tree.Read("sub")
	requireCode(t, err, refusal.NotAFile)
	_, err = tree.Read("a.txt/b")
	requireCode(t, err, refusal.NotAFolder)
	_, err = tree.Read("missing/b")
	requireCode(t, err, refusal.FileNotFound)
	require.NoError(t, os.Truncate(at(folder, "a.txt"), MaxFile+1))
	_, err = tree.Read("a.txt")
	requireCode(t, err, refusal.FileTooLarge)
}

func TestListIsBoundedAndSorted(t *testing.T) {
	tree, folder, _ := ground(t)
	for _, name := range []string{"z", "y\nx", "x\xff"} {
		put(t, folder, name, "")
	}
	put(t, folder, ".gatewright-X.tmp", "")
	listing, err := tree.List(t.Context(), ".", false, 100)
	require.NoError(t, err)
	require.Equal(t, 2, listing.Hidden)
	require.False(t, listing.Truncated)
	require.Equal(t, []Entry{
		{Path: ".claude", Kind: Folder}, {Path: "a.txt", Kind: File, Size: 2}, {Path: "protocols", Kind: Folder},
		{Path: "sub", Kind: Folder}, {Path: "z", Kind: File},
	}, listing.Entries)
	listing, err = tree.List(t.Context(), ".", true, 3)
	require.NoError(t, err)
	require.Len(t, listing.Entries, 3)
	require.True(t, listing.Truncated)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = tree.List(ended, ".", true, 100)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAnEndedCallWritesNothing(t *testing.T) {
	tree, folder, _ := ground(t)
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, tree.Create(ended, "new.txt", []byte("x")), context.Canceled)
	require.NoFileExists(t, at(folder, "new.txt"))
	require.ErrorIs(t, tree.Replace(ended, "a.txt", to("x")), context.Canceled)
	require.Equal(t, "a\n", content(t, folder, "a.txt"))
}

func TestAFileThatChangesUnderTheEditIsNotOverwritten(t *testing.T) {
	tree, folder, _ := ground(t)
	err := tree.Replace(t.Context(), "a.txt", func([]byte) ([]byte, error) {
		put(t, folder, "a.txt", "somebody else's longer text")
		return []byte("mine"), nil
	})
	requireCode(t, err, refusal.PathMoved)
	require.Equal(t, "somebody else's longer text", content(t, folder, "a.txt"))
}

// Clients call concurrently: no edit may be lost.
func TestConcurrentEditsAllCount(t *testing.T) {
	tree, folder, _ := ground(t)
	put(t, folder, "count", "")
	done := make(chan error)
	const edits = 40
	for range edits {
		go func() {
			done <- tree.Replace(t.Context(), "count", func(old []byte) ([]byte, error) { return append(old, 'x'), nil })
		}()
	}
	for range edits {
		require.NoError(t, <-done)
	}
	require.Equal(t, strings.Repeat("x", edits), content(t, folder, "count"))
}
