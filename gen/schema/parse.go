package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A document is one schema being read: everything under one root.
type document struct {
	words map[string]keyword
	nodes map[string]*node // by pointer
	order []*node          // by pointer too, once all are known
	diags []diag.Diagnostic
}

// reportf adds an error. Notes and help may be empty.
func (d *document) reportf(rule string, at diag.Span, help, format string, args ...any) {
	d.diags = append(d.diags, diag.Diagnostic{Rule: rule, Level: diag.Error, Span: at, Help: help, Message: fmt.Sprintf(format, args...)})
}

// parse reads one schema and what is in it. It always returns a node.
func (d *document) parse(v *protocol.Value, parent *node, pointer string, depth int) *node {
	n := &node{span: v.Span, pointer: pointer, parent: parent}
	d.nodes[pointer] = n
	switch {
	case depth > maxDepth:
		d.reportf(Depth, v.Span, "move parts of it under $defs", "this schema is nested deeper than %d levels", maxDepth)
	case v.Kind == protocol.Bool:
		truth := v.Literal == "true"
		n.boolean = &truth
	case v.Kind != protocol.Object:
		d.reportf(Form, v.Span, schemaHelp(v), "a schema is a mapping, or true or false, not %s", describe(v.Kind))
	default:
		for i := range v.Members {
			if m := d.keyword(n, &v.Members[i], v, depth); m != nil {
				n.members = append(n.members, m)
			} else {
				n.broken = true
			}
		}
	}
	return n
}

// keyword reads one keyword of n; it returns nil for one that is refused.
func (d *document) keyword(n *node, raw *protocol.Member, siblings *protocol.Value, depth int) *member {
	key, v := raw.Key, raw.Value
	word, known := d.words[key.Value]
	switch {
	case !known:
		d.unknown(n, key, v)
		return nil
	case word.form == formRefused:
		d.reportf(word.rule, key.Span, d.refusedHelp(word, raw, siblings), "%s", refusal(word.rule, key.Value))
		return nil
	case key.Value == "items" && v.Kind == protocol.Array:
		d.reportf(Unsupported, v.Span, "use prefixItems, and items for what follows", "a list under items is draft-07 and would be ignored")
		return nil
	}
	m := &member{key: key, word: word, value: v}
	if !d.fits(n, m, depth) {
		return nil
	}
	return m
}

func refusal(rule, key string) string {
	switch rule {
	case Default:
		return "default is not applied, so a caller that relies on it would be misled"
	case Format:
		return key + " would be advertised and enforced by nothing"
	case Keyword:
		return fmt.Sprintf("%q is not a keyword of JSON Schema", key)
	}
	return key + " is not supported"
}

// fits checks the form of a keyword's value and reads the schemas in it.
func (d *document) fits(n *node, m *member, depth int) bool {
	v, key := m.value, m.key.Value
	below := func(v *protocol.Value, name protocol.Text, step string) {
		m.subs = append(m.subs, sub{name: name, node: d.parse(v, n, n.pointer+"/"+escape(key)+step, depth+1)})
	}
	switch m.word.form {
	case formAny:
		return true
	case formText:
		return d.want(m, v, protocol.String, "")
	case formBool:
		return d.want(m, v, protocol.Bool, "")
	case formNumber:
		help := ""
		if v.Kind == protocol.Bool {
			help = "a boolean here is draft-04; write the bound itself as a number"
		}
		return d.want(m, v, protocol.Number, help)
	case formCount:
		return d.want(m, v, protocol.Number, "") && d.count(m)
	case formType:
		return d.types(n, m)
	case formNames:
		help := ""
		if key == "required" && v.Kind == protocol.Bool {
			help = "list the names of required properties in the object that holds them: required: [name]"
		}
		return d.want(m, v, protocol.Array, help) && d.names(key, v)
	case formNameMap:
		if !d.want(m, v, protocol.Object, "") {
			return false
		}
		for _, entry := range v.Members {
			if entry.Value.Kind != protocol.Array || !d.names(key, entry.Value) {
				d.reportf(Form, entry.Value.Span, "write a list: "+yamlKey(entry.Key.Value)+": [name]", "%s takes a list of names for each property", key)
				return false
			}
		}
		return true
	case formValues:
		return d.want(m, v, protocol.Array, "") && (key != "enum" || d.filled(m, len(v.Items)))
	case formSchema:
		below(v, protocol.Text{}, "")
		return true
	case formSchemas:
		if !d.want(m, v, protocol.Array, "") || !d.filled(m, len(v.Items)) {
			return false
		}
		for i, item := range v.Items {
			below(item, protocol.Text{}, "/"+strconv.Itoa(i))
		}
		return true
	case formSchemaMap:
		if !d.want(m, v, protocol.Object, "") {
			return false
		}
		for _, entry := range v.Members {
			below(entry.Value, entry.Key, "/"+escape(entry.Key.Value))
		}
		return true
	default:
		return false
	}
}

func (d *document) want(m *member, v *protocol.Value, kind protocol.Kind, help string) bool {
	if v.Kind == kind {
		return true
	}
	if help == "" {
		help = formHelp(m.key.Value, m.word.form, v)
	}
	d.reportf(Form, v.Span, help, "%s takes %s, not %s", m.key.Value, describe(kind), describe(v.Kind))
	return false
}

func (d *document) filled(m *member, length int) bool {
	if length > 0 {
		return true
	}
	d.reportf(Form, m.value.Span, "write at least one entry, or remove "+m.key.Value, "%s takes at least one entry", m.key.Value)
	return false
}

// count checks a size. The validator takes plain digits, 32 bits of them.
func (d *document) count(m *member) bool {
	size, err := strconv.ParseInt(m.value.Literal, 10, 64)
	if err != nil || size < 0 || size > math.MaxInt32 {
		d.reportf(Form, m.value.Span, countHelp(m, err == nil && size < 0), "%s takes a whole number from 0 to %d, written in plain digits", m.key.Value, math.MaxInt32)
		return false
	}
	return true
}

func (d *document) names(key string, v *protocol.Value) bool {
	seen := map[string]bool{}
	for _, item := range v.Items {
		switch {
		case item.Kind != protocol.String:
			d.reportf(Form, item.Span, nameHelp(item), "%s takes names, not %s", key, describe(item.Kind))
			return false
		case seen[item.Literal]:
			d.reportf(Form, item.Span, "remove one", "%s lists %q twice", key, item.Literal)
			return false
		}
		seen[item.Literal] = true
	}
	return true
}

// types reads the keyword type. An unquoted null of YAML stands for "null":
// there is nothing else it could be.
func (d *document) types(n *node, m *member) bool {
	items := []*protocol.Value{m.value}
	if m.value.Kind == protocol.Array {
		items = m.value.Items
		if !d.filled(m, len(items)) {
			return false
		}
	}
	for _, item := range items {
		name := item.Literal
		if item.Kind == protocol.Null {
			name = "null"
		} else if item.Kind != protocol.String {
			d.reportf(Form, item.Span, "the types are "+strings.Join(typeNames(), ", "), "type takes names of types, not %s", describe(item.Kind))
			return false
		}
		if !typeName(name) {
			d.reportf(Form, item.Span, typeHelp(name), "unknown type %q", name)
			return false
		}
		if n.typed(name) {
			d.reportf(Form, item.Span, "remove one", "type lists %q twice", name)
			return false
		}
		n.types = append(n.types, name)
	}
	n.typeSpan = m.value.Span
	return true
}

func typeNames() []string {
	return []string{"object", "array", "string", "integer", "number", "boolean", "null"}
}

func typeName(name string) bool { return slices.Contains(typeNames(), name) }

func describe(kind protocol.Kind) string {
	switch kind {
	case protocol.Null:
		return "null"
	case protocol.Bool:
		return "a boolean"
	case protocol.Number:
		return "a number"
	case protocol.String:
		return "a string"
	case protocol.Array:
		return "a list"
	default:
		return "a mapping"
	}
}
