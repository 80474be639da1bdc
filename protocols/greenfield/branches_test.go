package greenfield_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/generated/greenfield/greenfieldtest"
)

// through commits what is in the work tree and has it approved and merged.
func through(t *testing.T, kit *greenfieldtest.Kit, branch string) greenfield.CommitOutput {
	t.Helper()
	committed, err := kit.Implement(t).Commit(t.Context(), greenfield.CommitInput{Message: branch, Branch: &branch})
	require.NoError(t, err)
	merge(t, kit, committed.Commit, committed.Base)
	return committed
}

func merge(t *testing.T, kit *greenfieldtest.Kit, commit, base string) {
	t.Helper()
	_, err := kit.Review(t).Approve(t.Context(), greenfield.ApproveInput{Commit: commit, Base: base})
	require.NoError(t, err)
	_, err = kit.Integrate(t).Merge(t.Context(), greenfield.MergeInput{Commit: commit, Base: base})
	require.NoError(t, err)
}

func reading(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

// Two changes side by side: the one that is merged second is brought up to date
// and reviewed anew.
func TestAWorkBranchIsBroughtUpToDate(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	first := changed(t, kit)
	_, err := implement.Switch(ctx, greenfield.SwitchInput{})
	require.NoError(t, err)
	require.Equal(t, "hello\nworld\n", reading(t, folder, "hello.txt"))
	require.NoFileExists(t, filepath.Join(folder, "PLAN.md"))
	write(t, folder, "other.txt", "other\n")
	second, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Other", Branch: new("other")})
	require.NoError(t, err)
	_, err = implement.Update(ctx, greenfield.UpdateInput{})
	refused(t, err, "BRANCH_CURRENT")
	merge(t, kit, first.Commit, first.Base)

	listed, err := kit.Plan(t).Branches(ctx, greenfield.BranchesInput{})
	require.NoError(t, err)
	require.Equal(t, first.Commit, listed.Base)
	byName := map[string]greenfield.BranchesOutputBranchesItem{}
	for _, one := range listed.Branches {
		byName[one.Branch] = one
	}
	require.Equal(t, greenfield.BranchesOutputBranchesItem{Branch: "other", Commit: second.Commit, Ahead: 1, Behind: 1, CheckedOut: true, Decision: "open"}, byName["other"])
	require.Zero(t, byName["greet"].Ahead)

	_, err = kit.Review(t).Approve(ctx, greenfield.ApproveInput{Commit: second.Commit, Base: first.Commit})
	refused(t, err, "NOT_A_DESCENDANT")
	write(t, folder, "other.txt", "dirty\n")
	_, err = implement.Update(ctx, greenfield.UpdateInput{})
	refused(t, err, "WORKTREE_DIRTY")
	_, err = implement.Switch(ctx, greenfield.SwitchInput{Branch: new("greet")})
	refused(t, err, "WORKTREE_DIRTY")
	write(t, folder, "other.txt", "other\n")
	updated, err := implement.Update(ctx, greenfield.UpdateInput{})
	require.NoError(t, err)
	require.Equal(t, greenfield.UpdateOutputWorkTreeUpdated, updated.WorkTree)
	require.Equal(t, "hello\neverybody\n", reading(t, folder, "hello.txt"))
	require.Empty(t, git(t, folder, "status", "--porcelain"))
	diff, err := kit.Review(t).Diff(ctx, greenfield.DiffInput{})
	require.NoError(t, err)
	require.Nil(t, diff.Obstacle)
	require.Len(t, diff.Files, 1)
	merge(t, kit, updated.Commit, updated.Base)
	git(t, folder, "fsck", "--strict")
}

func TestConflictsAreKeptWhereThatIsAskedFor(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	first := changed(t, kit)
	_, err := implement.Switch(ctx, greenfield.SwitchInput{})
	require.NoError(t, err)
	write(t, folder, "hello.txt", "hello\nnobody\n")
	second, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Nobody", Branch: new("nobody")})
	require.NoError(t, err)
	merge(t, kit, first.Commit, first.Base)
	_, err = implement.Update(ctx, greenfield.UpdateInput{})
	refused(t, err, "MERGE_CONFLICT")
	require.Equal(t, second.Commit, git(t, folder, "rev-parse", "work/nobody"))
	require.Equal(t, "hello\nnobody\n", reading(t, folder, "hello.txt"))

	updated, err := implement.Update(ctx, greenfield.UpdateInput{KeepConflicts: new(true)})
	require.NoError(t, err)
	require.Equal(t, []string{"hello.txt"}, updated.Conflicts)
	require.Contains(t, reading(t, folder, "hello.txt"), "nobody\n=======\neverybody\n")
	_, err = implement.Write(ctx, greenfield.WriteInput{Path: "hello.txt", Text: "hello\nboth\n"})
	require.NoError(t, err)
	mended, err := implement.Commit(ctx, greenfield.CommitInput{Message: "Mend"})
	require.NoError(t, err)
	diff, err := kit.Review(t).Diff(ctx, greenfield.DiffInput{})
	require.NoError(t, err)
	require.NotContains(t, diff.Patch, "=======")
	merge(t, kit, mended.Commit, mended.Base)
}

// What was merged is taken back by a change that is reviewed like any other.
func TestRevertPreparesAChange(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	write(t, folder, "one.txt", "1\n")
	_, err := implement.Commit(ctx, greenfield.CommitInput{Message: "One", Branch: new("numbers")})
	require.NoError(t, err)
	write(t, folder, "two.txt", "2\n")
	numbers := through(t, kit, "numbers") // of two commits
	write(t, folder, "three.txt", "3\n")
	later := through(t, kit, "three")

	target := git(t, folder, "rev-parse", "main")
	reverted, err := implement.Revert(ctx, greenfield.RevertInput{Commit: numbers.Commit, Branch: "no-numbers", Reason: "Words are better."})
	require.NoError(t, err)
	require.Equal(t, greenfield.RevertOutputWorkTreeUpdated, reverted.WorkTree)
	require.Equal(t, target, git(t, folder, "rev-parse", "main"), "the target branch stays")
	require.Equal(t, "work/no-numbers", git(t, folder, "branch", "--show-current"))
	require.NoFileExists(t, filepath.Join(folder, "one.txt"))
	require.NoFileExists(t, filepath.Join(folder, "two.txt"))
	require.FileExists(t, filepath.Join(folder, "three.txt"))
	require.Empty(t, git(t, folder, "status", "--porcelain"))
	require.Contains(t, git(t, folder, "log", "-1", "--format=%B"), "Words are better.")
	_, err = kit.Integrate(t).Merge(ctx, greenfield.MergeInput{Commit: reverted.Commit, Base: reverted.Base})
	refused(t, err, "NOT_APPROVED")
	merge(t, kit, reverted.Commit, reverted.Base)

	for _, c := range []struct{ commit, branch, code string }{
		{numbers.Commit, "again", "NOTHING_TO_COMMIT"},
		{later.Commit, "no-numbers", "BRANCH_EXISTS"},
		{strings.Repeat("a", 40), "again", "COMMIT_NOT_FOUND"},
		{git(t, folder, "commit-tree", target+"^{tree}", "-m", "elsewhere"), "again", "NOT_MERGED"},
		{git(t, folder, "rev-list", "--max-parents=0", "main"), "again", "NOT_MERGED"},
	} {
		_, err := implement.Revert(ctx, greenfield.RevertInput{Commit: c.commit, Branch: c.branch, Reason: "x"})
		refused(t, err, gateCode(c.code))
	}
	write(t, folder, "three.txt", "changed since\n")
	through(t, kit, "four")
	_, err = implement.Revert(ctx, greenfield.RevertInput{Commit: later.Commit, Branch: "again", Reason: "x"})
	refused(t, err, "MERGE_CONFLICT")
	git(t, folder, "fsck", "--strict")
}

func TestSwitchStaysWithinWhatItMay(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	_, err := implement.Switch(ctx, greenfield.SwitchInput{Branch: new("nowhere")})
	refused(t, err, "NO_WORK_BRANCH")
	changed(t, kit)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, folder, "worktree", "add", "-q", "-b", "work/linked", linked, "main")
	_, err = implement.Switch(ctx, greenfield.SwitchInput{Branch: new("linked")})
	refused(t, err, "BRANCH_IN_USE")

	// A branch on which a person changed what is protected is not checked out.
	git(t, linked, "checkout", "-q", "-b", "work/protected")
	write(t, linked, ".mcp.json", "{}")
	git(t, linked, "add", "-A")
	git(t, linked, "commit", "-qm", "by a person")
	git(t, linked, "checkout", "-q", "--detach")
	_, err = implement.Switch(ctx, greenfield.SwitchInput{Branch: new("protected")})
	refused(t, err, "PATH_PROTECTED")
	require.NoFileExists(t, filepath.Join(folder, ".mcp.json"))
	require.Equal(t, "work/greet", git(t, folder, "branch", "--show-current"))

	// In the linked work tree everything goes on as in any other.
	other := newKit(t, linked)
	git(t, folder, "checkout", "-q", "--detach")
	_, err = other.Implement(t).Switch(ctx, greenfield.SwitchInput{Branch: new("greet")})
	refused(t, err, "PATH_PROTECTED")
	git(t, linked, "checkout", "-q", "--detach", "main")
	switched, err := other.Implement(t).Switch(ctx, greenfield.SwitchInput{Branch: new("greet")})
	require.NoError(t, err)
	require.Equal(t, greenfield.SwitchOutputWorkTreeUpdated, switched.WorkTree)
	require.Equal(t, "hello\neverybody\n", reading(t, linked, "hello.txt"))
	require.Empty(t, git(t, linked, "status", "--porcelain"))
}
