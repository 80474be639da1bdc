package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gatewright/gatewright/gen/compare"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// maxElicited is how large a request may be, in bytes, to be put through a
// client. It is the runtime's number.
const maxElicited = 8 << 10

// canBeGiven is SD2.
func (c *checker) canBeGiven(tool *protocol.Tool) {
	a := tool.Approval
	if a == nil || a.Unclear || len(a.By) != 1 || a.By[0].Provider != protocol.Elicit {
		return
	}
	name := diag.Visible(tool.Name.Value)
	d := diag.Diagnostic{
		Rule: "SD2", Span: a.By[0].Span,
		Help: fmt.Sprintf("put queue or a command in front of it: `[queue, elicit]`; or accept it in the open:\n%s: {waive: {SD2: why it is fine here}}", name),
	}
	switch what, least := leastAsked(tool); {
	case least > maxElicited:
		d.Message = fmt.Sprintf("nobody can give the approval of %s: every request is too large for a client", diag.Quote(tool.Name.Value))
		d.Label = "nobody else is asked"
		d.Notes = []string{fmt.Sprintf("its %s have at least %d bytes; requests of more than %d are not put through a client", what, least, maxElicited)}
	case c.exclusive[tool.Name.Value]:
		d.Message = fmt.Sprintf("the exclusive tool %s is approved through the caller's own client alone", diag.Quote(tool.Name.Value))
		d.Label = "the caller's client asks, and answers"
		d.Notes = []string{"an elicitation proves no person: a client may answer by itself, and the caller bless its own work"}
		d.Related = append([]diag.Related{{Span: tool.Name.Span, Message: "confers approval"}}, c.declaredExclusive(tool.Name.Value)...)
	default:
		return
	}
	c.waivable(d, tool.Waiver("SD2"))
}

// leastAsked is what a request for a tool's approval shows, the arguments or
// the plan, and a number of bytes that every one of them has.
func leastAsked(tool *protocol.Tool) (what string, least int) {
	if tool.Phases != nil {
		return "plans", leastBytes(tool.Plan)
	}
	return "arguments", leastBytes(tool.Input)
}

// leastBytes is a number of bytes that arguments have in any case: those of
// the texts that are required. A character has one byte or more.
func leastBytes(input *protocol.Value) int {
	least := 0
	for _, name := range required(input) {
		length := input.Member("properties").Member(name).Member("minLength")
		if length == nil || length.Kind != protocol.Number {
			continue
		}
		kind := input.Member("properties").Member(name).Member("type")
		if kind == nil || kind.Literal != "string" {
			continue
		}
		if count, err := strconv.Atoi(length.Literal); err == nil && count > 0 {
			least = min(least+count, 1<<30)
		}
	}
	return least
}

// required lists the arguments that a call must have, each once.
func required(input *protocol.Value) []string {
	list := input.Member("required")
	if list == nil {
		return nil
	}
	var names []string
	for _, item := range list.Items {
		if item.Kind == protocol.String && !slices.Contains(names, item.Literal) {
			names = append(names, item.Literal)
		}
	}
	return names
}

// shows holds that the tools whose results are shown to whoever decides can be
// called for that.
func (c *checker) shows() {
	names := make([]string, 0, len(c.p.Tools))
	for _, tool := range c.p.Tools {
		names = append(names, tool.Name.Value)
	}
	for _, tool := range c.p.Tools {
		if tool.Approval == nil || tool.Approval.Show.Span.IsZero() {
			continue
		}
		show := tool.Approval.Show
		shown := c.tools[show.Value]
		if whole := c.half(show.Value); whole != nil && shown == nil {
			c.report(diag.Diagnostic{
				Rule: "ref-show", Span: show.Span,
				Message: fmt.Sprintf("the approval of %s shows a half of %s", diag.Quote(tool.Name.Value), diag.Quote(whole.Name.Value)),
				Related: []diag.Related{{Span: whole.Name.Span, Message: "declared here"}},
				Notes:   []string{"a preview stores a plan whenever it is called, and a commit runs one"},
				Help:    "show a tool in one phase with `effect: read`",
			})
			continue
		}
		if shown == nil {
			c.unknown("ref-tool", fmt.Sprintf("the approval of %s shows %s, which is no tool of this protocol", diag.Quote(tool.Name.Value), diag.Quote(show.Value)),
				show, names, "correct the name, or leave `show` out")
			continue
		}
		c.shown(tool, shown)
	}
}

// shown holds it of one tool.
func (c *checker) shown(tool, shown *protocol.Tool) {
	name := diag.Quote(shown.Name.Value)
	d := diag.Diagnostic{Rule: "ref-show", Span: tool.Approval.Show.Span, Related: []diag.Related{{Span: shown.Name.Span, Message: "declared here"}}}
	if shown.Effect != protocol.Read && !shown.Unclear {
		d.Message = fmt.Sprintf("the approval of %s shows %s, which is no tool that only reads", diag.Quote(tool.Name.Value), name)
		d.Notes = []string{"it is called before anybody has consented"}
		d.Help = "show a tool with `effect: read`"
		c.report(d)
		return
	}
	if shown.Approval != nil {
		d.Message = fmt.Sprintf("the approval of %s shows %s, which needs an approval itself", diag.Quote(tool.Name.Value), name)
		d.Notes = []string{"it is called before anybody has consented"}
		d.Help = "show a tool that needs none"
		c.report(d)
		return
	}
	c.shownEverywhere(tool, shown, d)
	c.shownArguments(tool, shown, d)
}

// shownEverywhere holds that each mode with the tool holds what is shown.
func (c *checker) shownEverywhere(tool, shown *protocol.Tool, d diag.Diagnostic) {
	var without []string
	d.Related = slices.Clone(d.Related)
	for _, holder := range c.holdings[tool.Name.Value] {
		if !holder.mode.Holds(shown.Name.Value) {
			without = append(without, holder.mode.Name.Value)
			d.Related = append(d.Related, diag.Related{Span: holder.tool.Span, Message: fmt.Sprintf("held by %s, without %s", diag.Quote(holder.mode.Name.Value), diag.Quote(shown.Name.Value))})
		}
	}
	if len(without) == 0 {
		return
	}
	d.Message = fmt.Sprintf("the approval of %s shows %s, which is not held by %s", diag.Quote(tool.Name.Value), diag.Quote(shown.Name.Value), enumerate(without))
	d.Notes = []string{"the server of a mode contains that mode's tools and no others"}
	d.Help = fmt.Sprintf("add %s to the tools of that mode, or show another tool", diag.Quote(shown.Name.Value))
	c.report(d)
}

// shownArguments holds that what is shown takes any call of the tool.
func (c *checker) shownArguments(tool, shown *protocol.Tool, d diag.Diagnostic) {
	asked := asked(tool)
	calling := required(asked)
	missing := slices.DeleteFunc(required(shown.Input), func(name string) bool { return slices.Contains(calling, name) })
	if len(missing) > 0 {
		d.Message = fmt.Sprintf("%s, which the approval of %s shows, requires %s, which a call of %s may not have",
			diag.Quote(shown.Name.Value), diag.Quote(tool.Name.Value), enumerate(missing), diag.Quote(tool.Name.Value))
		d.Help = fmt.Sprintf("make it required for %s as well, or optional for %s", diag.Quote(tool.Name.Value), diag.Quote(shown.Name.Value))
		c.report(d)
	}
	fields, whole := compare.Misfits(asked, shown.Input)
	if len(fields) > 0 {
		d.Message = fmt.Sprintf("%s, which the approval of %s shows, may refuse %s as %s takes it",
			diag.Quote(shown.Name.Value), diag.Quote(tool.Name.Value), enumerate(fields), diag.Quote(tool.Name.Value))
		d.Notes = []string{"it is called with those arguments of the call that it declares"}
		d.Help = "give both the same schema for it, or take more in what is shown"
		c.report(d)
	}
	if whole {
		d.Message = fmt.Sprintf("%s, which the approval of %s shows, wants more of its arguments together than can be told of a call of %s",
			diag.Quote(shown.Name.Value), diag.Quote(tool.Name.Value), diag.Quote(tool.Name.Value))
		d.Notes = []string{"beside properties and required, nothing in its input may restrict the arguments"}
		d.Help = "leave such keywords out of its input, or show another tool"
		c.report(d)
	}
}
