package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/preview"
)

func printCommits(out io.Writer, found []keptCommit, now time.Time, all bool) error {
	if len(found) == 0 {
		nothing := "no commit was interrupted\n"
		if all {
			nothing = "no commit was interrupted, and none was begun within 30 days\n"
		}
		_, err := io.WriteString(out, nothing)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTOOL\tMODE\tACTOR\tCALL\tBEGUN\tSTATUS")
	var named []item
	for _, each := range found {
		named = append(named, item{request: approval.Request{ID: each.ID}})
	}
	ids := shortIDs(named)
	for i, each := range found {
		fmt.Fprintln(table, strings.Join([]string{
			ids[i], approval.CardQuote(each.Tool), approval.CardQuote(each.Mode), approval.CardQuote(each.Actor), approval.CardQuote(each.Call),
			approval.Age(now.Sub(each.BegunAt)), commitFate(each.Commit, now),
		}, "\t"))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("list the commits: %w", err)
	}
	return nil
}

// commitFate is what became of a commit, in a few words.
func commitFate(c preview.Commit, now time.Time) string {
	ago := approval.Age(now.Sub(c.EndedAt))
	switch c.Status {
	case preview.Begun:
		return "in progress"
	case preview.Interrupted:
		return "interrupted"
	case preview.Committed:
		return "succeeded " + ago
	case preview.Partial:
		return "got only so far, " + ago
	case preview.Failed:
		return "failed " + ago
	case preview.Resolved:
		return "interrupted, and " + found(c.Resolution.Outcome) + ", recorded " + ago
	case preview.Ready, preview.Expired, preview.Stale:
	}
	return string(c.Status)
}

// found is an outcome in words.
func found(outcome preview.Outcome) string {
	switch outcome {
	case preview.Done:
		return "all of it was done"
	case preview.NotDone:
		return "nothing of it was done"
	case preview.Partly:
		return "some of it was done"
	}
	return "nobody knows what was done"
}
