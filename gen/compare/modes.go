package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A guard is how much the gate guards a tool.
type guard int

const (
	reading guard = iota
	writing
	exclusive
)

func (g guard) String() string {
	return [...]string{"reads", "writes", "confers approval"}[g]
}

// was is how it was guarded until now.
func (g guard) was() string {
	return [...]string{"only read", "wrote", "conferred approval"}[g]
}

// guardOf is that of a tool of a protocol. What is not declared is taken for
// what a tool is by default.
func guardOf(p *protocol.Protocol, name string) guard {
	if p.IsExclusive(name) {
		return exclusive
	}
	if tool := p.Tool(name); tool != nil && tool.Effect == protocol.Read {
		return reading
	}
	return writing
}

// handlerGuard is the most guarded tool that a handler works for.
func handlerGuard(p *protocol.Protocol, handler string) guard {
	most := reading
	for _, tool := range p.Tools {
		if tool.Run.Value == handler {
			most = max(most, guardOf(p, tool.Name.Value))
		}
	}
	return most
}

func (c *comparison) modes() {
	names := map[string]bool{}
	for _, mode := range slices.Concat(c.before.Modes, c.after.Modes) {
		names[mode.Name.Value] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := c.before.Mode(name), c.after.Mode(name)
		empty := &protocol.Mode{Name: protocol.Text{Value: name}}
		switch {
		case a == nil:
			c.add(Change{Kind: ModeAdded, Mode: name, Message: fmt.Sprintf("mode %s is new", diag.Quote(name))})
			a = empty
		case b == nil:
			c.add(Change{Kind: ModeRemoved, Mode: name, Message: fmt.Sprintf("mode %s is gone", diag.Quote(name))})
			b = empty
		default:
			c.described(Change{Kind: ModeDescription, Mode: name}, "mode "+diag.Quote(name), a.Description.Value, b.Description.Value)
		}
		c.held(a, b)
		c.transitions(a, b)
		c.waivers(Change{Mode: name}, "mode "+diag.Quote(name), a.Waive, b.Waive)
	}
}

// held compares the tools of a mode.
func (c *comparison) held(a, b *protocol.Mode) {
	mode := b.Name.Value
	for _, tool := range gained(a.Tools, b.Tools) {
		c.gainedTool(mode, tool)
	}
	for _, tool := range gained(b.Tools, a.Tools) {
		c.add(Change{
			Kind: ToolLost, Mode: mode, Tool: tool,
			Message: fmt.Sprintf("mode %s loses the tool %s", diag.Quote(mode), diag.Quote(tool)),
		})
	}
}

func (c *comparison) gainedTool(mode, tool string) {
	now := guardOf(c.after, tool)
	change := Change{
		Kind: ToolGained, Mode: mode, Tool: tool, New: now.String(),
		Message: fmt.Sprintf("mode %s gains the tool %s, which %s", diag.Quote(mode), diag.Quote(tool), now),
	}
	run := ""
	if declared := c.after.Tool(tool); declared != nil {
		run = declared.Run.Value
	}
	switch {
	case now == exclusive:
		c.weaker(change, "who works in this mode can now give an approval that it could not give before.")
	case run != "" && handlerGuard(c.before, run) > now:
		c.weaker(change, fmt.Sprintf("it runs %s, which %s until now.", diag.Quote(run), handlerGuard(c.before, run).was()))
	case now == writing:
		c.weaker(change, "who works in this mode can now make changes that it could not make before.")
	default:
		c.add(change)
	}
}

// gained lists what is in b and not in a, sorted, each once.
func gained(a, b []protocol.Text) []string {
	had := map[string]bool{}
	for _, each := range a {
		had[each.Value] = true
	}
	more := map[string]bool{}
	for _, each := range b {
		if !had[each.Value] {
			more[each.Value] = true
		}
	}
	return slices.Sorted(maps.Keys(more))
}

func (c *comparison) transitions(a, b *protocol.Mode) {
	mode := b.Name.Value
	before, after := targets(a), targets(b)
	for _, event := range slices.Sorted(maps.Keys(after)) {
		to := after[event]
		if before[event] == to {
			continue
		}
		_, leads := conferring(c.after, to)
		c.addIf(leads, Change{
			Kind: TransitionAdded, Mode: mode, Name: event, New: to,
			Message: fmt.Sprintf("mode %s gains the transition %s to %s", diag.Quote(mode), diag.Quote(event), diag.Quote(to)),
		}, "it leads to a mode that confers approval, by a way that was not there before.")
	}
	for _, event := range slices.Sorted(maps.Keys(before)) {
		if to := before[event]; after[event] != to {
			c.add(Change{
				Kind: TransitionLost, Mode: mode, Name: event, Old: to,
				Message: fmt.Sprintf("mode %s loses the transition %s to %s", diag.Quote(mode), diag.Quote(event), diag.Quote(to)),
			})
		}
	}
}

func targets(mode *protocol.Mode) map[string]string {
	to := make(map[string]string, len(mode.Transitions))
	for _, transition := range mode.Transitions {
		to[transition.Event.Value] = transition.To.Value
	}
	return to
}

// conferring returns an exclusive tool that a mode holds.
func conferring(p *protocol.Protocol, name string) (tool string, holds bool) {
	if mode := p.Mode(name); mode != nil {
		for _, held := range mode.Tools {
			if p.IsExclusive(held.Value) {
				return held.Value, true
			}
		}
	}
	return "", false
}

// waivers compares what a tool or a mode takes back of the findings on it.
func (c *comparison) waivers(of Change, what string, a, b []protocol.Waiver) {
	before, after := reasons(a), reasons(b)
	for _, rule := range slices.Sorted(maps.Keys(after)) {
		change := of
		change.Name, change.Old, change.New = rule, before[rule], after[rule]
		switch _, had := before[rule]; {
		case !had:
			change.Kind = WaiverAdded
			change.Message = fmt.Sprintf("%s waives %s: %s", what, diag.Quote(rule), diag.Quote(after[rule]))
			c.weaker(change, "a finding that was in the way, or would have been, no longer is.")
		case before[rule] != after[rule]:
			change.Kind = WaiverReworded
			change.Message = fmt.Sprintf("%s waives %s for another reason: %s", what, diag.Quote(rule), diag.Quote(after[rule]))
			c.add(change)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(before)) {
		if _, has := after[rule]; !has {
			change := of
			change.Kind, change.Name, change.Old = WaiverRemoved, rule, before[rule]
			change.Message = fmt.Sprintf("%s no longer waives %s", what, diag.Quote(rule))
			c.add(change)
		}
	}
}

func reasons(waivers []protocol.Waiver) map[string]string {
	why := make(map[string]string, len(waivers))
	for _, waiver := range waivers {
		why[waiver.Rule.Value] = waiver.Why.Value
	}
	return why
}
