package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// approval compares who has to consent to calls of a tool.
func (c *comparison) approval(a, b *protocol.Tool) {
	name, before, after := b.Name.Value, a.Approval, b.Approval
	switch {
	case before == nil && after == nil:
	case before == nil:
		c.add(Change{
			Kind: ApprovalAdded, Tool: name, New: asked(after.By),
			Message: fmt.Sprintf("calls of %s need the approval of %s", diag.Quote(name), asked(after.By)),
		})
	case after == nil:
		c.weaker(Change{
			Kind: ApprovalRemoved, Tool: name, Old: asked(before.By),
			Message: fmt.Sprintf("calls of %s no longer need an approval", diag.Quote(name)),
		}, fmt.Sprintf("every call needed the consent of somebody else, asked of %s; now none does.", asked(before.By)))
	default:
		c.providers(name, before.By, after.By)
		c.lifetimes(name, before, after)
		c.shownToApprover(name, before, after)
	}
}

// asked is a list of providers for people.
func asked(by []protocol.Source) string {
	names := make([]string, 0, len(by))
	for _, source := range by {
		names = append(names, diag.Quote(source.String()))
	}
	return strings.Join(names, ", then ")
}

// identity tells providers apart: what is asked, whatever it is handed.
func identity(source protocol.Source) string {
	var parts strings.Builder
	parts.WriteString(source.Provider)
	for _, part := range source.Command {
		fmt.Fprintf(&parts, " %q", part.Value)
	}
	return parts.String()
}

func index(sources []protocol.Source, source protocol.Source) int {
	return slices.IndexFunc(sources, func(other protocol.Source) bool { return identity(other) == identity(source) })
}

func without(sources, others []protocol.Source) []protocol.Source {
	return slices.DeleteFunc(slices.Clone(sources), func(source protocol.Source) bool { return index(others, source) >= 0 })
}

// providers compares who is asked, and in which order.
func (c *comparison) providers(name string, before, after []protocol.Source) {
	for _, gained := range without(after, before) {
		c.weaker(Change{
			Kind: ProviderAdded, Tool: name, Name: identity(gained), New: gained.String(),
			Message: fmt.Sprintf("approvals of %s can be given through %s as well", diag.Quote(name), diag.Quote(gained.String())),
		}, "that is a way to a yes that was not there before.")
	}
	for _, lost := range without(before, after) {
		behind := before[index(before, lost)+1:]
		c.addIf(slices.ContainsFunc(behind, func(source protocol.Source) bool { return index(after, source) >= 0 && trust(source) <= trust(lost) }), Change{
			Kind: ProviderRemoved, Tool: name, Name: identity(lost), Old: lost.String(),
			Message: fmt.Sprintf("approvals of %s can no longer be given through %s", diag.Quote(name), diag.Quote(lost.String())),
		}, "what was asked only where it could not be reached is asked in its place.")
	}
	kept, now := without(before, without(before, after)), without(after, without(after, before))
	for _, source := range now {
		c.settings(name, kept[index(kept, source)], source)
	}
	if !slices.EqualFunc(kept, now, func(x, y protocol.Source) bool { return identity(x) == identity(y) }) {
		c.addIf(overtaken(kept, now), Change{
			Kind: ProvidersReordered, Tool: name, Old: asked(kept), New: asked(now),
			Message: fmt.Sprintf("approvals of %s are asked of %s, in that order", diag.Quote(name), asked(now)),
		}, "what was asked only where another could not be reached is asked before it.")
	}
}

// trust says whose yes is worth more: that of a person in a terminal, of a
// program, of the caller's own client.
func trust(source protocol.Source) int {
	return slices.Index([]string{protocol.Elicit, protocol.Command, protocol.Queue}, source.Provider)
}

// overtaken says whether a provider is asked before one that came before it,
// and whose yes is worth no less.
func overtaken(before, after []protocol.Source) bool {
	for i, first := range after {
		for _, second := range after[i+1:] {
			if index(before, second) < index(before, first) && trust(first) <= trust(second) {
				return true
			}
		}
	}
	return false
}

// settings compares what a program is handed.
func (c *comparison) settings(name string, before, after protocol.Source) {
	change := Change{Kind: ProviderChanged, Tool: name, Name: identity(after)}
	for _, variable := range gained(before.Env, after.Env) {
		change.Message = fmt.Sprintf("%s, which is asked for approvals of %s, is given the variable %s", diag.Quote(after.String()), diag.Quote(name), diag.Quote(variable))
		c.add(change)
	}
	for _, variable := range gained(after.Env, before.Env) {
		change.Message = fmt.Sprintf("%s, which is asked for approvals of %s, is no longer given the variable %s", diag.Quote(after.String()), diag.Quote(name), diag.Quote(variable))
		c.add(change)
	}
	if before.Timeout != after.Timeout {
		change.Old, change.New = protocol.Shorten(before.Timeout), protocol.Shorten(after.Timeout)
		change.Message = fmt.Sprintf("%s, which is asked for approvals of %s, has %s to answer instead of %s", diag.Quote(after.String()), diag.Quote(name), change.New, change.Old)
		c.add(change)
	}
}

// lifetimes compares how long an approval counts, and how long a call waits.
func (c *comparison) lifetimes(name string, before, after *protocol.Approval) {
	if before.TTL != after.TTL {
		old, now := protocol.Shorten(before.TTL), protocol.Shorten(after.TTL)
		c.addIf(after.TTL > before.TTL, Change{
			Kind: ApprovalTTL, Tool: name, Old: old, New: now,
			Message: fmt.Sprintf("an approval of %s counts for %s after it was asked for, instead of %s", diag.Quote(name), now, old),
		}, "what it was given for has more time to change before it is used.")
	}
	if before.Hold != after.Hold {
		old, now := protocol.Shorten(before.Hold), protocol.Shorten(after.Hold)
		c.add(Change{
			Kind: ApprovalHold, Tool: name, Old: old, New: now,
			Message: fmt.Sprintf("a call of %s waits %s for its approval, instead of %s", diag.Quote(name), now, old),
		})
	}
}

// shownToApprover compares what whoever decides gets to see.
func (c *comparison) shownToApprover(name string, before, after *protocol.Approval) {
	if was, is := before.Reason.Value, after.Reason.Value; was != is {
		c.add(Change{
			Kind: ApprovalReason, Tool: name, Old: was, New: is,
			Message: fmt.Sprintf("the reason for approvals of %s changes, which whoever decides reads", diag.Quote(name)),
		})
	}
	old, now := before.Show.Value, after.Show.Value
	if old == now {
		return
	}
	change := Change{Kind: ApprovalShow, Tool: name, Old: old, New: now}
	switch {
	case old == "":
		change.Message = fmt.Sprintf("whoever approves %s is shown what %s says", diag.Quote(name), diag.Quote(now))
		c.add(change)
	case now == "":
		change.Message = fmt.Sprintf("whoever approves %s is no longer shown what %s says", diag.Quote(name), diag.Quote(old))
		c.weaker(change, "the decision is made on the arguments alone.")
	default:
		change.Message = fmt.Sprintf("whoever approves %s is shown what %s says instead of %s", diag.Quote(name), diag.Quote(now), diag.Quote(old))
		c.weaker(change, "the decision is made on something else than before.")
	}
}
