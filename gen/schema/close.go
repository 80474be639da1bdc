package schema

// A closing is how an object is closed in the text of its schema.
type closing uint8

const (
	asWritten closing = iota
	additional
	unevaluated
)

// A view is how a schema looks at a value.
type view uint8

const (
	own      view = iota // it alone says which keys there are
	shared               // other schemas look at the same value
	question             // it asks about a value and describes none
)

// closeObjects decides how each object is closed; see the package comment.
// Whether a definition is extended anywhere shows only once every reference has
// been seen, and a definition that stays open may extend others; so it runs
// until nothing changes.
func (d *document) closeObjects(root *node) {
	open := map[*node]view{}
	for changed := true; changed; {
		changed = false
		c := closer{open: open, seen: map[*node]bool{}, extend: func(n *node, v view) {
			if open[n] < v {
				open[n], changed = v, true
			}
		}}
		c.visit(root, own, false)
	}
	if open[root] != own {
		d.reportf(Unsupported, root.span, "move what is shared under $defs and refer to that", "the root of a schema cannot be extended by a schema in it")
	}
}

type closer struct {
	open   map[*node]view // definitions that must stay open
	seen   map[*node]bool
	extend func(*node, view)
}

// visit decides for n and everything in it. object says that n is one of
// several alternatives for an object, whatever it says of its type.
func (c *closer) visit(n *node, v view, object bool) {
	v = max(v, c.open[n])
	n.close = asWritten
	object = n.typed("object") || (object && len(n.types) == 0)
	alternatives := n.alternatives()
	if v == own && alternatives == nil {
		n.close = c.closing(n, object)
	}
	if n.target != nil {
		// A plain reference leaves the closing to its target.
		if v != own || n.extends() {
			c.extend(n.target, max(v, shared))
		}
	}
	for _, m := range n.members {
		below := own
		switch key := m.key.Value; {
		case v == question, key == "not", key == "if", key == "contains":
			below = question
		case m == alternatives:
			below = v
		case m.word.inPlace:
			below = shared
		}
		for _, s := range m.subs {
			c.visit(s.node, below, object && m == alternatives)
		}
	}
}

// closing says how an object that is its own is closed.
func (c *closer) closing(n *node, object bool) closing {
	if n.boolean != nil || n.has("additionalProperties", "unevaluatedProperties") {
		return asWritten
	}
	if len(n.inPlace()) == 0 {
		if object || (len(n.types) == 0 && n.has("properties", "patternProperties")) {
			return additional
		}
		return asWritten
	}
	if n.target != nil && !n.extends() {
		if c.open[n.target] == own {
			return asWritten
		}
		return unevaluated
	}
	if object || (len(n.types) == 0 && describesObject(n, map[*node]bool{})) {
		return unevaluated
	}
	return asWritten
}

// extends reports whether a schema with $ref says more about the value than
// its target does.
func (n *node) extends() bool {
	for _, m := range n.members {
		switch m.key.Value {
		case "$ref", "$defs", "definitions", "title", "description", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "type":
		default:
			return true
		}
	}
	return false
}

// alternatives returns the anyOf or oneOf that alone describes the objects of
// n, or nil.
func (n *node) alternatives() *member {
	if n.target != nil || n.has("properties", "patternProperties", "additionalProperties", "unevaluatedProperties") {
		return nil
	}
	var found *member
	for _, m := range n.members {
		switch key := m.key.Value; {
		case key == "anyOf" || key == "oneOf":
			if found != nil {
				return nil
			}
			found = m
		case key == "not": // asks, and describes nothing
		case m.word.inPlace:
			return nil
		}
	}
	return found
}

func describesObject(n *node, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if n.typed("object") || n.has("properties", "patternProperties") {
		return true
	}
	for _, m := range n.members {
		if key := m.key.Value; m.word.inPlace && key != "not" && key != "if" {
			for _, s := range m.subs {
				if describesObject(s.node, seen) {
					return true
				}
			}
		}
	}
	return n.target != nil && describesObject(n.target, seen)
}

// overlaps refuses compositions in which several schemas describe the keys of
// the same property as objects of their own: closed, nothing would satisfy
// them all.
func (d *document) overlaps(root *node) {
	root.each(func(n *node) {
		if len(n.inPlace()) > 0 && (n.parent == nil || !n.parentInPlace()) {
			d.gather(n)
		}
	})
}

func (n *node) parentInPlace() bool {
	for _, m := range n.parent.members {
		for _, s := range m.subs {
			if s.node == n {
				return m.word.inPlace
			}
		}
	}
	return false
}

type described map[string][]*node

// gather returns the properties that n and the schemas it is composed of
// describe. Alternatives of one anyOf or oneOf are not held against each other.
func (d *document) gather(n *node) described {
	all := described{}
	for _, s := range n.subs("properties") {
		all[s.name.Value] = append(all[s.name.Value], s.node)
	}
	if n.target != nil {
		d.join(all, d.gather(n.target))
	}
	for _, s := range n.subs("allOf") {
		d.join(all, d.gather(s.node))
	}
	for _, key := range []string{"anyOf", "oneOf", "dependentSchemas"} {
		together := described{}
		for _, s := range n.subs(key) {
			more := d.gather(s.node)
			d.clash(all, more)
			for name, nodes := range more {
				together[name] = append(together[name], nodes...)
			}
		}
		for name, nodes := range together {
			all[name] = append(all[name], nodes...)
		}
	}
	for _, key := range []string{"then", "else"} {
		if s := n.sub(key); s != nil {
			d.join(all, d.gather(s))
		}
	}
	return all
}

func (d *document) join(all, more described) {
	d.clash(all, more)
	for name, nodes := range more {
		all[name] = append(all[name], nodes...)
	}
}

func (d *document) clash(all, more described) {
	for name, nodes := range more {
		for _, b := range nodes {
			for _, a := range all[name] {
				if a != b && (a.close != asWritten || b.close != asWritten) && describesObject(a, map[*node]bool{}) && describesObject(b, map[*node]bool{}) {
					d.reportf(Contradiction, b.span, "describe it in one place, or say additionalProperties: true in both",
						"the keys of %q are described in several parts of one composition, and each is closed to the keys of the others", name)
				}
			}
		}
	}
}
