package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// refusedSchema describes the structured content of a refused call.
const refusedSchema = `{"type":"object","properties":{"code":{"type":"string"},"message":{"type":"string"},` +
	`"next":{"type":"string"},"retryable":{"type":"boolean"}},"required":["code","message","retryable"]}`

// advertised is the output schema that clients are told of: the declared one,
// or a refusal. The TypeScript SDK (seen in 1.32.2) holds the structured content
// of an error result against the output schema too, and hands its caller a
// protocol error in place of the refusal when it does not fit.
func advertised(declared string) (json.RawMessage, error) {
	decoder := json.NewDecoder(strings.NewReader(declared))
	decoder.UseNumber() // bounds keep their digits
	var schema map[string]any
	if err := decoder.Decode(&schema); err != nil {
		return nil, fmt.Errorf("read the output schema: %w", err)
	}
	return encode(map[string]any{
		"type": "object", "anyOf": []any{relocate(schema, "#/anyOf/0"), json.RawMessage(refusedSchema)},
	})
}

// encode writes a schema, with text as it is.
func encode(schema any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("write a schema: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// relocate points the local references of a schema to where it stands now.
// What enum, const and the like hold is data and stays.
func relocate(value any, to string) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = relocate(item, to)
		}
	case map[string]any:
		for key, item := range value {
			switch local, isText := item.(string); {
			case key == "$ref" && isText && strings.HasPrefix(local, "#"):
				value[key] = to + strings.TrimPrefix(local, "#")
			case key != "enum" && key != "const" && key != "default" && key != "examples":
				value[key] = relocate(item, to)
			}
		}
	}
	return value
}
