package greenfield_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/runtime/gate"
)

func gateCode(text string) gate.Code { return gate.Code(text) }

func TestWriteMoveAndDelete(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "binary", "\x00\x01")
	require.NoError(t, os.Chmod(filepath.Join(folder, "binary"), 0o755))
	require.NoError(t, os.Symlink("hello.txt", filepath.Join(folder, "link")))
	implement, ctx := newKit(t, folder).Implement(t), t.Context()
	wrote, err := implement.Write(ctx, greenfield.WriteInput{Path: "new/a b.txt", Text: "x\r\n"})
	require.NoError(t, err)
	require.Equal(t, greenfield.WriteOutput{Path: "new/a b.txt", Created: true, Size: 3}, wrote)
	wrote, err = implement.Write(ctx, greenfield.WriteInput{Path: "hello.txt", Text: ""})
	require.NoError(t, err)
	require.Equal(t, greenfield.WriteOutput{Path: "hello.txt"}, wrote)

	moved, err := implement.Move(ctx, greenfield.MoveInput{From: "binary", To: "deep/er/-binary"})
	require.NoError(t, err)
	require.EqualValues(t, 2, moved.Size)
	info, err := os.Stat(filepath.Join(folder, "deep/er/-binary"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	require.NoFileExists(t, filepath.Join(folder, "binary"))

	_, err = implement.Delete(ctx, greenfield.DeleteInput{Path: "link"})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(folder, "hello.txt"))
	_, err = implement.Delete(ctx, greenfield.DeleteInput{Path: "src/app.go"})
	require.NoError(t, err)
	committed, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Tidy", Branch: new("tidy")})
	require.NoError(t, err)
	require.Equal(t, []string{"deep/er/-binary", "hello.txt", "new/a b.txt", "src/app.go"}, committed.Files)
}

func TestWriteMoveAndDeleteRefuse(t *testing.T) {
	folder := scratch(t)
	for _, name := range []string{"protocols/x/protocol.yaml", ".claude/settings.json", "generated/x/x.go", "PLAN.md", ".git/x"} {
		write(t, folder, name, "x")
	}
	require.NoError(t, os.Link(filepath.Join(folder, "protocols/x/protocol.yaml"), filepath.Join(folder, "protocols/x/hard")))
	require.NoError(t, os.Symlink(".claude", filepath.Join(folder, "way")))
	require.NoError(t, os.Symlink("hello.txt", filepath.Join(folder, "link")))
	implement, ctx := newKit(t, folder).Implement(t), t.Context()
	codes := map[string]gate.Code{
		"protocols/x/protocol.yaml": "PATH_PROTECTED", "protocols/x/hard": "PATH_PROTECTED", ".claude/settings.json": "PATH_PROTECTED",
		"generated/x/x.go": "PATH_PROTECTED", "PLAN.md": "PATH_PROTECTED", ".git/x": "PATH_PROTECTED", "way/settings.json": "PATH_IS_LINK",
		"../x": "PATH_OUTSIDE", "/etc/passwd": "PATH_OUTSIDE", "src": "NOT_A_FILE", "a\nb": "PATH_INVALID", ".": "NOT_A_FILE",
	}
	for name, code := range codes {
		_, err := implement.Write(ctx, greenfield.WriteInput{Path: name, Text: "y"})
		refused(t, err, code)
		_, err = implement.Delete(ctx, greenfield.DeleteInput{Path: name})
		refused(t, err, code)
		_, err = implement.Move(ctx, greenfield.MoveInput{From: name, To: "moved"})
		refused(t, err, code)
		if name != "src" && name != "protocols/x/hard" {
			_, err = implement.Move(ctx, greenfield.MoveInput{From: "hello.txt", To: name})
			refused(t, err, code)
		}
	}
	for _, c := range []struct {
		err  error
		code gate.Code
	}{
		{second(implement.Write(ctx, greenfield.WriteInput{Path: "link", Text: "y"})), "PATH_IS_LINK"},
		{second(implement.Write(ctx, greenfield.WriteInput{Path: "x", Text: "\x00"})), "FILE_BINARY"},
		{second(implement.Move(ctx, greenfield.MoveInput{From: "link", To: "moved"})), "PATH_IS_LINK"},
		{second(implement.Move(ctx, greenfield.MoveInput{From: "hello.txt", To: "src/app.go"})), "FILE_EXISTS"},
		{second(implement.Move(ctx, greenfield.MoveInput{From: "hello.txt", To: "link"})), "FILE_EXISTS"},
		{second(implement.Move(ctx, greenfield.MoveInput{From: "hello.txt", To: "hello.txt"})), "FILE_EXISTS"},
		{second(implement.Delete(ctx, greenfield.DeleteInput{Path: "nowhere"})), "FILE_NOT_FOUND"},
	} {
		refused(t, c.err, c.code)
	}
	require.NoFileExists(t, filepath.Join(folder, "moved"))
	require.FileExists(t, filepath.Join(folder, "hello.txt"))
}

func second[T any](_ T, err error) error { return err }

func TestSearch(t *testing.T) {
	folder := scratch(t)
	write(t, folder, ".gitignore", "*.log\n")
	write(t, folder, "noise.log", "needle\n")
	write(t, folder, "-dash.txt", "a needle\r\nNEEDLE\n")
	write(t, folder, "with space/ü.txt", "x\nneedle.\n")
	write(t, folder, "binary", "\x00needle")
	write(t, folder, "long.txt", strings.Repeat("ü", 1000)+"needle"+strings.Repeat("ü", 1000))
	write(t, folder, ".git/description", "needle")
	write(t, folder, "odd\nname", "needle")
	require.NoError(t, os.Symlink("-dash.txt", filepath.Join(folder, "link")))
	write(t, folder, "big.txt", "needle")
	require.NoError(t, os.Truncate(filepath.Join(folder, "big.txt"), 9<<20))
	git(t, folder, "init", "-q", "own")
	write(t, folder, "own/x.txt", "needle")
	kit, ctx := newKit(t, folder), t.Context()
	plan := kit.Plan(t)
	found := func(in greenfield.SearchInput) (where []string) {
		out, err := plan.Search(ctx, in)
		require.NoError(t, err)
		for _, match := range out.Matches {
			where = append(where, match.Path)
		}
		return where
	}
	out, err := plan.Search(ctx, greenfield.SearchInput{Pattern: "needle"})
	require.NoError(t, err)
	require.False(t, out.Truncated)
	require.EqualValues(t, 1, out.Binary)
	require.EqualValues(t, 1, out.Large)
	require.Equal(t, []string{"-dash.txt", "long.txt", "with space/ü.txt"}, found(greenfield.SearchInput{Pattern: "needle"}))
	require.Equal(t, greenfield.SearchOutputMatchesItem{Path: "-dash.txt", Line: 1, Text: "a needle"}, out.Matches[0])
	require.True(t, out.Matches[1].Cut)
	require.Contains(t, out.Matches[1].Text, "needle")
	require.Equal(t, []string{"-dash.txt", "-dash.txt"}, found(greenfield.SearchInput{Pattern: "needle", IgnoreCase: new(true), Path: new("-dash.txt")}))
	require.Equal(t, []string{"with space/ü.txt"}, found(greenfield.SearchInput{Pattern: "needle."}))
	require.Equal(t, []string{"with space/ü.txt"}, found(greenfield.SearchInput{Pattern: `^n.*\.$`, Regex: new(true)}))
	require.Empty(t, found(greenfield.SearchInput{Pattern: "needle", Path: new("*.txt")}))

	commit := git(t, folder, "rev-parse", "HEAD")
	out, err = plan.Search(ctx, greenfield.SearchInput{Pattern: "o", Commit: &commit})
	require.NoError(t, err)
	require.Equal(t, []greenfield.SearchOutputMatchesItem{{Path: "hello.txt", Line: 1, Text: "hello"}, {Path: "hello.txt", Line: 2, Text: "world"}}, out.Matches)
	require.Equal(t, []string{"src/app.go"}, found(greenfield.SearchInput{Pattern: "package", Commit: &commit, Path: new("src")}))

	write(t, folder, "many.txt", strings.Repeat("many\n", 600))
	out, err = plan.Search(ctx, greenfield.SearchInput{Pattern: "many"})
	require.NoError(t, err)
	require.True(t, out.Truncated)
	require.Len(t, out.Matches, 500)

	for _, c := range []struct {
		in   greenfield.SearchInput
		code gate.Code
	}{
		{greenfield.SearchInput{Pattern: "(", Regex: new(true)}, "PATTERN_INVALID"},
		{greenfield.SearchInput{Pattern: ""}, gate.ArgumentsInvalid},
		{greenfield.SearchInput{Pattern: "x", Path: new(".git")}, "PATH_PROTECTED"},
		{greenfield.SearchInput{Pattern: "x", Path: new("../x")}, "PATH_OUTSIDE"},
		{greenfield.SearchInput{Pattern: "x", Commit: new(strings.Repeat("a", 40))}, "COMMIT_NOT_FOUND"},
		{greenfield.SearchInput{Pattern: "x", Commit: &commit, Path: new("nowhere")}, "FILE_NOT_FOUND"},
	} {
		_, err := plan.Search(ctx, c.in)
		refused(t, err, c.code)
	}
}
