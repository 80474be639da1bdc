package schema

import (
	"strings"

	"github.com/gatewright/gatewright/gen/protocol"
)

// base follows what only passes on to another schema: a plain $ref, an allOf
// of one, and a choice between a schema and null.
func (n *node) base() *node {
	switch {
	case n.target != nil && !n.extends() && len(n.types) == 0:
		return n.target.base()
	case n.target != nil || len(n.types) > 0:
		return n
	}
	var through *member
	for _, m := range n.members {
		switch m.key.Value {
		case "title", "description", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$defs", "definitions":
		case "allOf", "anyOf", "oneOf":
			if through != nil {
				return n
			}
			through = m
		default:
			return n
		}
	}
	if through == nil {
		return n
	}
	if subs := through.subs; through.key.Value == "allOf" {
		if len(subs) == 1 {
			return subs[0].node.base()
		}
	} else if len(subs) == 2 {
		switch {
		case subs[0].node.isNull():
			return subs[1].node.base()
		case subs[1].node.isNull():
			return subs[0].node.base()
		}
	}
	return n
}

func (n *node) isNull() bool { return len(n.types) == 1 && n.types[0] == "null" }

// nullable reports whether null is among the values of n, as far as its Go type
// goes.
func (n *node) nullable() bool {
	if n.typed("null") {
		return true
	}
	if n.target != nil && !n.extends() && len(n.types) == 0 {
		return n.target.nullable()
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, s := range n.subs(key) {
			if n.base() != n && s.node.nullable() {
				return true
			}
		}
	}
	if m := n.member("enum"); m != nil && len(n.types) == 0 {
		for _, item := range m.value.Items {
			if item.Kind == protocol.Null {
				return true
			}
		}
	}
	return false
}

// only reports whether the types of n, null aside, are exactly these.
func (n *node) only(names ...string) bool {
	count := 0
	for _, t := range n.types {
		if t == "null" {
			continue
		}
		count++
		known := false
		for _, name := range names {
			known = known || name == t
		}
		if !known {
			return false
		}
	}
	return count == len(names)
}

func (n *node) constText() bool {
	m := n.member("const")
	return m != nil && m.value.Kind == protocol.String
}

// enumerates reports whether n is an enumeration of strings.
func (n *node) enumerates() bool {
	m := n.member("enum")
	if m == nil || n.target != nil || (len(n.types) > 0 && !n.only("string")) {
		return false
	}
	some := false
	for _, item := range m.value.Items {
		switch item.Kind {
		case protocol.String:
			some = true
		case protocol.Null:
		default:
			return false
		}
	}
	return some
}

// isStruct reports whether n is an object whose keys are all known, each of
// them fit for a struct tag.
func (n *node) isStruct() bool {
	if !n.only("object") || n.target != nil || n.has("patternProperties") {
		return false
	}
	if n.has("additionalProperties", "unevaluatedProperties") && !n.shut() {
		return false
	}
	known := map[string]bool{}
	for _, s := range n.subs("properties") {
		if !fitsTag(s.name.Value) {
			return false
		}
		known[s.name.Value] = true
	}
	for _, next := range n.inPlace() {
		if !next.within(known) {
			return false
		}
	}
	return true
}

// fitsTag reports whether every reader of struct tags takes a name for itself.
func fitsTag(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_$@./:+#~-", r) {
			return false
		}
	}
	return name != "" && name != "-"
}

// shut reports whether n itself says that it takes no other keys.
func (n *node) shut() bool {
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if s := n.sub(key); s != nil && s.boolean != nil && !*s.boolean {
			return true
		}
	}
	return false
}

// within reports whether n, and what it is composed of, describe no keys but
// the known ones.
func (n *node) within(known map[string]bool) bool {
	if n.has("patternProperties") {
		return false
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if s := n.sub(key); s != nil && (s.boolean == nil || *s.boolean) {
			return false
		}
	}
	for _, s := range n.subs("properties") {
		if !known[s.name.Value] {
			return false
		}
	}
	for _, next := range n.inPlace() {
		if !next.within(known) {
			return false
		}
	}
	return true
}

// mapsOrLists reports whether n is an array, or an object that is all
// additional properties.
func (n *node) mapsOrLists() bool {
	if n.only("array") {
		return !n.has("prefixItems")
	}
	if !n.only("object") || n.target != nil || n.has("properties", "patternProperties") || n.shut() {
		return false
	}
	if !n.has("additionalProperties", "unevaluatedProperties") {
		return false
	}
	for _, next := range n.inPlace() {
		if !next.within(nil) {
			return false
		}
	}
	return true
}
