package schema

import (
	"bytes"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A Schema is the input, the plan or the output of a tool, read and accepted.
type Schema struct {
	root *node
	text string
}

// Text is the JSON that is advertised and validated against.
func (s *Schema) Text() string { return s.text }

// A Reader reads the schemas of one protocol, each once, so that rules and
// emission share the work. It is for one goroutine.
type Reader struct {
	words map[string]keyword
	known map[*protocol.Value]result
	empty *Schema
}

type result struct {
	schema *Schema
	diags  []diag.Diagnostic
}

// NewReader returns a reader that has read nothing.
func NewReader() *Reader {
	return &Reader{words: vocabulary(), known: map[*protocol.Value]result{}}
}

// Empty returns the schema of a tool without arguments: an object without
// properties.
func Empty() *Schema { return NewReader().Empty() }

// Empty is the function [Empty], done once.
func (r *Reader) Empty() *Schema {
	if r.empty == nil {
		r.empty, _ = r.read(&protocol.Value{Kind: protocol.Object})
	}
	return r.empty
}

// Read reads the schema of a tool's input, plan or output, whose root is an object.
// It returns everything that is wrong, and a nil Schema where anything is.
func Read(v *protocol.Value) (*Schema, []diag.Diagnostic) { return NewReader().Read(v) }

// Read is the function [Read], done once for each value.
func (r *Reader) Read(v *protocol.Value) (*Schema, []diag.Diagnostic) {
	known, ok := r.known[v]
	if !ok {
		known.schema, known.diags = r.read(v)
		r.known[v] = known
	}
	return known.schema, slices.Clone(known.diags)
}

func (r *Reader) read(v *protocol.Value) (*Schema, []diag.Diagnostic) {
	d := &document{words: r.words, nodes: map[string]*node{}}
	root := d.parse(v, nil, "", 1)
	d.root(root)
	d.link(root)
	root.each(d.meaning)
	if len(d.diags) > 0 {
		return nil, d.diags
	}
	if d.cycles() || !d.bounded() {
		return nil, d.diags
	}
	d.endless()
	d.closeObjects(root)
	d.overlaps(root)
	root.each(d.required)
	if len(d.diags) > 0 {
		return nil, d.diags
	}
	var out bytes.Buffer
	writeNode(&out, root)
	if !root.plain() {
		if err := usable(out.String()); err != nil {
			d.reportf(Unusable, v.Span, "", "%v", err)
			return nil, d.diags
		}
	}
	return &Schema{root: root, text: out.String()}, nil
}

// root holds that the root is an object, and implies its type.
func (d *document) root(n *node) {
	switch {
	case n.boolean != nil:
		d.reportf(Root, n.span, "write a mapping; {} takes no properties", "the root of a schema is an object")
	case len(n.types) == 0 && !n.has("type"):
		n.types = []string{"object"}
	case len(n.types) > 0 && (len(n.types) != 1 || n.types[0] != "object"):
		d.reportf(Root, n.typeSpan, "wrap the value in an object with one property", "the root of a schema is an object")
	}
	if m := n.member("$schema"); m != nil {
		switch m.value.Literal {
		case "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#":
		case "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema":
			d.draft07(n)
		default:
			d.reportf(Unsupported, m.value.Span, "remove it; schemas are read as JSON Schema 2020-12", "the dialect %q is not supported", m.value.Literal)
		}
	}
}

// draft07 refuses what draft-07 reads differently: it ignores whatever stands
// beside $ref.
func (d *document) draft07(root *node) {
	root.each(func(n *node) {
		if n != root && n.has("$ref") && (n.extends() || n.has("type")) {
			d.reportf(Unsupported, n.span, "put the $ref into allOf, or remove $schema", "draft-07 ignores what stands beside $ref")
		}
	})
}

// Check says everything that is wrong with the schemas and the record pointers
// of a tool.
func Check(tool *protocol.Tool) []diag.Diagnostic { return NewReader().Check(tool) }

// Check is the function [Check], reading each schema once.
func (r *Reader) Check(tool *protocol.Tool) []diag.Diagnostic {
	var all []diag.Diagnostic
	input := r.Empty()
	if tool.Input != nil {
		read, diags := r.Read(tool.Input)
		input, all = read, diags
	}
	for _, each := range []*protocol.Value{tool.Plan, tool.Output} {
		if each != nil {
			_, diags := r.Read(each)
			all = append(all, diags...)
		}
	}
	if input != nil {
		all = append(all, input.records(tool.Record)...)
	}
	return all
}
