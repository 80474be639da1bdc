package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

// tell prints the story of a call: what it was, and then what happened, in the
// order of the log.
func (c *aboutCall) tell(text *writer) {
	first := &c.entries[0].entry
	text.line("call", approval.CardQuote(c.call))
	c.facts(text, first)
	all := append(slices.Clone(c.related), c.entries...)
	slices.SortFunc(all, func(a, b keptLine) int { return cmp.Compare(a.entry.Seq, b.entry.Seq) })
	for _, each := range all {
		e := &each.entry
		text.line("", "")
		text.line(fmt.Sprintf("entry %d", e.Seq), e.Time.UTC().Format(time.RFC3339Nano)+"  "+c.happened(e))
		tellMore(text, e)
		c.differs(text, first, e)
	}
	if c.open() {
		text.line("", "")
		text.line("open", "it was admitted, and the log holds no result: it is running, or its server ended before it did")
	}
}

// facts are what one entry says of the whole call.
func (c *aboutCall) facts(text *writer, e *audit.Entry) {
	plan := ""
	for _, each := range c.entries {
		plan = cmp.Or(each.entry.Plan, plan)
	}
	for _, row := range [][2]string{
		{"protocol", e.Protocol}, {"digest", e.Digest}, {"mode", e.Mode}, {"tool", e.Tool}, {"effect", e.Effect},
		{"actor", e.Actor}, {"session", e.Session}, {"arguments", e.Args}, {"plan", plan},
	} {
		if row[1] != "" {
			text.line(row[0], approval.CardQuote(row[1]))
		}
	}
	for _, each := range c.approvers() {
		text.line("approver", each)
	}
	for _, name := range sortedNames(e.Recorded) {
		text.line("recorded", approval.CardQuote(name)+" is "+approval.CardQuote(e.Recorded[name]))
	}
}

// approvers are those who decided about the call, each with what they said.
func (c *aboutCall) approvers() (all []string) {
	for _, each := range c.entries {
		a := each.entry.Approval
		if a == nil || a.Approver == "" || each.entry.Event == audit.CommitResolved {
			continue
		}
		said := approval.CardQuote(a.Approver) + " said " + approval.CardQuote(a.Decision)
		if a.Provider != "" {
			said += " through " + approval.CardQuote(a.Provider)
		}
		if !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return all
}

// happened says in words what an entry tells.
func (c *aboutCall) happened(e *audit.Entry) string {
	switch {
	case e.Call != c.call && e.Event == gate.ToolResult:
		return "the preview " + approval.CardQuote(e.Call) + " of " + approval.CardQuote(e.Actor) + " in mode " + approval.CardQuote(e.Mode) + " made the plan"
	case e.Event == audit.CommitResolved:
		return "somebody said what was done of it"
	case e.Event == gate.ApprovalRequest:
		return "somebody was asked to approve it" + c.through(e)
	case e.Event == gate.ApprovalDecision && e.Approval != nil:
		return "the decision: " + approval.CardQuote(e.Approval.Decision) + c.through(e)
	case e.Event == gate.ToolCall && e.Decision != "":
		return "the call was " + approval.CardQuote(e.Decision)
	case e.Event == gate.WF1Violation:
		return "the call was refused: the tool is an exclusive one of another mode"
	case e.Event == gate.ToolResult:
		return "the call " + approval.CardQuote(e.Outcome)
	}
	return approval.CardQuote(string(e.Event))
}

// through says whose entry it is, where it is that of another call.
func (c *aboutCall) through(e *audit.Entry) string {
	if e.Call == c.call || e.Call == "" {
		return ""
	}
	return ", when it was made before as call " + approval.CardQuote(e.Call)
}

func tellMore(text *writer, e *audit.Entry) {
	row := func(label, value string) {
		if value != "" {
			text.line("", fmt.Sprintf("%-10s %s", label, approval.CardQuote(value)))
		}
	}
	row("code", string(e.Code))
	if a := e.Approval; a != nil {
		row("approval", a.ID)
		row("says", a.Decision)
		row("provider", a.Provider)
		row("approver", a.Approver)
		row("reason", a.Reason)
		row("waited", a.Waited)
		row("expires", a.ExpiresAt)
	}
	for _, name := range sortedNames(e.Details) {
		row(bounded(approval.CardQuote(name)), e.Details[name])
	}
}

// differs points out what an entry of the same call says otherwise than the
// first one, which no server writes.
func (c *aboutCall) differs(text *writer, first, e *audit.Entry) {
	if e.Call != c.call {
		return
	}
	for _, row := range [][3]string{
		{"protocol", first.Protocol, e.Protocol}, {"digest", first.Digest, e.Digest}, {"mode", first.Mode, e.Mode},
		{"tool", first.Tool, e.Tool}, {"actor", first.Actor, e.Actor}, {"session", first.Session, e.Session},
	} {
		if row[1] != row[2] && (row[2] != "" || row[0] != "session") { // a person's program has none
			text.line("", fmt.Sprintf("%-10s %s, unlike the first entry", row[0], approval.CardQuote(row[2])))
		}
	}
}

// open reports whether the call was admitted and has no ending.
func (c *aboutCall) open() bool {
	open := false
	for _, each := range c.entries {
		e := &each.entry
		switch {
		case e.Event == gate.ToolCall && e.Decision == gate.Admitted:
			open = true
		case e.Ends():
			open = false
		}
	}
	return open
}
