package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// references holds that every name that is used is declared, and the other way
// round. A protocol without any tools, or modes, has been told so already.
func (c *checker) references() {
	tools, modes := make([]string, 0, len(c.p.Tools)), make([]string, 0, len(c.p.Modes))
	for _, tool := range c.p.Tools {
		tools = append(tools, tool.Name.Value)
	}
	known := make(map[string]bool, len(c.p.Modes))
	for _, mode := range c.p.Modes {
		modes = append(modes, mode.Name.Value)
		known[mode.Name.Value] = true
	}
	if len(tools) > 0 {
		before := len(c.found)
		c.heldTools(tools)
		c.declaredTools(tools)
		if !c.unknownHeld(before) {
			c.unheldTools()
		}
	}
	for _, mode := range c.p.Modes {
		for _, transition := range mode.Transitions {
			c.modeExists("the transition "+diag.Quote(transition.Event.Value)+" leads to", transition.To, known, modes)
		}
	}
	if len(modes) > 0 && !c.p.InitialMode.IsZero() {
		c.modeExists("`initial_mode` is", c.p.InitialMode, known, modes)
	}
}

// heldTools looks at the lists of the modes.
func (c *checker) heldTools(tools []string) {
	type place struct {
		mode *protocol.Mode
		at   int
	}
	first := make(map[string]place, len(tools)) // where a tool was listed last, for each mode anew
	for _, mode := range c.p.Modes {
		if len(mode.Tools) == 0 {
			c.report(diag.Diagnostic{
				Rule: "ref-empty", Span: mode.Name.Span,
				Message: fmt.Sprintf("mode %s holds no tools", diag.Quote(mode.Name.Value)),
				Notes:   []string{"its server would have nothing to offer"},
				Help:    fmt.Sprintf("add `tools: [%s]`, or remove the mode", diag.Visible(tools[0])),
			})
		}
		for i, held := range mode.Tools {
			if first, twice := first[held.Value]; twice && first.mode == mode {
				c.twice(held, mode.Tools[first.at], "mode "+diag.Quote(mode.Name.Value)+" lists")
				continue
			}
			first[held.Value] = place{mode, i}
			if c.tools[held.Value] == nil {
				c.unknown("ref-tool", fmt.Sprintf("mode %s lists %s, which is no tool of this protocol", diag.Quote(mode.Name.Value), diag.Quote(held.Value)),
					held, tools, fmt.Sprintf("declare it under tools, or remove it here; declared: %s", enumerate(tools)))
			}
		}
	}
}

// unknownHeld says whether a mode lists a tool that is not there: then a tool
// that no mode holds is most likely meant, and no finding of its own.
func (c *checker) unknownHeld(from int) bool {
	return slices.ContainsFunc(c.found[from:], func(d diag.Diagnostic) bool { return d.Rule == "ref-tool" })
}

func (c *checker) unheldTools() {
	for _, tool := range c.p.Tools {
		if len(c.p.Modes) > 0 && len(c.holdings[tool.Name.Value]) == 0 {
			c.report(diag.Diagnostic{
				Rule: "ref-unheld", Span: tool.Name.Span,
				Message: fmt.Sprintf("no mode holds the tool %s", diag.Quote(tool.Name.Value)),
				Notes:   []string{"nobody can call it"},
				Help:    "add it to the tools of a mode, or remove it",
			})
		}
	}
}

// declaredTools looks at what is said to be exclusive.
func (c *checker) declaredTools(tools []string) {
	seen := map[string]protocol.Text{}
	for _, declared := range c.p.Declared {
		if first, twice := seen[declared.Value]; twice {
			c.twice(declared, first, "`exclusive_tools` lists")
			continue
		}
		seen[declared.Value] = declared
		if c.tools[declared.Value] == nil && declared.Value != "approve" && declared.Value != "merge" {
			c.unknown("ref-exclusive", fmt.Sprintf("`exclusive_tools` lists %s, which is no tool of this protocol", diag.Quote(declared.Value)),
				declared, tools, "correct the name; a misspelled one protects nothing")
		}
	}
}

func (c *checker) twice(again, first protocol.Text, who string) {
	c.report(diag.Diagnostic{
		Rule: "ref-duplicate", Span: again.Span,
		Message: fmt.Sprintf("%s %s twice", who, diag.Quote(again.Value)),
		Label:   "again here",
		Related: []diag.Related{{Span: first.Span, Message: "first here"}},
		Help:    "remove one of them",
	})
}

func (c *checker) modeExists(who string, to protocol.Text, known map[string]bool, modes []string) {
	if known[to.Value] {
		return
	}
	c.unknown("ref-mode", fmt.Sprintf("%s %s, which is no mode of this protocol", who, diag.Quote(to.Value)), to, modes,
		fmt.Sprintf("declare it under modes, or correct the name; declared: %s", enumerate(modes)))
}

// maxAdvised is after how many findings nobody reads what might have been meant.
const maxAdvised = 1000

// unknown reports a name that is not declared. Where it is most likely one that
// is declared with letters that no name may have, that has been reported.
func (c *checker) unknown(rule, message string, name protocol.Text, candidates []string, help string) {
	d := diag.Diagnostic{Rule: rule, Message: message, Span: name.Span, Help: help}
	if len(c.found) > maxAdvised {
		c.report(d)
		return
	}
	meant, ok := c.suggester.Closest(strings.ToLower(name.Value), candidates)
	if lower := strings.ToLower(name.Value); slices.Contains(candidates, lower) {
		meant, ok = lower, true
	}
	words := strings.Fields(name.Value)
	switch whole := c.half(name.Value); {
	case whole != nil:
		d.Label = fmt.Sprintf("did you mean `%s`?", whole.Name.Value)
		d.Notes = append(d.Notes, "a tool in two phases is named once, for its preview and its commit")
		d.Help = fmt.Sprintf("write `%s`; or %s", diag.Visible(whole.Name.Value), help)
	case ok && protocol.IsName(name.Value) && !protocol.IsName(meant):
		return
	case len(words) > 1 && len(words) <= 8 && !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(candidates, word) }):
		d.Label = "a comma is missing"
		d.Help = fmt.Sprintf("write `%s`; or %s", strings.Join(words, ", "), help)
	case ok:
		d.Label = fmt.Sprintf("did you mean `%s`?", meant)
		d.Help = fmt.Sprintf("write `%s`; or %s", meant, help)
	}
	c.report(d)
}
