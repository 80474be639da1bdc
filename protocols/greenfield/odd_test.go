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

// Every tool that needs a repository says so in a bare one, and in a folder that
// is none.
func TestNoRepositoryIsRefusedByEveryTool(t *testing.T) {
	bare := t.TempDir()
	git(t, bare, "init", "-q", "--bare")
	for _, folder := range []string{bare, t.TempDir()} {
		kit, ctx := newKit(t, folder), t.Context()
		implement, review := kit.Implement(t), kit.Review(t)
		id := strings.Repeat("a", 40)
		for tool, err := range map[string]error{
			"search":          second(kit.Plan(t).Search(ctx, greenfield.SearchInput{Pattern: "x"})),
			"branches":        second(kit.Plan(t).Branches(ctx, greenfield.BranchesInput{})),
			"reviews":         second(kit.Plan(t).Reviews(ctx, greenfield.ReviewsInput{})),
			"diff":            second(review.Diff(ctx, greenfield.DiffInput{})),
			"commit":          second(implement.Commit(ctx, greenfield.CommitInput{Message: "m", Branch: new("x")})),
			"switch":          second(implement.Switch(ctx, greenfield.SwitchInput{})),
			"update":          second(implement.Update(ctx, greenfield.UpdateInput{})),
			"revert":          second(implement.Revert(ctx, greenfield.RevertInput{Commit: id, Branch: "x", Reason: "x"})),
			"run_tests":       second(implement.RunTests(ctx, greenfield.RunTestsInput{Commit: &id})),
			"comment":         second(review.Comment(ctx, greenfield.CommentInput{Commit: id, Base: id, Text: "x"})),
			"request_changes": second(review.RequestChanges(ctx, greenfield.RequestChangesInput{Commit: id, Base: id, Text: "x"})),
			"reject":          second(review.Reject(ctx, greenfield.RejectInput{Commit: id, Base: id, Text: "x"})),
			"approve":         second(review.Approve(ctx, greenfield.ApproveInput{Commit: id, Base: id})),
			"merge":           second(kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: id, Base: id})),
		} {
			require.Error(t, err, tool)
			refused(t, err, "NOT_A_REPOSITORY")
		}
	}
}

func TestSparseWorkTrees(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	git(t, folder, "sparse-checkout", "set", "src")
	implement := kit.Implement(t)
	for _, err := range []error{
		second(implement.Commit(ctx, greenfield.CommitInput{Message: "m"})),
		second(implement.Switch(ctx, greenfield.SwitchInput{})),
		second(implement.Revert(ctx, greenfield.RevertInput{Commit: committed.Base, Branch: "x", Reason: "x"})),
	} {
		require.Error(t, err)
		var refusal *gate.Refusal
		require.ErrorAs(t, err, &refusal)
		require.Contains(t, []gate.Code{"REPOSITORY_UNUSABLE", "NOT_MERGED"}, refusal.Code)
	}
	out, err := implement.Search(ctx, greenfield.SearchInput{Pattern: "everybody", Commit: &committed.Commit})
	require.NoError(t, err)
	require.NotEmpty(t, out.Matches)
	out, err = implement.Search(ctx, greenfield.SearchInput{Pattern: "package"})
	require.NoError(t, err)
	require.Len(t, out.Matches, 1)
	// What is reviewed and merged needs no files.
	merge(t, kit, committed.Commit, committed.Base)
}

func TestSubmodules(t *testing.T) {
	folder, nested := scratch(t), scratch(t)
	git(t, folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", nested, "module")
	git(t, folder, "commit", "-qm", "a submodule")
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	for _, commit := range []*string{nil, new(git(t, folder, "rev-parse", "HEAD"))} {
		listed, err := implement.List(ctx, greenfield.ListInput{Recursive: new(true), Commit: commit})
		require.NoError(t, err)
		kinds := map[string]greenfield.ListOutputEntriesItemKind{}
		for _, entry := range listed.Entries {
			kinds[entry.Path] = entry.Kind
		}
		require.Equal(t, greenfield.ListOutputEntriesItemKindSubmodule, kinds["module"])
		require.NotContains(t, kinds, "module/hello.txt")
		found, err := implement.Search(ctx, greenfield.SearchInput{Pattern: "hello", Commit: commit})
		require.NoError(t, err)
		for _, match := range found.Matches {
			require.NotContains(t, match.Path, "module/")
		}
	}
	for _, err := range []error{
		second(implement.Write(ctx, greenfield.WriteInput{Path: "module/hello.txt", Text: "x"})),
		second(implement.Create(ctx, greenfield.CreateInput{Path: "module/new.txt", Text: "x"})),
		second(implement.Edit(ctx, greenfield.EditInput{Path: "module/hello.txt", OldText: "hello", NewText: "x"})),
		second(implement.Delete(ctx, greenfield.DeleteInput{Path: "module/hello.txt"})),
		second(implement.Move(ctx, greenfield.MoveInput{From: "module/hello.txt", To: "x"})),
		second(implement.Move(ctx, greenfield.MoveInput{From: "hello.txt", To: "module/x"})),
	} {
		refused(t, err, "PATH_PROTECTED")
	}
	require.Empty(t, git(t, folder, "status", "--porcelain"))

	// A change beside the submodule goes all the way.
	committed := changed(t, kit)
	git(t, folder, "checkout", "-q", "main")
	merge(t, kit, committed.Commit, committed.Base)
	require.Equal(t, "hello\neverybody\n", reading(t, folder, "hello.txt"))
	require.FileExists(t, filepath.Join(folder, "module/hello.txt"))
	require.Empty(t, git(t, folder, "status", "--porcelain"))
}

func TestHugeFiles(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "big.txt", "")
	require.NoError(t, os.Truncate(filepath.Join(folder, "big.txt"), 9<<20))
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-qm", "big")
	commit := git(t, folder, "rev-parse", "HEAD")
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	for _, err := range []error{
		second(implement.Read(ctx, greenfield.ReadInput{Path: "big.txt"})),
		second(implement.Read(ctx, greenfield.ReadInput{Path: "big.txt", Commit: &commit})),
		second(implement.Edit(ctx, greenfield.EditInput{Path: "big.txt", OldText: "x", NewText: "y"})),
		second(implement.Write(ctx, greenfield.WriteInput{Path: "big.txt", Text: "y"})),
		second(implement.Move(ctx, greenfield.MoveInput{From: "big.txt", To: "y"})),
	} {
		refused(t, err, "FILE_TOO_LARGE")
	}
	out, err := implement.Search(ctx, greenfield.SearchInput{Pattern: "x", Commit: &commit})
	require.NoError(t, err)
	require.EqualValues(t, 1, out.Large)
	_, err = implement.Delete(ctx, greenfield.DeleteInput{Path: "big.txt"})
	require.NoError(t, err)
}

// Names that look like options, and names with spaces, go through every tool.
func TestNamesThatLookLikeOptions(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	for _, name := range []string{"--help", "-rf x", "--exec=sh/-c"} {
		_, err := implement.Write(ctx, greenfield.WriteInput{Path: name, Text: "needle\n"})
		require.NoError(t, err)
		_, err = implement.Move(ctx, greenfield.MoveInput{From: name, To: name + " moved"})
		require.NoError(t, err)
		_, err = implement.Edit(ctx, greenfield.EditInput{Path: name + " moved", OldText: "needle", NewText: "needle, mended"})
		require.NoError(t, err)
	}
	committed, err := implement.Commit(ctx, greenfield.CommitInput{Message: "--amend", Branch: new("names")})
	require.NoError(t, err)
	require.Equal(t, []string{"--exec=sh/-c moved", "--help moved", "-rf x moved"}, committed.Files)
	review := kit.Review(t)
	for _, name := range committed.Files {
		read, err := review.Read(ctx, greenfield.ReadInput{Path: name, Commit: &committed.Commit})
		require.NoError(t, err)
		require.Equal(t, "needle, mended\n", read.Text)
		for _, commit := range []*string{nil, &committed.Commit} {
			found, err := review.Search(ctx, greenfield.SearchInput{Pattern: "needle", Path: &name, Commit: commit})
			require.NoError(t, err)
			require.Len(t, found.Matches, 1)
		}
		diff, err := review.Diff(ctx, greenfield.DiffInput{Path: &name})
		require.NoError(t, err)
		require.Contains(t, diff.Patch, "+needle, mended")
		_, err = review.Comment(ctx, greenfield.CommentInput{Commit: committed.Commit, Base: committed.Base, Path: &name, Text: "--help"})
		require.NoError(t, err)
	}
	git(t, folder, "checkout", "-q", "main")
	merge(t, kit, committed.Commit, committed.Base)
	require.Equal(t, "needle, mended\n", reading(t, folder, "--exec=sh/-c moved"))
}
