package protocol

import (
	"bytes"
	"encoding/json"
)

// JSON is the value as JSON, compact and in source order, with numbers spelled
// as they are written.
func (v *Value) JSON() []byte {
	var out bytes.Buffer
	v.write(&out)
	return out.Bytes()
}

func (v *Value) write(out *bytes.Buffer) {
	switch v.Kind {
	case Null:
		out.WriteString("null")
	case Bool, Number:
		out.WriteString(v.Literal)
	case String:
		writeString(out, v.Literal)
	case Array:
		out.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.write(out)
		}
		out.WriteByte(']')
	case Object:
		out.WriteByte('{')
		for i, member := range v.Members {
			if i > 0 {
				out.WriteByte(',')
			}
			writeString(out, member.Key.Value)
			out.WriteByte(':')
			member.Value.write(out)
		}
		out.WriteByte('}')
	}
}

func writeString(out *bytes.Buffer, text string) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // neither a buffer nor a string can fail
	out.Truncate(out.Len() - 1)
}
