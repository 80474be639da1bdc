package greenfield_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/generated/greenfield/greenfieldtest"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
)

// git runs git as a person would, away from the configuration of this machine.
func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = folder
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=person", "GIT_AUTHOR_EMAIL=person@example.com", "GIT_COMMITTER_NAME=person", "GIT_COMMITTER_EMAIL=person@example.com",
	}
	output, err := command.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), output)
	return strings.TrimSuffix(string(output), "\n")
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	full := filepath.Join(folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o777))
	require.NoError(t, os.WriteFile(full, []byte(text), 0o666))
}

// scratch makes a repository with one commit on main.
func scratch(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	git(t, folder, "init", "-q", "-b", "main")
	write(t, folder, "hello.txt", "hello\nworld\n")
	write(t, folder, "src/app.go", "package app\n")
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-qm", "first")
	return folder
}

// newKit is a kit with somebody at the queue who approves every merge.
func newKit(t *testing.T, folder string) *greenfieldtest.Kit {
	t.Helper()
	return greenfieldtest.New(t, folder).WithPerson(func(approval.Request) bool { return true })
}

func refused(t *testing.T, err error, code gate.Code) {
	t.Helper()
	var refusal *gate.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, code, refusal.Code, refusal.Message)
	require.NotEmpty(t, refusal.Next)
}

// changed plans and implements a change, and returns what commit said.
func changed(t *testing.T, kit *greenfieldtest.Kit) greenfield.CommitOutput {
	t.Helper()
	ctx := t.Context()
	_, err := kit.WithActor("planner").Plan(t).WritePlan(ctx, greenfield.WritePlanInput{Text: "# Plan\n\nGreet everybody.\n"})
	require.NoError(t, err)
	implement := kit.WithActor("implementer").Implement(t)
	edited, err := implement.Edit(ctx, greenfield.EditInput{Path: "hello.txt", OldText: "world", NewText: "everybody"})
	require.NoError(t, err)
	require.Equal(t, greenfield.EditOutput{Path: "hello.txt", Replacements: 1, FirstLine: 2, Size: 16}, edited)
	_, err = implement.Create(ctx, greenfield.CreateInput{Path: "docs/new file.md", Text: "new\n"})
	require.NoError(t, err)
	committed, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Greet everybody", Branch: new("greet")})
	require.NoError(t, err)
	return committed
}

func TestStory(t *testing.T) {
	folder := scratch(t)
	first := git(t, folder, "rev-parse", "main")
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	require.Equal(t, first, committed.Base)
	require.Equal(t, "greet", committed.Branch)
	require.Equal(t, []string{"PLAN.md", "docs/new file.md", "hello.txt"}, committed.Files)
	require.Empty(t, committed.Skipped)
	require.Equal(t, "work/greet", git(t, folder, "branch", "--show-current"))
	require.Empty(t, git(t, folder, "status", "--porcelain"))
	require.Equal(t, "implementer", git(t, folder, "log", "-1", "--format=%an"))

	review := kit.WithActor("reviewer").Review(t)
	diff, err := review.Diff(ctx, greenfield.DiffInput{})
	require.NoError(t, err)
	require.Equal(t, committed.Commit, diff.Commit)
	require.Equal(t, committed.Base, diff.Base)
	require.Contains(t, diff.Patch, "-world\n+everybody\n")
	require.False(t, diff.Truncated)
	require.False(t, diff.Approved)
	require.Nil(t, diff.Obstacle)
	read, err := review.Read(ctx, greenfield.ReadInput{Path: "hello.txt", Commit: &diff.Commit})
	require.NoError(t, err)
	require.Equal(t, "hello\neverybody\n", read.Text)

	approved, err := review.Approve(ctx, greenfield.ApproveInput{Commit: diff.Commit, Base: diff.Base})
	require.NoError(t, err)
	require.Equal(t, diff.Tree, approved.Tree)
	require.False(t, approved.Already)
	tag := git(t, folder, "cat-file", "tag", approved.Approval)
	for _, said := range []string{"object " + diff.Commit, "base " + first, "commit " + diff.Commit, "tree " + diff.Tree, "target refs/heads/main", `actor "reviewer"`, "call "} {
		require.Contains(t, tag, said)
	}

	integrate := kit.WithActor("integrator").Integrate(t)
	diff, err = integrate.Diff(ctx, greenfield.DiffInput{Branch: new("greet")})
	require.NoError(t, err)
	require.True(t, diff.Approved)
	merged, err := integrate.Merge(ctx, greenfield.MergeInput{Commit: diff.Commit, Base: diff.Base})
	require.NoError(t, err)
	require.Equal(t, greenfield.MergeOutputWorkTreeUntouched, merged.WorkTree)
	require.Equal(t, diff.Commit, git(t, folder, "rev-parse", "main"))
	require.Empty(t, git(t, folder, "status", "--porcelain"))
	require.Empty(t, git(t, folder, "for-each-ref", "refs/gatewright/approvals"))
	require.Contains(t, git(t, folder, "for-each-ref", "refs/gatewright/merges"), approved.Approval)
	git(t, folder, "fsck", "--strict")

	// The next change starts where this one ended.
	implement := kit.Implement(t)
	_, err = implement.Create(ctx, greenfield.CreateInput{Path: "second.txt", Text: "2\n"})
	require.NoError(t, err)
	second, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Second", Branch: new("second")})
	require.NoError(t, err)
	require.Equal(t, merged.Commit, second.Base)
}

func TestMergeWithoutApprovalIsRefused(t *testing.T) {
	folder := scratch(t)
	kit := newKit(t, folder)
	committed := changed(t, kit)
	_, err := kit.Integrate(t).Merge(t.Context(), greenfield.MergeInput{Commit: committed.Commit, Base: committed.Base})
	refused(t, err, "NOT_APPROVED")
	require.Equal(t, committed.Base, git(t, folder, "rev-parse", "main"))
}

func TestMergeOfAnotherCommitThanTheApprovedOneIsRefused(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	_, err := kit.Review(t).Approve(ctx, greenfield.ApproveInput{Commit: committed.Commit, Base: committed.Base})
	require.NoError(t, err)
	implement := kit.Implement(t)
	_, err = implement.Create(ctx, greenfield.CreateInput{Path: "smuggled.txt", Text: "x\n"})
	require.NoError(t, err)
	again, err := implement.Commit(ctx, greenfield.CommitInput{Message: "One thing more"})
	require.NoError(t, err)
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: again.Commit, Base: again.Base})
	refused(t, err, "NOT_APPROVED")
	// The same tree in another commit is another commit.
	same := git(t, folder, "commit-tree", committed.Commit+"^{tree}", "-p", committed.Base, "-m", "same content")
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: same, Base: committed.Base})
	refused(t, err, "NOT_APPROVED")
	require.Equal(t, committed.Base, git(t, folder, "rev-parse", "main"))
}

func TestAnApprovalIsVoidOnceTheBaseHasMoved(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	_, err := kit.Review(t).Approve(ctx, greenfield.ApproveInput{Commit: committed.Commit, Base: committed.Base})
	require.NoError(t, err)
	moved := git(t, folder, "commit-tree", committed.Base+"^{tree}", "-p", committed.Base, "-m", "meanwhile")
	git(t, folder, "update-ref", "refs/heads/main", moved)
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: committed.Commit, Base: committed.Base})
	refused(t, err, "BASE_MOVED")
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: committed.Commit, Base: moved})
	refused(t, err, "NOT_APPROVED")
	require.Equal(t, moved, git(t, folder, "rev-parse", "main"))
}

func TestApproveOnAWrongBaseIsRefused(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review := kit.Review(t)
	other := git(t, folder, "commit-tree", committed.Base+"^{tree}", "-m", "unrelated")
	for _, c := range []struct {
		commit, base string
		code         gate.Code
	}{
		{committed.Commit, other, "BASE_MOVED"},
		{committed.Commit, strings.Repeat("a", 40), "COMMIT_NOT_FOUND"},
		{committed.Commit, strings.Repeat("a", 64), "COMMIT_NOT_FOUND"},
		{committed.Base, committed.Base, "COMMIT_IS_BASE"},
		{other, committed.Base, "NOT_A_DESCENDANT"},
		{git(t, folder, "rev-parse", committed.Commit+"^{tree}"), committed.Base, "COMMIT_NOT_FOUND"},
		{"main", committed.Base, gate.ArgumentsInvalid},
		{committed.Commit[:12], committed.Base, gate.ArgumentsInvalid},
	} {
		_, err := review.Approve(ctx, greenfield.ApproveInput{Commit: c.commit, Base: c.base})
		refused(t, err, c.code)
	}
	require.Empty(t, git(t, folder, "for-each-ref", "refs/gatewright"))
}

func TestApprovingTwiceRecordsOnce(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	in := greenfield.ApproveInput{Commit: committed.Commit, Base: committed.Base}
	first, err := kit.Review(t).Approve(ctx, in)
	require.NoError(t, err)
	second, err := kit.WithActor("another").Review(t).Approve(ctx, in)
	require.NoError(t, err)
	require.True(t, second.Already)
	require.Equal(t, first.Approval, second.Approval)
}

func TestReadTakesWholeLines(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "lines.txt", "one\r\ntwo\r\nthree")
	write(t, folder, "empty.txt", "")
	plan, ctx := newKit(t, folder).Plan(t), t.Context()
	out, err := plan.Read(ctx, greenfield.ReadInput{Path: "lines.txt"})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReadOutput{Text: "one\r\ntwo\r\nthree", FromLine: 1, Lines: 3, TotalLines: 3, Size: 15}, out)
	out, err = plan.Read(ctx, greenfield.ReadInput{Path: "./lines.txt", FromLine: new(int64(2)), Lines: new(int64(1))})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReadOutput{Text: "two\r\n", FromLine: 2, Lines: 1, TotalLines: 3, Size: 15}, out)
	out, err = plan.Read(ctx, greenfield.ReadInput{Path: "empty.txt"})
	require.NoError(t, err)
	require.Equal(t, greenfield.ReadOutput{FromLine: 1}, out)
	_, err = plan.Read(ctx, greenfield.ReadInput{Path: "lines.txt", FromLine: new(int64(4))})
	refused(t, err, "NO_SUCH_LINE")

	write(t, folder, "long.txt", strings.Repeat("0123456789abcde\n", 32<<10))
	out, err = plan.Read(ctx, greenfield.ReadInput{Path: "long.txt"})
	require.NoError(t, err)
	require.Len(t, out.Text, 256<<10)
	require.EqualValues(t, 16<<10, out.Lines)
	require.EqualValues(t, 32<<10, out.TotalLines)
	write(t, folder, "endless.txt", strings.Repeat("x", 300<<10))
	_, err = plan.Read(ctx, greenfield.ReadInput{Path: "endless.txt"})
	refused(t, err, "FILE_TOO_LARGE")
}

func TestListOfWorkTreeAndCommit(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "untracked/a b.txt", "x")
	plan, ctx := newKit(t, folder).Plan(t), t.Context()
	paths := func(out greenfield.ListOutput) (paths []string) {
		for _, entry := range out.Entries {
			paths = append(paths, string(entry.Kind)+" "+entry.Path)
		}
		return paths
	}
	out, err := plan.List(ctx, greenfield.ListInput{})
	require.NoError(t, err)
	require.Equal(t, []string{"file hello.txt", "folder src", "folder untracked"}, paths(out))
	require.EqualValues(t, 12, *out.Entries[0].Size)
	out, err = plan.List(ctx, greenfield.ListInput{Recursive: new(true)})
	require.NoError(t, err)
	require.Equal(t, []string{"file hello.txt", "folder src", "file src/app.go", "folder untracked", "file untracked/a b.txt"}, paths(out))
	commit := new(git(t, folder, "rev-parse", "HEAD"))
	out, err = plan.List(ctx, greenfield.ListInput{Recursive: new(true), Commit: commit})
	require.NoError(t, err)
	require.Equal(t, []string{"file hello.txt", "folder src", "file src/app.go"}, paths(out))
	out, err = plan.List(ctx, greenfield.ListInput{Path: new("src"), Commit: commit})
	require.NoError(t, err)
	require.Equal(t, []string{"file src/app.go"}, paths(out))
	_, err = plan.List(ctx, greenfield.ListInput{Path: new("hello.txt")})
	refused(t, err, "NOT_A_FOLDER")
	_, err = plan.List(ctx, greenfield.ListInput{Path: new("hello.txt"), Commit: commit})
	refused(t, err, "NOT_A_FOLDER")
	_, err = plan.List(ctx, greenfield.ListInput{Path: new("nowhere")})
	refused(t, err, "FILE_NOT_FOUND")
	_, err = plan.List(ctx, greenfield.ListInput{Path: new(".git")})
	refused(t, err, "PATH_PROTECTED")
}
