package schema

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// unknown reports a keyword that is none. Names of properties that stand where
// keywords belong are one mistake.
func (d *document) unknown(n *node, key protocol.Text, v *protocol.Value) {
	near := nearest(key.Value, d.words)
	switch {
	case near != "":
		d.reportf(Keyword, key.Span, "write "+near, "unknown keyword %q", key.Value)
	case strings.HasPrefix(key.Value, "x-"):
		d.reportf(Keyword, key.Span, "remove it; extensions would be advertised and enforced by nothing", "unknown keyword %q", key.Value)
	case isSchema(v):
		if n.astray > 0 {
			first := &d.diags[n.astray-1]
			first.Related = append(first.Related, diag.Related{Span: key.Span, Message: "so is this"})
			return
		}
		n.astray = len(d.diags) + 1
		d.reportf(Keyword, key.Span, fmt.Sprintf("if it is a property, write it under that keyword:\nproperties: {%s: %s}", yamlKey(key.Value), outline(v)),
			"unknown keyword %q", key.Value)
	default:
		d.reportf(Keyword, key.Span, "remove it", "unknown keyword %q", key.Value)
	}
}

// isSchema says whether a value looks like the schema of a property, or like
// the short form of one that other formats have.
func isSchema(v *protocol.Value) bool {
	if v.Kind == protocol.String {
		return typeName(v.Literal) || otherTypes()[strings.ToLower(v.Literal)] != ""
	}
	return v.Kind == protocol.Object && (v.Member("type") != nil || v.Member("$ref") != nil || v.Member("enum") != nil || v.Member("properties") != nil)
}

// outline is a schema in short: its type.
func outline(v *protocol.Value) string {
	kind := v
	if v.Kind == protocol.Object {
		kind = v.Member("type")
	}
	if kind == nil || kind.Kind != protocol.String {
		return "{…}"
	}
	if meant := meantType(kind.Literal); meant != "" && !typeName(kind.Literal) {
		return "{type: " + meant + "}"
	}
	if v.Kind == protocol.Object && len(v.Members) > 1 {
		return "{type: " + kind.Literal + ", …}"
	}
	return "{type: " + kind.Literal + "}"
}

// refusedHelp is about a keyword that is known and refused, with what the
// schema says beside it.
func (d *document) refusedHelp(word keyword, raw *protocol.Member, siblings *protocol.Value) string {
	switch key, v := raw.Key.Value, raw.Value; {
	case key == "nullable" && v.Literal == "false":
		return "remove it; null is refused unless type names it"
	case key == "nullable":
		if kind := siblings.Member("type"); kind != nil && typeName(kind.Literal) {
			return fmt.Sprintf("remove it, and write type: [%s, \"null\"]", kind.Literal)
		}
		return "remove it, and write anyOf: [{type: \"null\"}, …] around the schema"
	case key == "example" && v.Kind != protocol.Object && v.Kind != protocol.Array:
		return "write examples: [" + yamlValue(v) + "]"
	case key == "example":
		return "write examples, and the value as the one item of a list"
	}
	return word.help
}
