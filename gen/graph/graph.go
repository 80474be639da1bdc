// Package graph draws a protocol: its modes, what each holds, and the
// transitions between them, as text for Mermaid and for Graphviz. Exclusive
// tools, waivers and broken guarantees stand out. It reads and writes nothing
// but what it is handed.
package graph

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A Format is a language that graphs are written in.
type Format string

// The formats.
const (
	Mermaid Format = "mermaid"
	DOT     Format = "dot"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Mermaid, DOT} }

// Draw writes the graph of a protocol. It takes one with findings as well:
// what the findings say of WF1 and WF2 is marked where it stands.
func Draw(p *protocol.Protocol, found []diag.Diagnostic, format Format) string {
	modes := picture(p, found)
	if format == DOT {
		return dot(p, modes)
	}
	return mermaid(p, modes)
}

// A node is a mode, drawn as a box around what it holds.
type node struct {
	mode        *protocol.Mode
	initial     bool
	waivers     []string
	tools       []leaf
	transitions []edge
}

// A leaf is a tool in the hands of one mode.
type leaf struct {
	name     string
	class    string
	phases   string   // what it is in two phases; empty of a tool in one
	approval string   // who has to consent; empty where nobody has
	violated []string // guarantees that this holding breaks
	waivers  []string
}

// An edge is a transition; to is the index of a mode, -1 where there is none
// of that name.
type edge struct {
	event string
	to    int
	name  string
}

// Classes of tools, by how much they are guarded.
const (
	classRead      = "read"
	classWrite     = "write"
	classExclusive = "exclusive"
)

func picture(p *protocol.Protocol, found []diag.Diagnostic) []node {
	broken := violations(found)
	index := map[string]int{}
	for i, mode := range p.Modes {
		index[mode.Name.Value] = i
	}
	tools := map[string]*protocol.Tool{}
	for _, tool := range p.Tools {
		tools[tool.Name.Value] = tool
	}
	exclusive := map[string]bool{}
	for _, name := range p.Exclusive() {
		exclusive[name] = true
	}
	nodes := make([]node, 0, len(p.Modes))
	for _, mode := range p.Modes {
		n := node{mode: mode, initial: mode.Name.Value == p.InitialMode.Value, waivers: waived(mode.Waive)}
		for _, held := range mode.Tools {
			drawn := leaf{name: held.Value, class: classWrite, violated: broken[held.Span]}
			tool := tools[held.Value]
			if tool != nil {
				drawn.waivers, drawn.phases, drawn.approval = waived(tool.Waive), inPhases(tool.Phases), consent(tool.Approval)
			}
			switch {
			case exclusive[held.Value]:
				drawn.class = classExclusive
			case tool != nil && tool.Effect == protocol.Read:
				drawn.class = classRead
			}
			n.tools = append(n.tools, drawn)
		}
		for _, transition := range mode.Transitions {
			to, known := index[transition.To.Value]
			if !known {
				to = -1
			}
			n.transitions = append(n.transitions, edge{event: transition.Event.Value, to: to, name: transition.To.Value})
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// violations lists the broken guarantees by the places of the findings: those
// are where modes list the tools.
func violations(found []diag.Diagnostic) map[diag.Span][]string {
	broken := map[diag.Span][]string{}
	mark := func(at diag.Span, rule string) {
		if !slices.Contains(broken[at], rule) {
			broken[at] = append(broken[at], rule)
		}
	}
	for _, d := range found {
		if !strings.HasPrefix(d.Rule, "WF") {
			continue
		}
		mark(d.Span, d.Rule)
		for _, related := range d.Related {
			mark(related.Span, d.Rule)
		}
	}
	return broken
}

func waived(waivers []protocol.Waiver) []string {
	var all []string
	for _, waiver := range waivers {
		all = append(all, "waives "+waiver.Rule.Value+": "+cut(waiver.Why.Value))
	}
	return all
}

// inPhases says that a tool shows a plan before it runs it.
func inPhases(phases *protocol.Phases) string {
	if phases == nil {
		return ""
	}
	return "preview, then commit within " + protocol.Shorten(phases.TTL)
}

// consent says who is asked, in which order.
func consent(a *protocol.Approval) string {
	if a == nil {
		return ""
	}
	asked := make([]string, 0, len(a.By))
	for _, source := range a.By {
		asked = append(asked, source.String())
	}
	return "needs approval: " + cut(strings.Join(asked, ", then "))
}

const maxText = 80 // runes of a foreign text in a label

// cut is a text on one line, of bounded length.
func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText]) + "…"
}

// title is what stands on a mode's box, a line each.
func (n node) title() []string {
	head := n.mode.Name.Value
	if n.initial {
		head += " (initial)"
	}
	lines := []string{head}
	if text := n.mode.Description.Value; text != "" {
		lines = append(lines, cut(text))
	}
	return append(lines, n.waivers...)
}

// label is what stands on a tool, a line each.
func (l leaf) label() []string {
	lines := []string{l.name}
	if l.class == classExclusive {
		lines[0] += " (exclusive)"
	}
	if l.phases != "" {
		lines = append(lines, l.phases)
	}
	if l.approval != "" {
		lines = append(lines, l.approval)
	}
	for _, rule := range l.violated {
		lines = append(lines, "VIOLATES "+rule)
	}
	return append(lines, l.waivers...)
}
