package check

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// Options say how strictly to check.
type Options struct {
	Strict  bool           // warnings are errors, as with strict: true in the protocol
	Schemas *schema.Reader // to be shared with what is made of the protocol afterwards; nil for one of its own
}

// File loads a protocol and runs every rule on what could be read of it. Sorted
// and complete; a panic on the way is a diagnostic too. Nothing may be made
// from the protocol while one of them is an error; it is nil where nothing
// could be read.
func File(file string, text []byte, options Options) (p *protocol.Protocol, found []diag.Diagnostic) {
	defer func() {
		if trouble := recover(); trouble != nil {
			p, found = nil, diag.Sort(append(found, Crash(file, trouble, debug.Stack())))
		}
	}()
	p, found = protocol.Load(file, text)
	if p != nil {
		unread := found
		for _, d := range Run(p, options) {
			if !consequence(d, unread) {
				found = append(found, d)
			}
		}
	}
	return p, diag.Sort(found)
}

// consequence says whether a finding only follows from what could not be read:
// a schema with a hole, a name with a character that is not shown, something
// missing that may well be there. What could not be read is sorted.
func consequence(d diag.Diagnostic, unread []diag.Diagnostic) bool {
	switch {
	case len(unread) == 0:
		return false
	case slices.Contains([]string{"ref-unheld", "ref-empty", "ref-show", "waive-unused"}, d.Rule):
		return true
	case strings.HasPrefix(d.Rule, "schema-"):
		at, _ := slices.BinarySearchFunc(unread, d.Span, func(other diag.Diagnostic, span diag.Span) int {
			return start(other.Span).Compare(start(span))
		})
		return at < len(unread) && d.Span.Contains(unread[at].Span) || at > 0 && unread[at-1].Span.Contains(d.Span)
	}
	return slices.ContainsFunc(unread[:min(len(unread), 100)], func(other diag.Diagnostic) bool {
		return other.Rule == "yaml-character" && d.Span.Contains(other.Span)
	})
}

func start(span diag.Span) diag.Span {
	return diag.Span{File: span.File, Line: span.Line, Column: span.Column}
}

// Crash is the diagnostic for a panic in gatewright itself.
func Crash(file string, trouble any, stack []byte) diag.Diagnostic {
	d := diag.Diagnostic{
		Rule: "crash", Level: diag.Error, Message: fmt.Sprintf("gatewright failed: %v", trouble),
		Notes: []string{strings.ReplaceAll(strings.TrimSpace(string(stack)), "\t", "  ")},
		Help:  "this is a mistake in gatewright, not in your protocol; please report it with the protocol and the lines above:\nhttps://github.com/gatewright/gatewright/issues",
	}
	if file != "" {
		d.Span = diag.Span{File: file, Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	}
	return d
}

// Run runs every rule on a protocol, also on one that has been read in part.
// No rule that finds something keeps another from looking.
func Run(p *protocol.Protocol, options Options) []diag.Diagnostic {
	c := newChecker(p)
	c.names()
	c.references()
	c.effects()
	c.approvals()
	c.duties()
	c.shows()
	schemas := options.Schemas
	if schemas == nil {
		schemas = schema.NewReader()
	}
	for _, tool := range p.Tools {
		if tool.Input != nil || tool.Plan != nil || tool.Output != nil || len(tool.Record) > 0 {
			c.found = append(c.found, schemas.Check(tool)...)
		}
	}
	c.waivers()
	for i := range c.found {
		c.level(&c.found[i], options.Strict || p.Strict)
	}
	return diag.Sort(c.found)
}

// level gives a finding the level of its rule.
func (c *checker) level(d *diag.Diagnostic, strict bool) {
	switch {
	case d.Waived != "":
		d.Level = diag.Note
	case d.Level == "":
		d.Level = diag.Error
		if rule, ok := c.rules[d.Rule]; ok {
			d.Level = rule.Level
		}
	}
	if d.Level == diag.Warning && strict {
		d.Level = diag.Error
	}
}

// A checker holds a protocol and what the rules look up in it.
type checker struct {
	p         *protocol.Protocol
	rules     map[string]Rule
	tools     map[string]*protocol.Tool
	exclusive map[string]bool
	functions map[string]bool      // those that exclusive tools run
	holdings  map[string][]holding // by tool, in source order, a mode once
	found     []diag.Diagnostic
	used      map[*protocol.Waiver]bool
	suggester diag.Suggester
}

// A holding is one mode's claim to one tool.
type holding struct {
	mode *protocol.Mode
	tool *protocol.Text
}

func newChecker(p *protocol.Protocol) *checker {
	c := &checker{
		p: p, rules: map[string]Rule{}, tools: make(map[string]*protocol.Tool, len(p.Tools)), exclusive: map[string]bool{},
		holdings: make(map[string][]holding, len(p.Tools)), used: map[*protocol.Waiver]bool{},
	}
	for _, rule := range Rules() {
		c.rules[rule.ID] = rule
	}
	for _, name := range p.Exclusive() {
		c.exclusive[name] = true
	}
	for _, tool := range p.Tools {
		c.tools[tool.Name.Value] = tool
	}
	for _, mode := range p.Modes {
		for i := range mode.Tools {
			held := &mode.Tools[i]
			holders := c.holdings[held.Value]
			if len(holders) == 0 || holders[len(holders)-1].mode != mode {
				c.holdings[held.Value] = append(holders, holding{mode, held})
			}
		}
	}
	return c
}

func (c *checker) report(d diag.Diagnostic) { c.found = append(c.found, d) }

// waivable reports a finding unless one of the waivers takes it back; then it
// is shown as taken back.
func (c *checker) waivable(d diag.Diagnostic, waivers ...*protocol.Waiver) {
	for _, waiver := range waivers {
		if waiver != nil {
			c.used[waiver] = true
			if d.Waived == "" {
				d.Waived = waiver.Why.Value
				d.Related = append(d.Related, diag.Related{Span: waiver.Rule.Span, Message: "waived here"})
			}
		}
	}
	c.report(d)
}

// names in a message: the first few, and how many more there are.
func enumerate(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, diag.Quote(name))
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), more)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " and " + quoted[len(quoted)-1]
}
