package graph

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// dot draws a directed graph with a cluster for each mode. Edges of Graphviz
// join nodes, so each cluster has one without a shape of its own, and the
// edges are cut at the clusters' borders.
func dot(p *protocol.Protocol, modes []node) string {
	var out strings.Builder
	fmt.Fprintf(&out, "digraph %s {\n", dotText(p.ID.Value))
	fmt.Fprintf(&out, "  graph [rankdir=LR, compound=true, fontname=\"sans-serif\", label=%s];\n", dotText(p.ID.Value+" "+p.Version.Value))
	out.WriteString("  node [shape=box, style=filled, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	for i, mode := range modes {
		style := "rounded"
		if len(mode.waivers) > 0 {
			style = "rounded,dashed"
		}
		fmt.Fprintf(&out, "  subgraph cluster_%d {\n    label=%s;\n    style=%q;\n", i, dotText(mode.title()...), style)
		fmt.Fprintf(&out, "    m%d [shape=point, style=invis, label=\"\"];\n", i)
		for j, tool := range mode.tools {
			fmt.Fprintf(&out, "    m%dt%d [label=%s%s];\n", i, j, dotText(tool.label()...), tool.dotStyle())
		}
		out.WriteString("  }\n")
	}
	missing := 0
	for i, mode := range modes {
		for _, each := range mode.transitions {
			if each.to < 0 {
				fmt.Fprintf(&out, "  x%d [label=%s, style=dashed];\n", missing, dotText(each.name+" is missing"))
				fmt.Fprintf(&out, "  m%d -> x%d [label=%s, ltail=cluster_%d];\n", i, missing, dotText(each.event), i)
				missing++
				continue
			}
			cut := fmt.Sprintf(", ltail=cluster_%d, lhead=cluster_%d", i, each.to)
			if i == each.to {
				cut = "" // an edge cannot leave and enter one cluster
			}
			fmt.Fprintf(&out, "  m%d -> m%d [label=%s%s];\n", i, each.to, dotText(each.event), cut)
		}
	}
	out.WriteString("}\n")
	return out.String()
}

func (l leaf) dotStyle() string {
	var style string
	switch l.class {
	case classRead:
		style = `, fillcolor="#eeeeff"`
	case classExclusive:
		style = `, shape=hexagon, penwidth=3, fillcolor="#d9f2d9"`
	default:
		style = `, fillcolor="#ffe9c7"`
	}
	switch {
	case len(l.violated) > 0:
		style += `, style="filled,dashed", color="#cc0000", fillcolor="#ffbbbb", penwidth=4`
	case len(l.waivers) > 0:
		style += `, style="filled,dashed", color="#aa00aa"`
	}
	return style
}

// dotText is a quoted string of DOT, with a line for each text. Within quotes
// only the quote, the backslash and entities of HTML mean something.
func dotText(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")
	written := make([]string, 0, len(lines))
	for _, line := range lines {
		written = append(written, escape.Replace(diag.Visible(line)))
	}
	return `"` + strings.Join(written, `\n`) + `"`
}
