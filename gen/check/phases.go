package check

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// phaseNames holds that what tools in two phases become has names of its own,
// in clients and in Go, and that the halves of one are two functions.
func (c *checker) phaseNames() {
	folded, camel := map[string]*protocol.Tool{}, map[string]*protocol.Tool{}
	for _, tool := range c.p.Tools {
		if tool.Phases == nil {
			continue
		}
		for _, served := range tool.Served() {
			folded[protocol.Fold(served)], camel[protocol.GoName(served)] = tool, tool
		}
		c.halves(tool)
	}
	for _, tool := range c.p.Tools {
		base := folded[protocol.Fold(tool.Name.Value)]
		why := "a tool in two phases becomes two: one that ends in _preview and one that ends in _commit"
		if base == nil {
			base = camel[protocol.GoName(tool.Name.Value)]
			why += fmt.Sprintf("; in Go, that is %s too", diag.Quote(protocol.GoName(tool.Name.Value)))
		}
		if base == nil || base == tool {
			continue
		}
		c.report(diag.Diagnostic{
			Rule: "name-phase", Span: tool.Name.Span,
			Message: fmt.Sprintf("%s is what a half of the tool %s is called", diag.Quote(tool.Name.Value), diag.Quote(base.Name.Value)),
			Related: []diag.Related{{Span: base.Name.Span, Message: "in two phases"}},
			Notes:   []string{why},
			Help:    "choose another name for one of them",
		})
	}
}

// halves holds that one tool's preview and commit are two functions, and that
// clients pass on their names.
func (c *checker) halves(tool *protocol.Tool) {
	if preview := tool.Phases.Preview; !preview.Span.IsZero() && preview.Value == tool.Run.Value {
		c.report(diag.Diagnostic{
			Rule: "name-phase", Span: tool.Run.Span,
			Message: fmt.Sprintf("the preview and the commit of %s name one function, %s", diag.Quote(tool.Name.Value), diag.Quote(tool.Run.Value)),
			Related: []diag.Related{{Span: preview.Span, Message: "the preview"}},
			Notes:   []string{"a preview makes a plan and may only read; a commit takes a plan and writes"},
			Help:    "give each a function of its own; both can call a third",
		})
	}
	name := tool.Name
	if longest := name.Value + protocol.PreviewSuffix; protocol.IsName(name.Value) && !protocol.IsName(longest) {
		c.report(diag.Diagnostic{
			Rule: "name-phase", Span: name.Span,
			Message: fmt.Sprintf("%s is too long for a tool in two phases: clients would see %s", diag.Quote(name.Value), diag.Quote(longest)),
			Notes:   []string{"clients cut names of more than 40 characters, with what they put in front of them"},
			Help:    fmt.Sprintf("choose a name of at most %d characters", maxServed-len(protocol.PreviewSuffix)),
		})
	}
}

const maxServed = 40 // characters of a name that clients see

// alike says whether names of two tools have been reported as one already.
func (c *checker) alike(a, b *protocol.Tool) bool {
	if protocol.GoName(a.Name.Value) == protocol.GoName(b.Name.Value) {
		return true
	}
	for _, one := range append(a.Served(), a.Name.Value) {
		for _, other := range append(b.Served(), b.Name.Value) {
			if protocol.GoName(one) == protocol.GoName(other) {
				return true
			}
		}
	}
	return false
}

// half is the tool in two phases of which a name is a half, or nil.
func (c *checker) half(name string) *protocol.Tool {
	for _, suffix := range []string{protocol.PreviewSuffix, protocol.CommitSuffix} {
		if base, cut := strings.CutSuffix(name, suffix); cut {
			if tool := c.tools[base]; tool != nil && tool.Phases != nil {
				return tool
			}
		}
	}
	return nil
}

// asked is what somebody who has to consent to a call is shown of it: its
// arguments or, of a tool in two phases, the handle and the stored plan.
func asked(tool *protocol.Tool) *protocol.Value {
	if tool.Phases == nil {
		return tool.Input
	}
	text := func(literal string) *protocol.Value { return &protocol.Value{Kind: protocol.String, Literal: literal} }
	object := func(members ...protocol.Member) *protocol.Value {
		return &protocol.Value{Kind: protocol.Object, Members: members}
	}
	member := func(key string, value *protocol.Value) protocol.Member {
		return protocol.Member{Key: protocol.Text{Value: key}, Value: value}
	}
	plan := object()
	if tool.Plan != nil {
		plan.Members = tool.Plan.Members
	}
	if plan.Member("type") == nil {
		plan.Members = append([]protocol.Member{member("type", text("object"))}, plan.Members...)
	}
	return object(
		member("type", text("object")),
		member("properties", object(member("handle", object(member("type", text("string")))), member("plan", plan))),
		member("required", &protocol.Value{Kind: protocol.Array, Items: []*protocol.Value{text("handle"), text("plan")}}),
	)
}
