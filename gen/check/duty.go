package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// duties holds the rules on the separation of duties, which can be waived.
func (c *checker) duties() {
	for _, mode := range c.p.Modes {
		c.oneActorDoesBoth(mode)
	}
	for _, tool := range c.p.Tools {
		c.canBeGiven(tool)
		c.soundsExclusive(tool)
	}
}

// oneActorDoesBoth is SD1. An exclusive tool that other modes hold too is WF1's
// business first: where it is to stay, only the author knows.
func (c *checker) oneActorDoesBoth(mode *protocol.Mode) {
	if !slices.ContainsFunc(mode.Tools, func(held protocol.Text) bool { return c.exclusive[held.Value] }) {
		return
	}
	var exclusive, writes []protocol.Text
	seen := map[string]bool{}
	for _, held := range mode.Tools {
		tool := c.tools[held.Value]
		switch {
		case seen[held.Value] || c.exclusive[held.Value] && len(c.holdings[held.Value]) > 1:
		case c.exclusive[held.Value]:
			exclusive = append(exclusive, held)
		case tool != nil && tool.Effect == protocol.Write && !tool.Unclear:
			writes = append(writes, held)
		}
		seen[held.Value] = true
	}
	if len(exclusive) == 0 || len(exclusive)+len(writes) < 2 {
		return
	}
	others := slices.Concat(exclusive[1:], writes)
	d := diag.Diagnostic{
		Rule: "SD1", Span: exclusive[0].Span,
		Message: fmt.Sprintf("mode %s holds the exclusive tool %s and can also write with %s",
			diag.Quote(mode.Name.Value), diag.Quote(exclusive[0].Value), enumerate(values(others))),
		Label: "confers approval",
		Notes: []string{"one actor in this mode could make a change and approve it"},
		Help:  fmt.Sprintf("move the exclusive tool to a mode of its own, or accept it in the open:\n%s: {waive: {SD1: why it is fine here}}", diag.Visible(mode.Name.Value)),
	}
	for _, other := range others {
		message := "writes"
		if c.exclusive[other.Value] {
			message = "confers approval too"
		}
		d.Related = append(d.Related, diag.Related{Span: other.Span, Message: message})
	}
	waivers := []*protocol.Waiver{mode.Waiver("SD1")}
	if tool := c.tools[exclusive[0].Value]; tool != nil && len(exclusive) == 1 {
		waivers = append(waivers, tool.Waiver("SD1"))
	}
	c.waivable(d, waivers...)
}

// conferring are words in a tool's name that make it look as if it conferred
// approval; asking are first words that take that impression back.
func conferring() []string {
	return []string{
		"approve", "approves", "approval", "merge", "merges", "accept", "authorize", "authorise", "signoff", "ratify", "endorse",
		"certify", "bless", "lgtm", "grant", "land", "promote", "release", "override", "bypass",
	}
}

func asking() []string {
	return []string{"request", "ask", "list", "get", "show", "find", "cancel", "withdraw", "revoke", "reject", "draft", "prepare", "await", "undo"}
}

// soundsExclusive is SD4.
func (c *checker) soundsExclusive(tool *protocol.Tool) {
	if c.exclusive[tool.Name.Value] || tool.Effect == protocol.Read || tool.Unclear {
		return
	}
	span, what, word := tool.Name.Span, "its name", telling(strings.Split(tool.Name.Value, "_"))
	if word == "" && !tool.Run.Span.IsZero() && !c.exclusiveFunction(tool.Run.Value) {
		span, what, word = tool.Run.Span, "its handler's name", telling(camelWords(tool.Run.Value))
	}
	if word == "" {
		return
	}
	c.waivable(diag.Diagnostic{
		Rule: "SD4", Span: span,
		Message: fmt.Sprintf("%s looks as if it conferred approval, but is not exclusive", diag.Quote(tool.Name.Value)),
		Label:   fmt.Sprintf("%s says %s", what, diag.Quote(word)),
		Notes:   []string{"any number of modes may hold a tool that is not exclusive"},
		Help: fmt.Sprintf("add it: `exclusive_tools: [%s]`; or say in the open that it confers nothing:\n%s: {waive: {SD4: why it is fine here}}",
			diag.Visible(tool.Name.Value), diag.Visible(tool.Name.Value)),
	}, tool.Waiver("SD4"))
}

// exclusiveFunction says whether an exclusive tool runs the function; then the
// other tools that run it are WF2's business.
func (c *checker) exclusiveFunction(name string) bool {
	if c.functions == nil {
		c.functions = map[string]bool{}
		for _, tool := range c.p.Tools {
			if c.exclusive[tool.Name.Value] && tool.Run.Value != "" {
				c.functions[tool.Run.Value] = true
			}
		}
	}
	return c.functions[name]
}

func telling(words []string) string {
	if len(words) > 0 && slices.Contains(asking(), words[0]) {
		return ""
	}
	for i, word := range words {
		if slices.Contains(conferring(), word) {
			return word
		}
		if word == "sign" && i+1 < len(words) && words[i+1] == "off" {
			return "sign off"
		}
	}
	return ""
}

// camelWords splits ApprovePR into approve and pr.
func camelWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	for i := 1; i <= len(runes); i++ {
		switch {
		case i == len(runes):
		case unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]):
		case unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
		default:
			continue
		}
		words = append(words, strings.ToLower(string(runes[start:i])))
		start = i
	}
	return words
}

func values(texts []protocol.Text) []string {
	all := make([]string, 0, len(texts))
	for _, text := range texts {
		all = append(all, text.Value)
	}
	return all
}
