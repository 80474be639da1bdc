package schema

import (
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// records holds that each pointer can lead somewhere in a value of s.
func (s *Schema) records(pointers []protocol.Text) []diag.Diagnostic {
	d := &document{}
	seen := map[string]bool{}
	for _, p := range pointers {
		switch {
		case !strings.HasPrefix(p.Value, "/"):
			d.reportf(Record, p.Span, "write "+strconv.Quote("/"+p.Value), "a record pointer starts with /")
			continue
		case seen[p.Value]:
			d.reportf(Record, p.Span, "remove one", "%q is recorded twice", p.Value)
			continue
		}
		seen[p.Value] = true
		at := []*node{s.root}
		for segment := range strings.SplitSeq(p.Value[1:], "/") {
			var next []*node
			names := map[string]bool{}
			for _, n := range at {
				next = append(next, n.step(unescape(segment), names, map[*node]bool{})...)
			}
			if at = next; len(at) == 0 {
				help := recordHelp(p.Value, segment, names)
				d.reportf(Record, p.Span, help, "%q leads nowhere in the input: there is no %q", p.Value, unescape(segment))
				break
			}
		}
	}
	return d.diags
}

// step returns the schemas of what is under one segment of a pointer, and adds
// the names it could have been.
func (n *node) step(segment string, names map[string]bool, seen map[*node]bool) []*node {
	if seen[n] {
		return nil
	}
	seen[n] = true
	var found []*node
	for _, s := range n.subs("properties") {
		names[s.name.Value] = true
		if s.name.Value == segment {
			found = append(found, s.node)
		}
	}
	if len(found) == 0 {
		for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
			if s := n.sub(key); s != nil && (s.boolean == nil || *s.boolean) {
				found = append(found, s)
			}
		}
		for _, s := range n.subs("patternProperties") {
			found = append(found, s.node)
		}
	}
	if index, err := strconv.Atoi(segment); err == nil && index >= 0 && strconv.Itoa(index) == segment {
		if prefix := n.subs("prefixItems"); index < len(prefix) {
			found = append(found, prefix[index].node)
		} else if s := n.sub("items"); s != nil {
			found = append(found, s)
		}
	}
	for _, m := range n.members {
		if key := m.key.Value; m.word.inPlace && key != "not" && key != "if" {
			for _, s := range m.subs {
				found = append(found, s.node.step(segment, names, seen)...)
			}
		}
	}
	if n.target != nil {
		found = append(found, n.target.step(segment, names, seen)...)
	}
	if n.free() {
		found = append(found, n)
	}
	return found
}

// free reports whether n says nothing at all about its value.
func (n *node) free() bool {
	return (n.boolean != nil && *n.boolean) || (n.boolean == nil && len(n.types) == 0 && !n.constrains())
}

func (n *node) constrains() bool {
	for _, m := range n.members {
		switch m.key.Value {
		case "title", "description", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$defs", "definitions":
		default:
			return true
		}
	}
	return false
}
