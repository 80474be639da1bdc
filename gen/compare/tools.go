package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

func (c *comparison) tools() {
	c.exclusivity()
	names := map[string]bool{}
	for _, tool := range slices.Concat(c.before.Tools, c.after.Tools) {
		names[tool.Name.Value] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := c.before.Tool(name), c.after.Tool(name)
		switch {
		case a == nil:
			c.add(Change{
				Kind: ToolAdded, Tool: name, New: guardOf(c.after, name).String(),
				Message: fmt.Sprintf("tool %s is new and %s", diag.Quote(name), guardOf(c.after, name)),
			})
			a = &protocol.Tool{}
		case b == nil:
			c.add(Change{
				Kind: ToolRemoved, Tool: name, Old: guardOf(c.before, name).String(),
				Message: fmt.Sprintf("tool %s is gone", diag.Quote(name)),
			})
			b = &protocol.Tool{}
		default:
			c.tool(a, b)
		}
		c.waivers(Change{Tool: name}, "tool "+diag.Quote(name), a.Waive, b.Waive)
	}
}

func (c *comparison) exclusivity() {
	before, after := c.before.Exclusive(), c.after.Exclusive()
	for _, name := range after {
		if !slices.Contains(before, name) {
			c.add(Change{Kind: ExclusiveGained, Tool: name, Message: fmt.Sprintf("tool %s becomes exclusive", diag.Quote(name))})
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			c.addIf(c.after.Tool(name) != nil, Change{
				Kind: ExclusiveLost, Tool: name, Message: fmt.Sprintf("tool %s is no longer exclusive", diag.Quote(name)),
			}, "any number of modes may hold it from now on, that of the work it blesses included.")
		}
	}
}

// tool compares a tool that both protocols have.
func (c *comparison) tool(a, b *protocol.Tool) {
	name := b.Name.Value
	c.effect(a, b)
	c.handler(a, b)
	c.phases(a, b)
	c.records(a, b)
	c.approval(a, b)
	c.input(a, b)
	c.plan(a, b)
	c.output(a, b)
	c.described(Change{Kind: ToolDescription, Tool: name}, "tool "+diag.Quote(name), a.Description.Value, b.Description.Value)
}

func (c *comparison) effect(a, b *protocol.Tool) {
	if a.Effect == b.Effect {
		return
	}
	why := "its entry in the log is no longer on the disk before it runs, a server of another protocol may run it, and clients may call it without asking."
	if b.Effect == protocol.Write {
		why = "its permit now opens what is kept for writes, in every mode that holds it."
	}
	c.weaker(Change{
		Kind: Effect, Tool: b.Name.Value, Old: string(a.Effect), New: string(b.Effect),
		Message: fmt.Sprintf("the effect of tool %s changes from %s to %s", diag.Quote(b.Name.Value), a.Effect, b.Effect),
	}, why)
}

func (c *comparison) handler(a, b *protocol.Tool) {
	if a.Run.Value == b.Run.Value {
		return
	}
	name := b.Name.Value
	was := handlerGuard(c.before, b.Run.Value)
	c.addIf(was > guardOf(c.after, name), Change{
		Kind: Handler, Tool: name, Old: a.Run.Value, New: b.Run.Value,
		Message: fmt.Sprintf("tool %s runs %s instead of %s", diag.Quote(name), diag.Quote(b.Run.Value), diag.Quote(a.Run.Value)),
	}, fmt.Sprintf("that handler %s until now, and this tool is guarded less.", was.was()))
}

func (c *comparison) records(a, b *protocol.Tool) {
	name := b.Name.Value
	more, less := gained(a.Record, b.Record), gained(b.Record, a.Record)
	for _, pointer := range more {
		c.add(Change{Kind: RecordGained, Tool: name, Name: pointer, Message: fmt.Sprintf("the log now keeps %s of calls of %s", diag.Quote(pointer), diag.Quote(name))})
	}
	for _, pointer := range less {
		c.weaker(Change{Kind: RecordLost, Tool: name, Name: pointer, Message: fmt.Sprintf("the log no longer keeps %s of calls of %s", diag.Quote(pointer), diag.Quote(name))},
			"what was done to which subject can no longer be told from the log alone.")
	}
	same := slices.EqualFunc(a.Record, b.Record, func(x, y protocol.Text) bool { return x.Value == y.Value })
	if !same && len(more)+len(less) == 0 {
		c.add(Change{Kind: RecordReordered, Tool: name, Message: fmt.Sprintf("the fields that the log keeps of calls of %s are in another order", diag.Quote(name))})
	}
}

func (c *comparison) input(a, b *protocol.Tool) {
	name := b.Name.Value
	change := Change{Tool: name}
	said := map[Kind]string{
		InputWidened: "takes arguments that it refused", InputNarrowed: "refuses arguments that it took",
		InputChanged: "takes other arguments", InputDescribed: "describes its arguments in other words, which models read",
	}
	var differs bool
	change.Kind, differs = changed(a.Input, b.Input, [4]Kind{InputDescribed, InputWidened, InputNarrowed, InputChanged})
	if !differs {
		return
	}
	change.Message = fmt.Sprintf("tool %s %s", diag.Quote(name), said[change.Kind])
	guarded := max(guardOf(c.before, name), guardOf(c.after, name)) > reading
	why := fmt.Sprintf("it %s, and can now be called with arguments that were refused.", guardOf(c.after, name))
	if change.Kind == InputChanged {
		why = fmt.Sprintf("it %s, and arguments that were refused may now be taken.", guardOf(c.after, name))
	}
	c.addIf(guarded && (change.Kind == InputWidened || change.Kind == InputChanged), change, why)
}

// changed says how what a schema takes differs from what another one took, in
// the kinds for described, widened, narrowed and changed.
func changed(a, b *protocol.Value, kinds [4]Kind) (Kind, bool) {
	switch difference := relate(schemaOf(a), schemaOf(b)); {
	case difference == same:
		return "", false
	case difference == worded:
		return kinds[0], true
	case difference&(looser|tighter|unclear) == looser:
		return kinds[1], true
	case difference&(looser|tighter|unclear) == tighter:
		return kinds[2], true
	default:
		return kinds[3], true
	}
}

func (c *comparison) output(a, b *protocol.Tool) {
	name := b.Name.Value
	change := Change{Kind: OutputChanged, Tool: name, Message: fmt.Sprintf("tool %s returns something else", diag.Quote(name))}
	switch {
	case a.Output == nil && b.Output == nil:
		return
	case a.Output == nil:
		change.Message = fmt.Sprintf("tool %s returns structured output", diag.Quote(name))
	case b.Output == nil:
		change.Message = fmt.Sprintf("tool %s no longer returns structured output", diag.Quote(name))
	default:
		switch difference := relate(schemaOf(a.Output), schemaOf(b.Output)); difference {
		case same:
			return
		case worded:
			change.Kind, change.Message = OutputDescribed, fmt.Sprintf("tool %s describes its output in other words", diag.Quote(name))
		default: // as it was worded above
		}
	}
	c.add(change)
}
