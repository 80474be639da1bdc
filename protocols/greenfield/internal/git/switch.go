package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Switch checks out a work branch or, where name is empty, the tip of the target
// branch without the branch itself, from where a new work branch can start.
func (w *Writer) Switch(ctx context.Context, name string) (done Moved, err error) {
	target, err := w.Target(ctx)
	if err != nil {
		return done, err
	}
	to := target
	if name != "" {
		if to, err = w.Work(ctx, name); err != nil {
			return done, err
		}
		if err := w.elsewhere(ctx, to, refusal.BranchInUse); err != nil {
			return done, err
		}
	}
	done.Branch, done.Commit, done.Base = name, to.Tip, target.Tip
	at, err := w.headTip(ctx)
	if err != nil {
		return done, err
	}
	files, err := w.checkout(ctx, at, to.Tip)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, files.close()) }()
	if name == "" {
		err = w.transact(ctx, "switch", "update HEAD "+to.Tip)
	} else {
		err = w.attach(ctx, "switch", to)
	}
	if err != nil {
		return done, err
	}
	done.WorkTree = files.run(ctx)
	return done, nil
}

// attach makes a branch the one that is checked out. It changes no file.
func (w *Writer) attach(ctx context.Context, why string, branch Branch) error {
	if err := w.plain("HEAD"); err != nil {
		return err
	}
	if _, err := w.inGitDir(ctx, run{args: []string{"symbolic-ref", "-m", "gatewright: " + why, "HEAD", branch.ref()}}); err != nil {
		return fmt.Errorf("check out branch %s: %w", branch.Name, err)
	}
	return nil
}

// A Standing is a work branch beside the target branch.
type Standing struct {
	Branch

	Ahead, Behind int64 // commits
	CheckedOut    bool  // in this work tree
	Decision      string
}

// Branches returns the target branch and the work branches, those that were
// changed last first, and whether there are more.
func (r *Repository) Branches(ctx context.Context, limit int) (target Branch, standing []Standing, more bool, err error) {
	if target, err = r.Target(ctx); err != nil {
		return target, nil, false, err
	}
	head, err := r.Head(ctx)
	if err != nil {
		return target, nil, false, err
	}
	output, err := r.inGitDir(ctx, run{args: []string{
		"for-each-ref", "--sort=-committerdate", "--count=" + strconv.Itoa(limit+1), "--format=%(refname) %(objectname) %(symref)", "--", branches + strings.TrimSuffix(work, "/"),
	}})
	if err != nil {
		return target, nil, false, fmt.Errorf("look for work branches: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !r.isID(fields[1]) || !workName(strings.TrimPrefix(fields[0], branches+work)) {
			continue // one that no tool takes
		}
		if len(standing) == limit {
			return target, standing, true, nil
		}
		one := Standing{Branch: Branch{Name: strings.TrimPrefix(fields[0], branches), Tip: fields[1]}, CheckedOut: fields[0] == head}
		if one.Ahead, one.Behind, err = r.apart(ctx, one.Tip, target.Tip); err != nil {
			return target, nil, false, err
		}
		if one.Decision, err = r.Decision(ctx, target.Tip, one.Tip); err != nil {
			return target, nil, false, err
		}
		standing = append(standing, one)
	}
	return target, standing, false, nil
}

// apart counts the commits that one has and the other has not.
func (r *Repository) apart(ctx context.Context, one, other string) (ahead, behind int64, err error) {
	output, err := r.inShadow(ctx, run{args: []string{"rev-list", "--count", "--left-right", one + "..." + other}})
	if err != nil {
		return 0, 0, fmt.Errorf("compare %s with %s: %w", one, other, err)
	}
	if _, err := fmt.Sscan(string(output), &ahead, &behind); err != nil {
		return 0, 0, fmt.Errorf("compare %s with %s: %w", one, other, err)
	}
	return ahead, behind, nil
}
