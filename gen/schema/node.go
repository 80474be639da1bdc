package schema

import (
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// maxDepth bounds how deep schemas are nested.
const maxDepth = 64

// A node is one schema within a document.
type node struct {
	span     diag.Span
	pointer  string // from the root
	parent   *node
	boolean  *bool // of the schemas true and false
	types    []string
	typeSpan diag.Span
	members  []*member
	broken   bool  // some keyword was refused
	astray   int   // number of the finding on keywords that are properties, most likely; 0 where there is none
	target   *node // of $ref
	close    closing
}

// A member is one keyword of a node.
type member struct {
	key   protocol.Text
	word  keyword
	value *protocol.Value
	subs  []sub
}

// A sub is a schema under a keyword; name is its key or empty.
type sub struct {
	name protocol.Text
	node *node
}

func (n *node) member(key string) *member {
	for _, m := range n.members {
		if m.key.Value == key {
			return m
		}
	}
	return nil
}

func (n *node) has(keys ...string) bool {
	for _, key := range keys {
		if n.member(key) != nil {
			return true
		}
	}
	return false
}

// sub returns the one schema under key, or nil.
func (n *node) sub(key string) *node {
	if m := n.member(key); m != nil && len(m.subs) == 1 {
		return m.subs[0].node
	}
	return nil
}

// subs returns the schemas under key.
func (n *node) subs(key string) []sub {
	if m := n.member(key); m != nil {
		return m.subs
	}
	return nil
}

// property returns the schema that n itself declares for a property.
func (n *node) property(name string) *node {
	for _, s := range n.subs("properties") {
		if s.name.Value == name {
			return s.node
		}
	}
	return nil
}

func (n *node) text(key string) string {
	if m := n.member(key); m != nil && m.value.Kind == protocol.String {
		return m.value.Literal
	}
	return ""
}

// strings returns the strings of a list.
func (n *node) strings(key string) []protocol.Text {
	m := n.member(key)
	if m == nil {
		return nil
	}
	return texts(m.value)
}

func texts(v *protocol.Value) []protocol.Text {
	var all []protocol.Text
	for _, item := range v.Items {
		if item.Kind == protocol.String {
			all = append(all, protocol.Text{Value: item.Literal, Span: item.Span})
		}
	}
	return all
}

func (n *node) typed(name string) bool { return slices.Contains(n.types, name) }

// inPlace returns the schemas that look at the same value as n.
func (n *node) inPlace() []*node {
	var all []*node
	for _, m := range n.members {
		if m.word.inPlace {
			for _, s := range m.subs {
				all = append(all, s.node)
			}
		}
	}
	if n.target != nil {
		all = append(all, n.target)
	}
	return all
}

// each calls f for n and every schema in it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, m := range n.members {
		for _, s := range m.subs {
			s.node.each(f)
		}
	}
}

func escape(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~", "~0"), "/", "~1")
}

func unescape(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}
