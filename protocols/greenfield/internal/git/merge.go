package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

// What a merge did to the files of the work tree.
const (
	Untouched = "untouched" // another branch is checked out
	Updated   = "updated"
	Behind    = "behind" // the branch was moved, and the files could not follow
)

// A Merged says what a merge did.
type Merged struct {
	Approval

	WorkTree string
}

// Merge moves the target branch from base to a commit that is approved on it,
// and uses the approval up in the same transaction. Nobody but the protocol's
// mode for it calls this.
func (w *Writer) Merge(ctx context.Context, base, commit string) (done Merged, err error) {
	c, err := w.Compare(ctx, base, commit)
	if err != nil {
		return done, err
	}
	if done.Approval, err = w.Approved(ctx, c); err != nil {
		return done, err
	}
	if err := w.Obstacle(ctx, c); err != nil {
		return done, err
	}
	if err := w.elsewhere(ctx, c.Target, refusal.TargetInUse); err != nil {
		return done, err
	}
	head, err := w.Head(ctx)
	if err != nil {
		return done, err
	}
	if head != c.Target.ref() {
		done.WorkTree = Untouched
		return done, w.move(ctx, c, done.Approval)
	}
	files, err := w.checkout(ctx, base, commit)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, files.close()) }()
	if err := w.move(ctx, c, done.Approval); err != nil {
		return done, err
	}
	// The merge stands from here on; the files follow even when the call ends.
	done.WorkTree = files.run(ctx)
	return done, nil
}

// move moves the target branch and the approval, both or neither.
func (w *Writer) move(ctx context.Context, c Comparison, a Approval) error {
	name := pair(c.Base, c.Commit)
	err := w.transact(ctx, "merge",
		fmt.Sprintf("update %s %s %s", c.Target.ref(), c.Commit, c.Base),
		fmt.Sprintf("delete %s %s", approvals+name, a.ID),
		w.unset(objected+name, ""),
		fmt.Sprintf("update %s %s", merges+name, a.ID))
	if err != nil {
		return w.explain(ctx, c, err)
	}
	return nil
}

// elsewhere refuses while another work tree has a branch checked out: were the
// target branch moved, its files would seem to take the merge back.
func (w *Writer) elsewhere(ctx context.Context, target Branch, code gate.Code) error {
	output, err := w.inGitDir(ctx, run{args: []string{"worktree", "list", "--porcelain", "-z"}})
	if err != nil {
		return fmt.Errorf("look at other work trees: %w", err)
	}
	here, err := os.Stat(w.workTree)
	if err != nil {
		return fmt.Errorf("look at the work tree: %w", err)
	}
	for record := range strings.SplitSeq(string(output), "\x00\x00") {
		var folder, branch string
		for line := range strings.SplitSeq(record, "\x00") {
			if name, found := strings.CutPrefix(line, "worktree "); found {
				folder = name
			} else if name, found := strings.CutPrefix(line, "branch "); found {
				branch = name
			}
		}
		if branch != target.ref() {
			continue
		}
		if there, err := os.Stat(folder); err == nil && !os.SameFile(here, there) {
			return refusal.New(code, "%s is checked out in %q", target.Name, folder)
		}
	}
	return nil
}

// clean refuses unless the files and the index of the work tree are those of
// base, and what commit adds is not there yet.
func (s *shadow) clean(ctx context.Context, base, commit string) error {
	if err := s.borrowIndex(); err != nil {
		return err
	}
	_, err := s.run(ctx, run{args: []string{"diff-index", "--cached", "--quiet", "--ignore-submodules=all", "--no-ext-diff", base, "--"}})
	if exited(err, 1) {
		return refusal.New(refusal.WorktreeDirty, "changes are staged in the work tree")
	}
	if err != nil {
		return fmt.Errorf("compare the index: %w", err)
	}
	if _, err := s.run(ctx, run{args: []string{"read-tree", base}}); err != nil {
		return fmt.Errorf("read commit %s: %w", base, err)
	}
	if _, err := s.run(ctx, run{args: []string{"update-index", "--ignore-submodules", "--refresh"}, limit: largeOutput}); err != nil {
		return refusal.New(refusal.WorktreeDirty, "files of the work tree are changed")
	}
	if _, err := s.run(ctx, run{args: []string{"read-tree", "-m", "-u", "-n", "--exclude-per-directory=.gitignore", base, commit}}); err != nil {
		return refusal.New(refusal.WorktreeDirty, "the files of the work tree stand in the way: %v", err)
	}
	return nil
}
