package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// narrowest is the least width that a card is broken at.
const narrowest = 40

// commitCard is the whole of a commit, as plain text for a person. Lines are
// broken at a width, 0 for never, so that no terminal starts the rest of a
// foreign text at its edge.
func commitCard(c keptCommit, now time.Time, width int) string {
	card := &commitWriter{width: max(width, narrowest)}
	if width <= 0 {
		card.width = 0
	}
	card.text.WriteString("commit " + c.ID + "\n\n")
	card.fact("tool", approval.CardQuote(c.Tool))
	card.fact("status", commitFate(c.Commit, now))
	card.fact("mode", approval.CardQuote(c.Mode))
	card.fact("actor", approval.CardQuote(c.Actor)+", which is a claim that nobody has checked")
	card.fact("protocol", approval.CardQuote(c.drawer.folder.Protocol())+" "+approval.CardQuote(c.Digest))
	card.fact("workspace", approval.CardQuote(c.drawer.folder.Workspace()))
	card.fact("state", approval.CardQuote(c.drawer.folder.Path()))
	card.fact("previewed", since(c.MadeAt, now)+" by call "+approval.CardQuote(c.Preview))
	card.fact("begun", since(c.BegunAt, now)+" by call "+approval.CardQuote(c.Call))
	if c.Key != "" {
		card.fact("key", approval.CardQuote(c.Key))
	}
	if !c.EndedAt.IsZero() {
		card.fact("ended", since(c.EndedAt, now))
	}
	for _, pointer := range slices.Sorted(maps.Keys(c.Recorded)) {
		card.fact("recorded", approval.CardQuote(pointer)+" is "+approval.CardQuote(c.Recorded[pointer]))
	}
	if c.Status == preview.Resolved {
		card.fact("found", found(c.Resolution.Outcome))
		card.fact("note", approval.CardQuote(c.Resolution.Note))
		card.fact("recorded by", approval.CardQuote(c.Resolution.By))
	}
	card.content(c.Commit)
	return card.text.String()
}

func since(at, now time.Time) string {
	return at.UTC().Format(time.RFC3339) + ", " + approval.Age(now.Sub(at))
}

type commitWriter struct {
	text  strings.Builder
	width int
}

// fact writes one line of ours. What does not fit goes on below, never at the
// edge.
func (w *commitWriter) fact(label, text string) {
	lead := fmt.Sprintf("  %-13s", label)
	for {
		head, rest := text, ""
		column := len(lead)
		for i, r := range text {
			if column += approval.Columns(r); w.width > 0 && column > w.width && i > 0 {
				head, rest = text[:i], text[i:]
				break
			}
		}
		w.text.WriteString(lead + head + "\n")
		if rest == "" {
			return
		}
		lead, text = strings.Repeat(" ", len(lead)), rest
	}
}

// content shows the plan, or how it ended.
func (w *commitWriter) content(c preview.Commit) {
	switch {
	case c.Body != nil:
		w.quoted("the plan", c.Body)
	case c.Ending == nil:
	case c.Ending.Refusal == nil:
		w.quoted("the result", c.Ending.Output)
	default:
		w.refusal(c.Ending.Refusal)
	}
}

func (w *commitWriter) refusal(r *gate.Refusal) {
	w.fact("code", approval.CardQuote(string(r.Code)))
	w.fact("message", approval.CardQuote(r.Message))
	if r.Partial == nil {
		return
	}
	for _, item := range r.Partial.Finished {
		w.fact("finished", approval.CardQuote(item))
	}
	for _, each := range r.Partial.Failed {
		w.fact("failed", approval.CardQuote(each.Item)+": "+approval.CardQuote(each.Reason))
	}
}

// quoted writes JSON that is not ours as a card for an approval does.
func (w *commitWriter) quoted(title string, text []byte) {
	w.text.WriteString("\n" + title + "\n")
	for _, line := range approval.CardLines(approval.Request{Arguments: text}, approval.CardOptions{Width: w.width}) {
		if line.Kind >= approval.CardQuoted {
			w.text.WriteString(line.String() + "\n")
		}
	}
}
