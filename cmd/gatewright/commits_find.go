package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/store"
)

// lately is for how long a commit is listed that was not interrupted.
const lately = 30 * 24 * time.Hour

// A kept commit is one, and where it is kept.
type keptCommit struct {
	preview.Commit

	drawer *drawer
}

// commitsIn gathers commits from every folder. One whose commits cannot be read
// becomes a problem.
func commitsIn(ctx context.Context, d *desk, wanted store.CommitFilter) []keptCommit {
	var found []keptCommit
	for _, drawer := range d.drawers {
		all, err := drawer.store.Commits(ctx, wanted)
		if err != nil {
			d.problems = append(d.problems, problem{drawer.folder.Path(), err})
			continue
		}
		for _, commit := range all {
			found = append(found, keptCommit{commit, drawer})
		}
	}
	return found
}

// interruptedCommits are all of them, however old.
func interruptedCommits(ctx context.Context, d *desk) []keptCommit {
	return commitsIn(ctx, d, store.CommitFilter{Status: []preview.Status{preview.Interrupted}})
}

func otherCommits(ctx context.Context, d *desk, now time.Time) []keptCommit {
	others := []preview.Status{preview.Begun, preview.Committed, preview.Failed, preview.Partial, preview.Resolved}
	return commitsIn(ctx, d, store.CommitFilter{Status: others, Since: now.Add(-lately)})
}

func oldestBegun(found []keptCommit) []keptCommit {
	slices.SortStableFunc(found, func(a, b keptCommit) int {
		if c := a.BegunAt.Compare(b.BegunAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return found
}

// findCommit returns the one commit that an id, or the start of one, means.
func findCommit(ctx context.Context, d *desk, id string) (keptCommit, error) {
	if len(id) < minPrefix {
		return keptCommit{}, refusedTo("%s is too short for an id: give %d characters or more", approval.CardQuote(id), minPrefix)
	}
	found := slices.DeleteFunc(commitsIn(ctx, d, store.CommitFilter{}), func(each keptCommit) bool { return !strings.HasPrefix(each.ID, id) })
	switch len(found) {
	case 0:
		return keptCommit{}, refusedTo("there is no commit %s", approval.CardQuote(id))
	case 1:
		return found[0], nil
	}
	var lines strings.Builder
	for _, each := range oldestBegun(found) {
		fmt.Fprintf(&lines, "\n  %s  %s, %s", each.ID, approval.CardQuote(each.Tool), commitFate(each.Commit, time.Now()))
	}
	return keptCommit{}, refusedTo("%s is the start of several ids:%s", approval.CardQuote(id), lines.String())
}
