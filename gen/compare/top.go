package compare

import (
	"fmt"
	"path"

	"github.com/gatewright/gatewright/gen/diag"
)

// top compares what belongs to no mode and no tool.
func (c *comparison) top() {
	a, b := c.before, c.after
	if a.ID.Value != b.ID.Value {
		c.weaker(Change{
			Kind: ProtocolID, Old: a.ID.Value, New: b.ID.Value,
			Message: fmt.Sprintf("the protocol's id changes from %s to %s", diag.Quote(a.ID.Value), diag.Quote(b.ID.Value)),
		}, "under another id it has another state folder and log, where nothing is pinned yet.")
	}
	c.text(Version, "the version", a.Version.Value, b.Version.Value)
	c.described(Change{Kind: Description}, "the protocol", a.Description.Value, b.Description.Value)
	c.initial()
	switch {
	case a.Strict && !b.Strict:
		c.weaker(Change{Kind: StrictOff, Old: "true", New: "false", Message: "strict is turned off"},
			"findings on the separation of duties no longer keep a protocol from being generated.")
	case !a.Strict && b.Strict:
		c.add(Change{Kind: StrictOn, Old: "false", New: "true", Message: "strict is turned on"})
	}
	c.text(Package, "the package of the handlers", path.Clean(a.Go.Package.Value), path.Clean(b.Go.Package.Value))
	c.text(Deps, "what the handlers share", a.Go.Deps.Value, b.Go.Deps.Value)
}

func (c *comparison) text(kind Kind, what, before, after string) {
	if before != after {
		c.add(Change{Kind: kind, Old: before, New: after, Message: fmt.Sprintf("%s changes from %s to %s", what, orNothing(before), orNothing(after))})
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return diag.Quote(text)
}

// described compares texts that people and models read. They can be long, so
// the message does not repeat them.
func (c *comparison) described(change Change, of, before, after string) {
	if before == after {
		return
	}
	change.Old, change.New = before, after
	verb := "changes"
	switch {
	case before == "":
		verb = "is new"
	case after == "":
		verb = "is gone"
	}
	change.Message = fmt.Sprintf("the description of %s %s, which models read", of, verb)
	c.add(change)
}

// initial compares where a server starts that is told no mode.
func (c *comparison) initial() {
	from, to := c.before.InitialMode.Value, c.after.InitialMode.Value
	if from == to {
		return
	}
	weak := false
	if mode := c.after.Mode(to); mode != nil {
		before := c.before.Mode(from)
		for _, held := range mode.Tools {
			weak = weak || guardOf(c.after, held.Value) > reading && (before == nil || !before.Holds(held.Value))
		}
	}
	c.addIf(weak, Change{
		Kind: InitialMode, Old: from, New: to,
		Message: fmt.Sprintf("work starts in mode %s instead of %s", diag.Quote(to), diag.Quote(from)),
	}, "who starts there can write or approve with what the old initial mode did not hold.")
}
