package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
)

// A logFilter says which entries are wanted: those that fit one value of each
// kind that has any.
type logFilter struct {
	modes, tools, actors, events, codes, calls, decisions []string

	since, until string
	from, to     time.Time
}

func (f *logFilter) flags(cmd *cobra.Command) {
	add := func(to *[]string, name, what string) { cmd.Flags().StringSliceVar(to, name, nil, what) }
	add(&f.modes, "mode", "of this mode")
	add(&f.tools, "tool", "about this tool")
	cmd.Flags().StringArrayVar(&f.actors, "actor", nil, "of this actor; a comma belongs to the name")
	add(&f.events, "event", "of this kind, such as tool_call or approval_decision")
	add(&f.codes, "code", "refused or failed with this code")
	add(&f.calls, "call", "of this call; its first six characters or more are enough")
	add(&f.decisions, "decision", "admitted, refused, replayed; of an approval approved, denied, …")
	cmd.Flags().StringVar(&f.since, "since", "", "not before a time (RFC 3339) or a span back from now, such as 90m or 7d")
	cmd.Flags().StringVar(&f.until, "until", "", "not after a time, likewise")
}

// ready reads what cannot be held against entries as it was given.
func (f *logFilter) ready(now time.Time) (err error) {
	if f.from, err = timeBack("since", f.since, now); err != nil {
		return err
	}
	if f.to, err = timeBack("until", f.until, now); err != nil {
		return err
	}
	for _, call := range f.calls {
		if len(call) < minPrefix {
			return fmt.Errorf("--call %s is too short for an id: give %d characters or more", approval.CardQuote(call), minPrefix)
		}
	}
	return nil
}

// timeBack reads a time, or how long before now it was.
func timeBack(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if back, err := time.ParseDuration(text); err == nil && back >= 0 {
		return now.Add(-back), nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	return time.Time{}, fmt.Errorf("--%s takes a time such as 2026-03-01T12:00:00Z, or a span such as 90m or 7d, and not %s", flag, approval.CardQuote(text))
}

func (f *logFilter) wants(e *audit.Entry) bool {
	switch {
	case !f.from.IsZero() && e.Time.Before(f.from), !f.to.IsZero() && e.Time.After(f.to):
		return false
	case len(f.calls) > 0 && !slices.ContainsFunc(f.calls, func(start string) bool { return strings.HasPrefix(e.Call, start) }):
		return false
	}
	return among(f.modes, e.Mode) && among(f.tools, e.Tool) && among(f.actors, e.Actor) && among(f.events, string(e.Event)) &&
		among(f.codes, string(e.Code)) && (among(f.decisions, e.Decision) || e.Approval != nil && e.Decision == "" && among(f.decisions, e.Approval.Decision))
}

func among(wanted []string, has string) bool { return len(wanted) == 0 || slices.Contains(wanted, has) }
