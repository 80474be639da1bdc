package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gatewright/gatewright/gen/protocol"
)

// writeNode appends the schema as compact JSON in source order. $schema and
// $comment are left out: the dialect is always 2020-12, which MCP implies, and
// comments are not for clients.
func writeNode(out *bytes.Buffer, n *node) {
	if n.boolean != nil {
		fmt.Fprintf(out, "%t", *n.boolean)
		return
	}
	out.WriteByte('{')
	comma := ""
	key := func(name string) {
		out.WriteString(comma)
		comma = ","
		writeString(out, name)
		out.WriteByte(':')
	}
	if len(n.types) > 0 && !n.has("type") {
		key("type")
		writeTypes(out, n.types, false)
	}
	for _, m := range n.members {
		if m.key.Value == "$schema" || m.key.Value == "$comment" {
			continue
		}
		key(m.key.Value)
		writeMember(out, n, m)
	}
	switch n.close {
	case additional:
		key("additionalProperties")
		out.WriteString("false")
	case unevaluated:
		key("unevaluatedProperties")
		out.WriteString("false")
	case asWritten:
	}
	out.WriteByte('}')
}

func writeMember(out *bytes.Buffer, n *node, m *member) {
	comma := ""
	switch m.word.form {
	case formType:
		writeTypes(out, n.types, m.value.Kind == protocol.Array)
	case formSchema:
		writeNode(out, m.subs[0].node)
	case formSchemas:
		out.WriteByte('[')
		for _, s := range m.subs {
			out.WriteString(comma)
			comma = ","
			writeNode(out, s.node)
		}
		out.WriteByte(']')
	case formSchemaMap:
		out.WriteByte('{')
		for _, s := range m.subs {
			out.WriteString(comma)
			comma = ","
			writeString(out, s.name.Value)
			out.WriteByte(':')
			writeNode(out, s.node)
		}
		out.WriteByte('}')
	default:
		writeValue(out, m.value)
	}
}

func writeTypes(out *bytes.Buffer, types []string, list bool) {
	if !list {
		writeString(out, types[0])
		return
	}
	out.WriteByte('[')
	for i, name := range types {
		if i > 0 {
			out.WriteByte(',')
		}
		writeString(out, name)
	}
	out.WriteByte(']')
}

func writeValue(out *bytes.Buffer, v *protocol.Value) {
	comma := ""
	switch v.Kind {
	case protocol.Null:
		out.WriteString("null")
	case protocol.Bool, protocol.Number:
		out.WriteString(v.Literal)
	case protocol.String:
		writeString(out, v.Literal)
	case protocol.Array:
		out.WriteByte('[')
		for _, item := range v.Items {
			out.WriteString(comma)
			comma = ","
			writeValue(out, item)
		}
		out.WriteByte(']')
	case protocol.Object:
		out.WriteByte('{')
		for _, m := range v.Members {
			out.WriteString(comma)
			comma = ","
			writeString(out, m.Key.Value)
			out.WriteByte(':')
			writeValue(out, m.Value)
		}
		out.WriteByte('}')
	}
}

// writeString writes a JSON string. Encoding a string cannot fail.
func writeString(out *bytes.Buffer, s string) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) == nil {
		out.Truncate(out.Len() - 1) // the newline
	}
}

// usable has the validator of run time accept the text; a panic of its is a
// refusal like any other.
func usable(text string) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the validator failed on it: %v", cause)
		}
	}()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("the validator does not read it: %w", err)
	}
	if _, err := s.Resolve(nil); err != nil {
		return fmt.Errorf("the validator does not take it: %w", err)
	}
	return nil
}
