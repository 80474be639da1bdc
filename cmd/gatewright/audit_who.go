package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func (a *auditing) newWho() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "who [--json] CALL",
		Short: "Tell everything that the log knows of one call",
		Long: `who prints what the log holds of a call, with the numbers of the entries: who made it
in which mode and with which arguments, who was asked and what they said, the preview
that made the plan which it carried out, and how it ended. An id may be cut to its
first six characters or more.

The log holds digests of arguments and plans, and of the fields that the protocol
records the text. With --json it prints {"v": 1, "call": "…", "entries": […],
"related": […]}: the entries of the call and those of its approvals and its plan, each
as the log has it.

Exit codes: 0 told, 1 there is no such call, or several, or the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit who RJYKYX",
		Args:    cobra.ExactArgs(1),
		RunE: a.at(func(ctx context.Context, folder *state.Folder, args []string) error {
			about, damage := a.about(ctx, folder, args[0])
			if about == nil {
				return damage
			}
			if asJSON {
				return errors.Join(printJSON(a.out, about.shape()), damage)
			}
			text := &writer{out: a.out}
			about.tell(text)
			return errors.Join(text.err, damage)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// An aboutCall is what the log holds of one call.
type aboutCall struct {
	call    string
	entries []keptLine
	related []keptLine // of its approvals and its plan
}

// about reads the log twice: for the call, and then for what its entries name.
// Beside a call it may return what damage kept it from reading on.
func (a *auditing) about(ctx context.Context, folder *state.Folder, id string) (*aboutCall, error) {
	if len(id) < minPrefix {
		return nil, refusedTo("%s is too short for an id: give %d characters or more", approval.CardQuote(id), minPrefix)
	}
	found, damage := a.callsOf(ctx, folder, id)
	if damage != nil && !damaged(damage) {
		return nil, damage
	}
	about, err := found.only(id)
	if err != nil {
		return nil, errors.Join(err, damage)
	}
	again := a.each(ctx, folder, func(e *audit.Entry, line []byte) error {
		if e.Call != about.call && about.relates(e) {
			about.related = append(about.related, keptLine{*e, slices.Clone(line)})
		}
		return nil
	})
	if again != nil && !damaged(again) {
		return nil, again
	}
	return about, damage
}

// foundCalls are the calls that an id may mean, in the order they were made.
type foundCalls struct {
	ids    []string
	byCall map[string]*aboutCall
	more   bool // there are more than are worth listing
}

// callsOf finds the calls whose id starts with what was given. One that is it
// exactly is the one that is meant.
func (a *auditing) callsOf(ctx context.Context, folder *state.Folder, start string) (*foundCalls, error) {
	const most = 20
	found := &foundCalls{byCall: map[string]*aboutCall{}}
	err := a.each(ctx, folder, func(e *audit.Entry, line []byte) error {
		if !strings.HasPrefix(e.Call, start) {
			return nil
		}
		about := found.byCall[e.Call]
		switch {
		case about == nil && len(found.ids) >= most && e.Call != start:
			found.more = true
			return nil
		case about == nil:
			about = &aboutCall{call: e.Call}
			found.byCall[e.Call] = about
			found.ids = append(found.ids, e.Call)
		}
		about.entries = append(about.entries, keptLine{*e, slices.Clone(line)})
		return nil
	})
	return found, err
}

func (f *foundCalls) only(id string) (*aboutCall, error) {
	if exact := f.byCall[id]; exact != nil {
		return exact, nil
	}
	switch {
	case len(f.ids) == 0:
		return nil, refusedTo("the log has no call %s", approval.CardQuote(id))
	case len(f.ids) == 1 && !f.more:
		return f.byCall[f.ids[0]], nil
	}
	var lines strings.Builder
	for _, each := range f.ids {
		e := &f.byCall[each].entries[0].entry
		fmt.Fprintf(&lines, "\n  %s  %s in mode %s, entry %d", approval.CardQuote(each), approval.CardQuote(e.Tool), approval.CardQuote(e.Mode), e.Seq)
	}
	if f.more {
		lines.WriteString("\n  and others")
	}
	return nil, refusedTo("%s is the start of several calls:%s", approval.CardQuote(id), lines.String())
}

// relates reports whether an entry of another call belongs to the story of this
// one: it asks for or decides an approval of it, or made its plan.
func (c *aboutCall) relates(e *audit.Entry) bool {
	asks := e.Event == gate.ApprovalRequest || e.Event == gate.ApprovalDecision
	return slices.ContainsFunc(c.entries, func(own keptLine) bool {
		o := &own.entry
		if asks && o.Approval != nil && e.Approval != nil && o.Approval.ID != "" && o.Approval.ID == e.Approval.ID {
			return true
		}
		return o.Plan != "" && e.Plan == o.Plan && e.Event == gate.ToolResult && e.Seq < o.Seq && strings.HasSuffix(e.Tool, "_preview")
	})
}

type aboutJSON struct {
	V       int               `json:"v"`
	Call    string            `json:"call"`
	Entries []json.RawMessage `json:"entries"`
	Related []json.RawMessage `json:"related"`
}

func (c *aboutCall) shape() aboutJSON {
	made := aboutJSON{V: 1, Call: c.call, Entries: []json.RawMessage{}, Related: []json.RawMessage{}}
	for _, each := range c.entries {
		made.Entries = append(made.Entries, each.line)
	}
	for _, each := range c.related {
		made.Related = append(made.Related, each.line)
	}
	return made
}
