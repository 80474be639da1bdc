package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// maxNamed is how many paths a message names.
const maxNamed = 10

// combine merges two commits without a work tree. Where both changed the same
// lines, the tree holds both between markers, and the paths are returned.
func (s *shadow) combine(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	output, err := s.run(ctx, run{args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs}, keep: 1})
	switch {
	case exited(err, 129):
		return "", nil, refusal.New(refusal.GitTooOld, "this git cannot merge without a work tree")
	case err != nil && !exited(err, 1):
		return "", nil, fmt.Errorf("combine %s and %s: %w", ours, theirs, err)
	}
	fields := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
	if !s.repository.isID(fields[0]) {
		return "", nil, refusal.New(refusal.RepositoryUnusable, "git combined %s and %s into nothing that can be understood", ours, theirs)
	}
	return fields[0], fields[1:], nil
}

// conflict refuses where two commits cannot be combined.
func conflict(ours, theirs string, names []string) error {
	shown := make([]string, 0, maxNamed)
	for _, name := range names[:min(len(names), maxNamed)] {
		shown = append(shown, fmt.Sprintf("%q", worktree.Shown(name)))
	}
	return refusal.New(refusal.MergeConflict, "%s and %s change the same lines of %d files: %s", ours, theirs, len(names), strings.Join(shown, ", "))
}

// A Moved work branch.
type Moved struct {
	Branch    string // without work/
	Commit    string // its tip
	Base      string // the tip of the target branch
	Conflicts []string
	WorkTree  string // Updated or Behind
}

// Update merges the target branch into the work branch that is checked out.
// With keep, what both changed is committed with both sides between markers, to
// be mended by the next commit.
func (w *Writer) Update(ctx context.Context, caller Caller, keep bool) (done Moved, err error) {
	target, err := w.Target(ctx)
	if err != nil {
		return done, err
	}
	branch, err := w.Work(ctx, "")
	if err != nil {
		return done, err
	}
	done.Branch, done.Base = strings.TrimPrefix(branch.Name, work), target.Tip
	current, err := w.descends(ctx, branch.Tip, target.Tip)
	if err != nil {
		return done, err
	}
	if current {
		return done, refusal.New(refusal.BranchCurrent, "%s holds everything that %s has", branch.Name, target.Name)
	}
	s, err := w.shadow()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	tree, conflicts, err := s.combine(ctx, branch.Tip, target.Tip)
	if err != nil {
		return done, err
	}
	done.Conflicts = conflicts
	if len(conflicts) > 0 && !keep {
		return done, conflict(branch.Name, target.Name, conflicts)
	}
	message := fmt.Sprintf("Bring %s up to date with %s", branch.Name, target.Name)
	if done.Commit, err = s.record(ctx, caller, tree, message, branch.Tip, target.Tip); err != nil {
		return done, err
	}
	files, err := w.checkout(ctx, branch.Tip, done.Commit)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, files.close()) }()
	if err := w.advance(ctx, place{branch: branch}, done.Commit); err != nil {
		return done, err
	}
	done.WorkTree = files.run(ctx)
	return done, nil
}

// Revert starts a work branch with the reverse of a change that was merged, and
// checks it out. It is reviewed and merged like any other change.
func (w *Writer) Revert(ctx context.Context, caller Caller, commit, name, reason string) (done Moved, err error) {
	target, err := w.Target(ctx)
	if err != nil {
		return done, err
	}
	branch, err := w.unused(ctx, name)
	if err != nil {
		return done, err
	}
	before, err := w.before(ctx, target, commit)
	if err != nil {
		return done, err
	}
	at, err := w.headTip(ctx)
	if err != nil {
		return done, err
	}
	s, err := w.shadow()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if done.Commit, err = s.reverse(ctx, caller, target, commit, before, reason); err != nil {
		return done, err
	}
	done.Branch, done.Base = name, target.Tip
	files, err := w.checkout(ctx, at, done.Commit)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, files.close()) }()
	if err := w.advance(ctx, place{branch: branch, fresh: true}, done.Commit); err != nil {
		return done, err
	}
	done.WorkTree = files.run(ctx)
	return done, nil
}

// unused returns a work branch that is yet to be made.
func (w *Writer) unused(ctx context.Context, name string) (Branch, error) {
	if !workName(name) {
		return Branch{}, refusal.New(refusal.NoWorkBranch, "%q cannot be the name of a work branch", name)
	}
	branch := Branch{Name: work + name}
	tip, err := w.tip(ctx, branch.ref())
	if err == nil && tip != "" {
		err = refusal.New(refusal.BranchExists, "there is a branch %s already", branch.Name)
	}
	return branch, err
}

// before returns what a change that is in the target branch was made on: the
// base of its merge where this protocol merged it, else its first parent.
func (w *Writer) before(ctx context.Context, target Branch, commit string) (string, error) {
	if _, err := w.commit(ctx, commit); err != nil {
		return "", err
	}
	if merged, err := w.descends(ctx, target.Tip, commit); err != nil {
		return "", err
	} else if !merged {
		return "", refusal.New(refusal.NotMerged, "commit %s is not in %s", commit, target.Name)
	}
	refs, err := w.refsBelow(ctx, merges, largeOutput/256)
	if err != nil {
		return "", err
	}
	for _, ref := range refs {
		base, of, _ := strings.Cut(strings.TrimPrefix(ref.name, merges), "-")
		if of != commit {
			continue
		}
		if on, err := w.descends(ctx, commit, base); err == nil && on && base != commit {
			return base, nil
		}
	}
	output, err := w.inShadow(ctx, run{args: []string{"rev-list", "--parents", "--max-count=1", commit}})
	if err != nil {
		return "", fmt.Errorf("look for the parent of %s: %w", commit, err)
	}
	parents := strings.Fields(string(output))
	if len(parents) < 2 {
		return "", refusal.New(refusal.NotMerged, "commit %s is the first one: there is nothing before it", commit)
	}
	return parents[1], nil
}

// reverse makes a commit on the target branch that takes a change back. It
// merges in what was before the change, as if that came after it.
func (s *shadow) reverse(ctx context.Context, caller Caller, target Branch, commit, before, reason string) (string, error) {
	tree, err := s.repository.commit(ctx, before)
	if err != nil {
		return "", err
	}
	undone, err := s.record(ctx, caller, tree, "Before "+commit, commit)
	if err != nil {
		return "", err
	}
	tree, conflicts, err := s.combine(ctx, target.Tip, undone)
	if err != nil {
		return "", err
	}
	if len(conflicts) > 0 {
		return "", conflict(target.Name, "the reverse of "+commit, conflicts)
	}
	now, err := s.repository.commit(ctx, target.Tip)
	if err != nil {
		return "", err
	}
	if now == tree {
		return "", refusal.New(refusal.NothingToCommit, "nothing of commit %s is left in %s", commit, target.Name)
	}
	message := fmt.Sprintf("Revert %s\n\n%s\n\nThis takes back what commit %s changed since %s.", commit[:12], reason, commit, before)
	return s.record(ctx, caller, tree, message, target.Tip)
}
