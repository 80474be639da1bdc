package schema

import (
	"path"
	"strconv"

	"github.com/gatewright/gatewright/gen/protocol"
)

// Types returns the Go declarations for values of s, the root's first. The
// root is called name; names hands out all others. A root that has no Go type
// of its own is a map of raw values.
//
// Optional properties are pointers, or slices, maps and raw values that are nil
// where the property is absent; nullable ones are pointers; properties that are
// both are Nullable where that loses no strictness in decoding, and raw where
// it would.
func (s *Schema) Types(name string, names Namer) []*Decl {
	b := &builder{names: names, prefix: name, decls: map[*node]*Decl{}, referred: map[*node]bool{}}
	s.root.each(func(n *node) {
		if n.target != nil {
			b.referred[n.target.base()] = true
		}
	})
	root := &Decl{Name: name}
	b.add(s.root, root)
	if t := b.build(s.root, root); t.Kind != Named {
		root.Kind, root.Of = Defined, t
		if t.Kind == Raw {
			root.Of = &Type{Kind: Map, Elem: &Type{Kind: Raw}}
		}
	}
	return b.order
}

// A builder makes the declarations of one schema.
type builder struct {
	names    Namer
	prefix   string
	decls    map[*node]*Decl
	referred map[*node]bool // by some $ref
	order    []*Decl
}

func (b *builder) add(n *node, decl *Decl) {
	decl.Doc = n.doc()
	b.decls[n] = decl
	b.order = append(b.order, decl)
}

func (n *node) doc() string {
	if text := n.text("description"); text != "" {
		return text
	}
	return n.text("title")
}

// of returns the type of n where it is used; want is the name it takes if it
// needs a declaration.
func (b *builder) of(n *node, want string) *Type {
	if decl := b.decls[n]; decl != nil {
		return &Type{Kind: Named, Decl: decl}
	}
	if base := n.base(); base != n {
		if base.isDefinition() {
			want = b.prefix + label(Exported(unescape(path.Base(base.pointer))), "Definition")
		}
		return b.of(base, want)
	}
	switch {
	case n.enumerates():
		return b.enum(n, want)
	case n.isStruct():
		decl := &Decl{Name: b.names.Take(want)}
		b.add(n, decl)
		return b.build(n, decl)
	case b.referred[n] && n.mapsOrLists():
		// It may refer to itself, which only a declared type can.
		decl := &Decl{Name: b.names.Take(want), Kind: Defined}
		b.add(n, decl)
		decl.Of = b.build(n, decl)
		return &Type{Kind: Named, Decl: decl}
	}
	return b.build(n, &Decl{Name: want})
}

// build returns the type of n itself; a struct fills decl, which n owns then.
func (b *builder) build(n *node, decl *Decl) *Type {
	switch {
	case n.isStruct():
		decl.Kind = Struct
		b.fields(n, decl)
		return &Type{Kind: Named, Decl: decl}
	case n.only("string"), len(n.types) == 0 && n.constText():
		return &Type{Kind: Text}
	case n.only("integer"):
		return &Type{Kind: Int}
	case n.only("number"), n.only("integer", "number"):
		return &Type{Kind: Float}
	case n.only("boolean"):
		return &Type{Kind: Bool}
	case n.only("array") && !n.has("prefixItems"):
		return &Type{Kind: List, Elem: b.element(n.sub("items"), decl.Name+"Item")}
	case n.only("object") && n.mapsOrLists():
		extra := n.sub("additionalProperties")
		if extra == nil {
			extra = n.sub("unevaluatedProperties")
		}
		return &Type{Kind: Map, Elem: b.element(extra, decl.Name+"Value")}
	}
	return &Type{Kind: Raw}
}

// element is the type of an item or a map's value.
func (b *builder) element(n *node, want string) *Type {
	if n == nil {
		return &Type{Kind: Raw}
	}
	t := *b.of(n, want)
	t.Pointer = n.nullable() && t.Kind != Raw
	return &t
}

func (b *builder) fields(n *node, decl *Decl) {
	required := map[string]bool{}
	for _, name := range n.strings("required") {
		required[name.Value] = true
	}
	taken := map[string]bool{}
	for i, s := range n.subs("properties") {
		name := label(Exported(s.name.Value), "Field")
		if name == "Field" {
			name += strconv.Itoa(i + 1)
		}
		for base, number := name, 2; taken[name]; number++ {
			name = base + strconv.Itoa(number)
		}
		taken[name] = true
		f := Field{Name: name, JSON: s.name.Value, Doc: s.node.doc(), Optional: !required[s.name.Value]}
		f.Type = place(b.of(s.node, decl.Name+name), f.Optional, s.node.nullable())
		decl.Fields = append(decl.Fields, f)
	}
}

// place is the form a type takes in a field.
func place(t *Type, optional, nullable bool) *Type {
	at := *t
	switch {
	case at.Kind == Raw:
	case optional && nullable && at.plain():
		at.Maybe = true
	case optional && nullable:
		return &Type{Kind: Raw}
	case nullable:
		at.Pointer = true
	case optional:
		at.Pointer = !at.nilable()
	}
	return &at
}

// nilable reports whether nil is a value of t.
func (t *Type) nilable() bool {
	return t.Kind == Raw || t.Kind == List || t.Kind == Map || (t.Kind == Named && t.Decl.Kind == Defined)
}

// plain reports whether no object keys are decoded into t: the strictness of
// the outer decoder does not reach into a Nullable.
func (t *Type) plain() bool {
	switch t.Kind {
	case List, Map:
		return t.Elem.plain()
	case Named:
		return t.Decl.Kind == Enum
	default:
		return t.Kind != Raw
	}
}

func (b *builder) enum(n *node, want string) *Type {
	decl := &Decl{Kind: Enum, Name: b.names.Take(want)}
	b.add(n, decl)
	for i, item := range n.member("enum").value.Items {
		if item.Kind != protocol.String {
			continue
		}
		name := Exported(item.Literal)
		switch {
		case item.Literal == "":
			name = "Empty"
		case name == "":
			name = "Value" + strconv.Itoa(i+1)
		}
		decl.Values = append(decl.Values, Constant{Name: b.names.Take(decl.Name + name), Value: item.Literal})
	}
	return &Type{Kind: Named, Decl: decl}
}

// label makes a usable identifier of one that may be empty or start with a
// digit.
func label(name, otherwise string) string {
	if name == "" || (name[0] >= '0' && name[0] <= '9') {
		return otherwise + name
	}
	return name
}

func (n *node) isDefinition() bool {
	if n.parent == nil {
		return false
	}
	for _, s := range append(n.parent.subs("$defs"), n.parent.subs("definitions")...) {
		if s.node == n {
			return true
		}
	}
	return false
}
