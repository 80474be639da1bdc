package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// A Committed says what a commit holds.
type Committed struct {
	Commit  string
	Base    string // the tip of the target branch
	Branch  string // without work/
	Files   []string
	Skipped []Skipped
}

// A Skipped change was left in the work tree.
type Skipped struct{ Path, Reason string }

// Commit commits the changes of the work tree to a work branch. A name that is
// not that of the branch that is checked out starts a branch at the tip of the
// target branch, which has to be what the work tree stands at.
func (w *Writer) Commit(ctx context.Context, caller Caller, name, message string) (done Committed, err error) {
	if err := w.ready(); err != nil {
		return done, err
	}
	target, err := w.Target(ctx)
	if err != nil {
		return done, err
	}
	at, err := w.place(ctx, target, name)
	if err != nil {
		return done, err
	}
	done.Base, done.Branch = target.Tip, strings.TrimPrefix(at.branch.Name, work)
	s, err := w.shadowWithFiles()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	tree, skipped, err := s.stage(ctx, at.branch.Tip)
	if err != nil {
		return done, err
	}
	done.Skipped = skipped
	if done.Commit, err = s.record(ctx, caller, tree, message, at.branch.Tip); err != nil {
		return done, err
	}
	if done.Files, err = w.index(ctx, at.branch.Tip, done.Commit); err != nil {
		return done, err
	}
	return done, w.advance(ctx, at, done.Commit)
}

// A place is where a commit goes.
type place struct {
	branch Branch // its tip is the parent of the commit
	fresh  bool   // the branch is yet to be made
}

func (w *Writer) place(ctx context.Context, target Branch, name string) (place, error) {
	if name == "" {
		branch, err := w.Work(ctx, "")
		return place{branch: branch}, err
	}
	if !workName(name) {
		return place{}, refusal.New(refusal.NoWorkBranch, "%q cannot be the name of a work branch", name)
	}
	head, err := w.Head(ctx)
	if err != nil {
		return place{}, err
	}
	branch := Branch{Name: work + name}
	if branch.Tip, err = w.tip(ctx, branch.ref()); err != nil {
		return place{}, err
	}
	switch {
	case branch.Tip != "" && head == branch.ref():
		return place{branch: branch}, nil
	case branch.Tip != "":
		return place{}, refusal.New(refusal.BranchExists, "there is a branch %s, and it is not the one that is checked out", branch.Name)
	}
	at, err := w.headTip(ctx)
	if err != nil {
		return place{}, err
	}
	if at != target.Tip {
		return place{}, refusal.New(refusal.BranchUnmerged, "the work tree stands at %s, which is not the tip of %s", at, target.Name)
	}
	branch.Tip = target.Tip
	return place{branch: branch, fresh: true}, nil
}

// headTip returns the commit that the work tree stands at.
func (w *Writer) headTip(ctx context.Context) (string, error) {
	output, err := w.inGitDir(ctx, run{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD"}})
	id := strings.TrimSpace(string(output))
	if err != nil || !w.isID(id) {
		return "", refusal.New(refusal.NoTargetBranch, "nothing is committed yet on what is checked out")
	}
	return id, nil
}

// record makes the commit object.
func (s *shadow) record(ctx context.Context, caller Caller, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	message = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\x00", "")) + "\n\nGatewright-Call: " + caller.Call + "\n"
	output, err := s.run(ctx, run{
		args: args, stdin: message,
		env: []string{"GIT_AUTHOR_NAME=" + caller.name(), "GIT_COMMITTER_NAME=" + caller.name()},
	})
	if err != nil {
		return "", fmt.Errorf("make the commit: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

// advance moves the branch to the commit and, where the branch is new, checks
// it out, which changes no file.
func (w *Writer) advance(ctx context.Context, at place, commit string) error {
	was := at.branch.Tip
	if at.fresh {
		was = w.none()
	}
	if err := w.transact(ctx, "commit", fmt.Sprintf("update %s %s %s", at.branch.ref(), commit, was)); err != nil {
		if now, _ := w.tip(ctx, at.branch.ref()); now != at.branch.Tip && (now != "" || !at.fresh) {
			return refusal.New(refusal.BranchMoved, "branch %s was moved meanwhile", at.branch.Name)
		}
		return err
	}
	if !at.fresh {
		return nil
	}
	return w.attach(ctx, "commit", at.branch)
}
