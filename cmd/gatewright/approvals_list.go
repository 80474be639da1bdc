package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

func printList(out io.Writer, found []item, now time.Time, all bool) error {
	if len(found) == 0 {
		nothing := "nothing waits for an approval\n"
		if all {
			nothing = "nothing waits for an approval, and nothing has within a day\n"
		}
		_, err := io.WriteString(out, nothing)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTOOL\tMODE\tACTOR\tWORKSPACE\tASKED\tSTATUS")
	ids := shortIDs(found)
	for i, each := range found {
		r := each.request
		fmt.Fprintln(table, strings.Join([]string{
			approval.CardQuote(ids[i]), approval.CardQuote(r.Tool), approval.CardQuote(r.Mode), approval.CardQuote(r.Actor), base(r),
			approval.Age(now.Sub(r.AskedAt)), standing(r, now),
		}, "\t"))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("list the requests: %w", err)
	}
	return nil
}

// standing is how a request stands, in a table.
func standing(r approval.Request, now time.Time) string {
	if r.Status == approval.StatusPending && r.ExpiresAt.After(now) {
		return "pending, " + approval.Span(r.ExpiresAt.Sub(now)) + " left"
	}
	return approval.Fate(r, now)
}

func base(r approval.Request) string { return approval.CardQuote(filepath.Base(r.Workspace)) }

// shortIDs cuts ids to what tells each apart from the others, and no further
// than is typed with ease.
func shortIDs(found []item) []string {
	const easy = 8
	all := make([]string, len(found))
	for i, each := range found {
		all[i] = each.request.ID
	}
	slices.Sort(all)
	short := make([]string, len(found))
	for i, each := range found {
		id, length := each.request.ID, easy
		at, _ := slices.BinarySearch(all, id)
		for _, near := range []int{at - 1, at + 1} {
			if near >= 0 && near < len(all) {
				length = max(length, common(id, all[near])+1)
			}
		}
		short[i] = id[:min(length, len(id))]
	}
	return short
}

// common is the length of what two texts start with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
