package check

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// waivers holds that every waiver names a rule that can be waived, and that
// there is something to waive.
func (c *checker) waivers() {
	for _, tool := range c.p.Tools {
		for i := range tool.Waive {
			c.waiver(&tool.Waive[i], "tool "+diag.Quote(tool.Name.Value))
		}
	}
	for _, mode := range c.p.Modes {
		for i := range mode.Waive {
			c.waiver(&mode.Waive[i], "mode "+diag.Quote(mode.Name.Value))
		}
	}
}

func (c *checker) waiver(waiver *protocol.Waiver, owner string) {
	id := waiver.Rule.Value
	rule, known := c.rules[id]
	if !known {
		rule, _ = c.rules[strings.ToUpper(id)]
	}
	d := diag.Diagnostic{Rule: "waive-refused", Span: waiver.Rule.Span}
	switch {
	case !known:
		d.Message = fmt.Sprintf("there is no rule %s to waive", diag.Quote(id))
		d.Help = "`gatewright rules` lists them; those of the category duty can be waived"
		if rule.Waivable() {
			d.Label = fmt.Sprintf("did you mean `%s`?", rule.ID)
		}
	case !rule.Waivable():
		d.Message = fmt.Sprintf("%s cannot be waived", id)
		d.Notes = []string{"a guarantee that a line of the protocol can take back guarantees nothing; only findings on duties (SD1, SD2, SD4) can be waived"}
		d.Help = "remove the waiver and mend what the rule finds"
	case !c.used[waiver]:
		d.Rule = "waive-unused"
		d.Message = fmt.Sprintf("%s waives %s, which finds nothing here", owner, id)
		d.Notes = []string{"a waiver left behind would hide the next finding"}
		d.Help = "remove the waiver"
	default:
		return
	}
	c.report(d)
}
