package graph

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// mermaid draws a flowchart. Ids are made up, since names such as end mean
// something to Mermaid.
func mermaid(p *protocol.Protocol, modes []node) string {
	var out strings.Builder
	fmt.Fprintf(&out, "---\ntitle: \"%s\"\n---\nflowchart LR\n", mermaidText(p.ID.Value+" "+p.Version.Value))
	for i, mode := range modes {
		fmt.Fprintf(&out, "  subgraph m%d[\"%s\"]\n", i, mermaidLines(mode.title()))
		for j, tool := range mode.tools {
			class := tool.class
			if len(tool.violated) > 0 {
				class = "violation"
			}
			opening, closing := "[", "]"
			if tool.class == classExclusive {
				opening, closing = "{{", "}}"
			}
			fmt.Fprintf(&out, "    m%dt%d%s\"%s\"%s:::%s\n", i, j, opening, mermaidLines(tool.label()), closing, class)
		}
		if len(mode.tools) == 0 {
			fmt.Fprintf(&out, "    m%dt0[\"no tools\"]:::none\n", i)
		}
		out.WriteString("  end\n")
	}
	missing := 0
	for i, mode := range modes {
		for _, each := range mode.transitions {
			to := fmt.Sprintf("m%d", each.to)
			if each.to < 0 {
				to = fmt.Sprintf("x%d[\"%s is missing\"]", missing, mermaidText(each.name))
				missing++
			}
			fmt.Fprintf(&out, "  m%d -->|\"%s\"| %s\n", i, mermaidText(each.event), to)
		}
	}
	out.WriteString(`  classDef read fill:#eef,stroke:#669
  classDef write fill:#ffe9c7,stroke:#a60
  classDef exclusive fill:#d9f2d9,stroke:#060,stroke-width:3px
  classDef violation fill:#fbb,stroke:#c00,stroke-width:4px,stroke-dasharray:6 3
  classDef none fill:none,stroke:none
  classDef waived stroke:#a0a,stroke-width:3px,stroke-dasharray:2 2
`)
	for i, mode := range modes {
		if len(mode.waivers) > 0 {
			fmt.Fprintf(&out, "  class m%d waived\n", i)
		}
		for j, tool := range mode.tools {
			if len(tool.waivers) > 0 && len(tool.violated) == 0 {
				fmt.Fprintf(&out, "  class m%dt%d waived\n", i, j)
			}
		}
	}
	return out.String()
}

func mermaidLines(lines []string) string {
	for i := range lines {
		lines[i] = mermaidText(lines[i])
	}
	return strings.Join(lines, "<br/>")
}

// mermaidText writes whatever could mean something to Mermaid, Markdown or HTML
// as a character's number.
func mermaidText(text string) string {
	var out strings.Builder
	for _, r := range diag.Visible(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 0x7f:
			out.WriteRune(r)
		case strings.ContainsRune(" ,.:()?!/'_-+", r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "#%d;", r)
		}
	}
	return out.String()
}
