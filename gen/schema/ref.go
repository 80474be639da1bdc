package schema

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// link finds the schema that each $ref means.
func (d *document) link(root *node) {
	root.each(func(n *node) {
		m := n.member("$ref")
		if m == nil {
			return
		}
		ref := m.value.Literal
		target, help := d.find(ref)
		if target == nil {
			d.reportf(Ref, m.value.Span, help, "$ref %q does not lead to a schema of this document", ref)
			return
		}
		n.target = target
	})
}

func (d *document) find(ref string) (*node, string) {
	const local = "put the schema under $defs and refer to it with $ref: \"#/$defs/name\""
	if !strings.HasPrefix(ref, "#") {
		return nil, "nothing is fetched; " + local
	}
	parsed, err := url.Parse(ref)
	if err != nil {
		return nil, local
	}
	if parsed.Fragment != "" && !strings.HasPrefix(parsed.Fragment, "/") {
		return nil, local
	}
	if found := d.nodes[parsed.Fragment]; found != nil {
		return found, ""
	}
	if near := nearest(parsed.Fragment, d.nodes); near != "" {
		return nil, "write $ref: \"#" + near + "\""
	}
	return nil, local
}

// cycles refuses schemas that come back to themselves without consuming input:
// a validator would never end on them. It reports whether there are any.
func (d *document) cycles() bool {
	const running, done = 1, 2
	state, found := map[*node]int{}, false
	var visit func(*node)
	visit = func(n *node) {
		state[n] = running
		for _, next := range n.inPlace() {
			switch state[next] {
			case 0:
				visit(next)
			case running:
				found = true
				at := n.span
				if m := n.member("$ref"); m != nil && n.target == next {
					at = m.value.Span
				}
				d.reportf(Cycle, at, "put the recursion under properties, items or additionalProperties",
					"this schema refers back to itself without consuming any input, so it can never be decided")
			}
		}
		state[n] = done
	}
	for _, n := range d.inOrder() {
		if state[n] == 0 {
			visit(n)
		}
	}
	return found
}

// inOrder returns every schema, by pointer. None is added once they are read.
func (d *document) inOrder() []*node {
	if d.order == nil {
		for _, pointer := range slices.Sorted(maps.Keys(d.nodes)) {
			d.order = append(d.order, d.nodes[pointer])
		}
	}
	return d.order
}

// endless refuses schemas that only an infinite value satisfies: an object that
// requires itself.
func (d *document) endless() {
	const running, done = 1, 2
	state := map[*node]int{}
	var visit func(*node)
	visit = func(n *node) {
		state[n] = running
		for _, next := range n.needs() {
			switch state[next] {
			case 0:
				visit(next)
			case running:
				d.reportf(Cycle, n.span, "make a property on the way optional, or put an array or a map in between",
					"only a value without end satisfies this schema: it requires itself")
			}
		}
		state[n] = done
	}
	for _, n := range d.inOrder() {
		if state[n] == 0 {
			visit(n)
		}
	}
}

// needs returns the schemas that every value of n has a value for.
func (n *node) needs() []*node {
	var all []*node
	if n.target != nil {
		all = append(all, n.target)
	}
	for _, s := range n.subs("allOf") {
		all = append(all, s.node)
	}
	if len(n.types) != 1 || n.types[0] != "object" {
		return all
	}
	for _, name := range n.strings("required") {
		if p := n.property(name.Value); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// maxWork bounds how many schemas a validator may have to hold against one
// value.
const maxWork = 1_000

// bounded refuses compositions that fan out beyond measure, which would keep
// the validator, and this package, at work for ever. It reports whether there
// are any.
func (d *document) bounded() bool {
	work := map[*node]int{}
	var count func(*node) int
	count = func(n *node) int {
		if sum, known := work[n]; known {
			return sum
		}
		sum := 1
		for _, next := range n.inPlace() {
			sum = min(sum+count(next), maxWork+1)
		}
		work[n] = sum
		return sum
	}
	for _, n := range d.inOrder() {
		if count(n) > maxWork {
			d.reportf(Depth, n.span, "refer to each part once", "this schema is composed of more than %d others", maxWork)
			return false
		}
	}
	return true
}
