package check

import (
	"fmt"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// approvals holds WF1 and WF2: what confers approval is in one mode's hands.
func (c *checker) approvals() {
	for _, name := range c.exclusiveNames() {
		c.oneHolder(name)
	}
	for _, capability := range c.capabilities() {
		c.oneCapability(capability)
	}
}

// exclusiveNames lists the exclusive tools that some mode holds, declared or
// not, in the order in which the protocol first mentions them.
func (c *checker) exclusiveNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, mode := range c.p.Modes {
		for _, held := range mode.Tools {
			if c.exclusive[held.Value] && !seen[held.Value] {
				seen[held.Value] = true
				names = append(names, held.Value)
			}
		}
	}
	return names
}

// oneHolder is WF1 for one tool.
func (c *checker) oneHolder(name string) {
	holders := c.holdings[name]
	if len(holders) < 2 {
		return
	}
	var modes []string
	for _, holder := range holders {
		modes = append(modes, holder.mode.Name.Value)
	}
	last := holders[len(holders)-1]
	d := diag.Diagnostic{
		Rule: "WF1", Span: last.tool.Span,
		Message: fmt.Sprintf("the exclusive tool %s is held by %d modes: %s", diag.Quote(name), len(holders), enumerate(modes)),
		Label:   "held by " + diag.Quote(last.mode.Name.Value),
		Notes:   []string{"whoever works in one of these modes could approve what was made in the others, its own work included"},
		Help:    fmt.Sprintf("leave %s in one mode and remove it from the tools of the others", diag.Quote(name)),
	}
	for _, holder := range holders[:len(holders)-1] {
		d.Related = append(d.Related, diag.Related{Span: holder.tool.Span, Message: "held by " + diag.Quote(holder.mode.Name.Value)})
	}
	d.Related = append(d.Related, c.declaredExclusive(name)...)
	c.report(d)
}

// declaredExclusive is where a name is made exclusive; approve and merge need
// no such place.
func (c *checker) declaredExclusive(name string) []diag.Related {
	at := slices.IndexFunc(c.p.Declared, func(declared protocol.Text) bool { return declared.Value == name })
	if at < 0 {
		return nil
	}
	return []diag.Related{{Span: c.p.Declared[at].Span, Message: "made exclusive here"}}
}

// A capability is what a handler resolves to, with the tools that lead to it.
// All Go handlers of a protocol live in one package, so that the function's
// name tells capabilities apart. Of a tool in two phases it is what its commit
// runs; a preview that names the same function leads there, too.
type capability struct {
	function string
	tools    []*protocol.Tool
}

// capabilities lists those that an exclusive tool reaches and that have more
// than one name, in source order.
func (c *checker) capabilities() []capability {
	byFunction := map[string]int{}
	var all []capability
	for _, tool := range c.p.Tools {
		for _, function := range functions(tool) {
			at, ok := byFunction[function]
			if !ok {
				at = len(all)
				byFunction[function] = at
				all = append(all, capability{function: function})
			}
			all[at].tools = append(all[at].tools, tool)
		}
	}
	return slices.DeleteFunc(all, func(reached capability) bool {
		return reached.function == "" || len(reached.tools) < 2 ||
			!slices.ContainsFunc(reached.tools, func(tool *protocol.Tool) bool {
				return c.exclusive[tool.Name.Value] && tool.Run.Value == reached.function
			})
	})
}

// functions lists what a tool runs, each once: first what makes its capability.
func functions(tool *protocol.Tool) []string {
	if tool.Phases == nil || tool.Phases.Preview.Value == tool.Run.Value {
		return []string{tool.Run.Value}
	}
	return []string{tool.Run.Value, tool.Phases.Preview.Value}
}

// oneCapability is WF2 for one capability: all names together, it is in the
// hands of one mode. What WF1 says already is left to WF1.
func (c *checker) oneCapability(reached capability) {
	var holders []holding
	for _, tool := range reached.tools {
		holders = append(holders, c.holdings[tool.Name.Value]...)
	}
	if !c.beyondWF1(holders) {
		return
	}
	slices.SortStableFunc(holders, func(a, b holding) int { return a.tool.Span.Compare(b.tool.Span) })
	primary := c.alias(holders)
	d := diag.Diagnostic{
		Rule: "WF2", Span: holders[primary].tool.Span,
		Message: fmt.Sprintf("what %s does is also held as %s, by another mode",
			c.exclusiveAmong(reached.tools, holders[primary].tool.Value), diag.Quote(holders[primary].tool.Value)),
		Label: c.heldAs(holders[primary]),
		Notes: []string{
			fmt.Sprintf("these tools run the same function, %s", diag.Quote(reached.function)),
			"an exclusive tool under another name is still the exclusive tool",
		},
		Help: "leave the function to one mode: remove the tool from the others, or give it a handler of its own",
	}
	for i, holder := range holders {
		if i != primary {
			d.Related = append(d.Related, diag.Related{Span: holder.tool.Span, Message: c.heldAs(holder)})
		}
	}
	for _, tool := range reached.tools {
		span := tool.Run.Span
		if tool.Run.Value != reached.function {
			span = tool.Phases.Preview.Span
		}
		if span.IsZero() {
			span = tool.Name.Span
		}
		d.Related = append(d.Related, diag.Related{Span: span, Message: fmt.Sprintf("%s runs %s", diag.Quote(tool.Name.Value), diag.Quote(reached.function))})
	}
	c.report(d)
}

// beyondWF1 says whether two modes hold the capability other than both under
// one and the same exclusive name.
func (c *checker) beyondWF1(holders []holding) bool {
	if len(holders) == 0 {
		return false
	}
	modes, names, open := map[*protocol.Mode]bool{}, map[string]bool{}, map[*protocol.Mode]bool{}
	for _, holder := range holders {
		modes[holder.mode], names[holder.tool.Value] = true, true
		if !c.exclusive[holder.tool.Value] {
			open[holder.mode] = true
		}
	}
	return len(modes) > 1 && (len(names) > 1 || len(open) > 0)
}

// alias finds the holding to blame: under a name that is not exclusive, where
// there is one.
func (c *checker) alias(holders []holding) int {
	for i, holder := range slices.Backward(holders) {
		if !c.exclusive[holder.tool.Value] {
			return i
		}
	}
	return len(holders) - 1
}

// exclusiveAmong names the first exclusive tool other than the one to blame.
func (c *checker) exclusiveAmong(tools []*protocol.Tool, blamed string) string {
	at := slices.IndexFunc(tools, func(tool *protocol.Tool) bool {
		return c.exclusive[tool.Name.Value] && tool.Name.Value != blamed
	})
	if at < 0 {
		return "an exclusive tool"
	}
	return "the exclusive tool " + diag.Quote(tools[at].Name.Value)
}

func (c *checker) heldAs(holder holding) string {
	return fmt.Sprintf("held by %s as %s", diag.Quote(holder.mode.Name.Value), diag.Quote(holder.tool.Value))
}

// effects holds that what confers approval, and what works in two phases,
// counts as a write: a client may call a read tool without asking anybody.
func (c *checker) effects() {
	for _, tool := range c.p.Tools {
		if tool.Effect != protocol.Read {
			continue
		}
		switch {
		case c.exclusive[tool.Name.Value]:
			c.cannotRead(tool, "the exclusive tool "+diag.Quote(tool.Name.Value))
		case c.exclusiveFunction(tool.Run.Value):
			c.cannotRead(tool, fmt.Sprintf("%s, which runs the function of an exclusive tool,", diag.Quote(tool.Name.Value)))
		case tool.Phases != nil:
			c.report(diag.Diagnostic{
				Rule: "effect-phases", Span: tool.EffectSpan,
				Message: fmt.Sprintf("the tool %s, in two phases, cannot have the effect read", diag.Quote(tool.Name.Value)),
				Related: []diag.Related{{Span: tool.Phases.Span, Message: "in two phases"}},
				Notes:   []string{"its preview only reads in any case; its commit changes something, or there is nothing to preview"},
				Help:    "write `effect: write`, or leave `effect` out; for a tool that only reads, write `run` with one function and no `plan`",
			})
		}
	}
}

func (c *checker) cannotRead(tool *protocol.Tool, what string) {
	c.report(diag.Diagnostic{
		Rule: "effect-exclusive", Span: tool.EffectSpan,
		Message: what + " cannot have the effect read",
		Related: append([]diag.Related{{Span: tool.Name.Span, Message: "declared here"}}, c.declaredExclusive(tool.Name.Value)...),
		Notes:   []string{"clients run read tools without asking, and their audit entries need not be durable first"},
		Help:    "write `effect: write`, or leave `effect` out",
	})
}
