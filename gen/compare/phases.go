package compare

import (
	"fmt"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// phases compares whether a tool shows a plan before it runs one, what makes
// the plan, and for how long it counts. What runs it is the tool's handler.
func (c *comparison) phases(a, b *protocol.Tool) {
	name, before, after := b.Name.Value, a.Phases, b.Phases
	switch {
	case before == nil && after == nil:
	case before == nil:
		c.add(Change{
			Kind: PhasesGained, Tool: name, New: after.Preview.Value,
			Message: fmt.Sprintf("tool %s stores a plan, which %s makes, before it runs anything", diag.Quote(name), diag.Quote(after.Preview.Value)),
		})
	case after == nil:
		c.weaker(Change{
			Kind: PhasesLost, Tool: name, Old: before.Preview.Value,
			Message: fmt.Sprintf("tool %s no longer stores a plan before it runs anything", diag.Quote(name)),
		}, "it runs when it is called, with nothing shown and confirmed before.")
	default:
		c.previews(name, before, after)
	}
}

func (c *comparison) previews(name string, before, after *protocol.Phases) {
	if before.Preview.Value != after.Preview.Value {
		was := handlerGuard(c.before, after.Preview.Value)
		c.addIf(was > reading, Change{
			Kind: PreviewHandler, Tool: name, Old: before.Preview.Value, New: after.Preview.Value,
			Message: fmt.Sprintf("plans of %s are made by %s instead of %s", diag.Quote(name), diag.Quote(after.Preview.Value), diag.Quote(before.Preview.Value)),
		}, fmt.Sprintf("that handler %s until now, and a preview is guarded less.", was.was()))
	}
	if before.TTL != after.TTL {
		change := Change{Kind: PlanTTL, Tool: name, Old: protocol.Shorten(before.TTL), New: protocol.Shorten(after.TTL)}
		change.Message = fmt.Sprintf("a plan of %s can be run for %s after its preview, instead of %s", diag.Quote(name), change.New, change.Old)
		c.addIf(after.TTL > before.TTL, change, "what it was made for has more time to change before it is run.")
	}
}

// plan compares what a preview may store and a commit runs.
func (c *comparison) plan(a, b *protocol.Tool) {
	if a.Plan == nil || b.Plan == nil {
		return // in one phase, which phases says
	}
	name := diag.Quote(b.Name.Value)
	kind, differs := changed(a.Plan, b.Plan, [4]Kind{PlanDescribed, PlanWidened, PlanNarrowed, PlanChanged})
	if !differs {
		return
	}
	said := map[Kind]string{
		PlanWidened: "may hold what they could not", PlanNarrowed: "may no longer hold what they could",
		PlanChanged: "may hold other things", PlanDescribed: "are described in other words, which models read",
	}
	c.addIf(kind == PlanWidened || kind == PlanChanged, Change{Kind: kind, Tool: b.Name.Value, Message: fmt.Sprintf("plans of %s %s", name, said[kind])},
		"plans may be stored and run that were refused.")
}
