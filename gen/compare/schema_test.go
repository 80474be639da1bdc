package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func decoded(t require.TestingT, text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value))
	return value
}

func TestRelate(t *testing.T) {
	const both = looser | tighter
	for _, row := range []struct {
		before, after string
		want          difference
	}{
		{`{}`, `{}`, same},
		{`{}`, `true`, worded},
		{`{"title":"a"}`, `{"title":"b"}`, worded},
		{`false`, `{"type":"string"}`, looser},
		{`{"type":"string"}`, `false`, tighter},
		{`{"type":"string"}`, `{"type":["string","null"]}`, looser},
		{`{"type":"number"}`, `{"type":"integer"}`, tighter},
		{`{"type":"string"}`, `{"type":"integer"}`, both},
		{`{"enum":[1,2]}`, `{"enum":[2,1]}`, worded},
		{`{"enum":[1]}`, `{"const":1.0}`, worded},
		{`{"enum":[1]}`, `{"enum":[1,"1"]}`, looser},
		{`{"enum":[{"a":1}]}`, `{"const":{"a":2}}`, both},
		{`{"const":1}`, `{}`, looser},
		{`{"required":["a"]}`, `{"required":["a","b"]}`, tighter},
		{`{"required":["a"]}`, `{}`, looser},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, looser},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{},"b":{}},"required":["b"],"additionalProperties":false}`, both},
		{`{"properties":{"a":{}}}`, `{"properties":{"a":{},"b":{"type":"string"}}}`, tighter},
		{`{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"string"},"properties":{"a":{}}}`, looser},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{}}}`, looser},
		{`{"patternProperties":{"^a":{}}}`, `{"patternProperties":{"^b":{}}}`, unclear},
		{`{"minimum":9007199254740993}`, `{"minimum":9007199254740992}`, looser},
		{`{"maximum":1}`, `{"maximum":1.0}`, worded},
		{`{"maxLength":3}`, `{"maxLength":2}`, tighter},
		{`{"multipleOf":2}`, `{"multipleOf":6}`, tighter},
		{`{"multipleOf":6}`, `{"multipleOf":4}`, unclear},
		{`{"pattern":"a"}`, `{}`, looser},
		{`{"pattern":"a"}`, `{"pattern":"b"}`, unclear},
		{`{"items":{"type":"string"}}`, `{"prefixItems":[{}],"items":{"type":"string"}}`, looser},
		{`{"uniqueItems":true}`, `{"uniqueItems":false}`, looser},
		{`{"contains":{}}`, `{"contains":{},"minContains":2}`, unclear},
		{`{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, looser},
		{`{"allOf":[{"minimum":1}]}`, `{"allOf":[{"minimum":1},{"maximum":2}]}`, tighter},
		{`{"oneOf":[{"minimum":1}]}`, `{"oneOf":[{"minimum":0}]}`, looser | unclear},
		{`{"not":{"minimum":1}}`, `{"not":{"minimum":0}}`, tighter},
		{`{"if":{"minimum":1},"then":{"maximum":5}}`, `{"if":{"minimum":1},"then":{"maximum":6}}`, looser},
		{`{"if":{"minimum":1},"then":{"maximum":5}}`, `{"if":{"minimum":0},"then":{"maximum":5}}`, looser | unclear},
		{`{"then":{"maximum":5}}`, `{}`, worded},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"minimum":1}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"minimum":0}}}`, looser | unclear},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"title":"1"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"title":"2"},"b":{}}}`, worded},
		{`{"properties":{"a":{"minimum":1},"b":{"not":{"$ref":"#/properties/a"}}}}`, `{"properties":{"a":{"minimum":0},"b":{"not":{"$ref":"#/properties/a"}}}}`, looser | unclear},
		{`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"allOf":[{"properties":{"a":{},"b":{"type":"string"}}}],"unevaluatedProperties":false}`, tighter | unclear},
		{`{"surprise":1}`, `{"surprise":2}`, unclear},
		{`{"maximum":1e999999999}`, `{"maximum":1e999999998}`, unclear},
	} {
		got := relate(decoded(t, row.before), decoded(t, row.after))
		require.Equal(t, row.want, got, "%s to %s", row.before, row.after)
		back := relate(decoded(t, row.after), decoded(t, row.before))
		require.Equal(t, row.want.turned(), back, "%s to %s", row.after, row.before)
	}
}

// drawSchema draws a schema over the values that drawValue draws.
func drawSchema(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	some := func(key string, value func() any) {
		if rapid.IntRange(0, 5).Draw(t, key) == 0 {
			out[key] = value()
		}
	}
	small := func() any { return json.Number(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "n"))) }
	some("type", func() any {
		return rapid.SampledFrom([]any{"object", "string", "integer", "number", "array", []any{"integer", "null"}, []any{"string", "object"}}).Draw(t, "type")
	})
	some("enum", func() any {
		return rapid.SampledFrom([]any{[]any{"a"}, []any{"a", json.Number("1")}, []any{json.Number("1.0"), json.Number("2")}, []any{nil}}).Draw(t, "enum")
	})
	some("const", func() any { return rapid.SampledFrom([]any{"a", json.Number("1"), json.Number("2")}).Draw(t, "const") })
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		some(key, small)
	}
	some("multipleOf", func() any { return json.Number(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "n"))) })
	some("pattern", func() any { return rapid.SampledFrom([]any{"^a", "b"}).Draw(t, "pattern") })
	some("uniqueItems", func() any { return rapid.Bool().Draw(t, "unique") })
	some("required", func() any {
		return rapid.SampledFrom([]any{[]any{"a"}, []any{"b"}, []any{"a", "b"}}).Draw(t, "required")
	})
	some("dependentRequired", func() any {
		return rapid.SampledFrom([]any{map[string]any{"a": []any{"b"}}, map[string]any{"b": []any{"a"}}}).Draw(t, "dependent")
	})
	if depth == 0 {
		return out
	}
	deep := func() any {
		if n := rapid.IntRange(0, 9).Draw(t, "boolean"); n < 2 {
			return n == 0
		}
		return drawSchema(t, depth-1)
	}
	for _, key := range []string{"not", "if", "then", "else", "items", "additionalProperties", "propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems"} {
		some(key, deep)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		some(key, func() any {
			var parts []any
			for range rapid.IntRange(1, 2).Draw(t, "parts") {
				parts = append(parts, deep())
			}
			return parts
		})
	}
	for _, key := range []string{"properties", "patternProperties", "dependentSchemas"} {
		some(key, func() any {
			members := map[string]any{}
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 1, 2, rapid.ID[string]).Draw(t, "names") {
				members[name] = deep()
			}
			return members
		})
	}
	return out
}

// change draws a schema near another: a few of its parts drawn anew.
func change(t *rapid.T, of map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range of {
		switch rapid.IntRange(0, 4).Draw(t, "fate") {
		case 0:
		case 1:
			if inner, ok := value.(map[string]any); ok && key != "properties" && key != "patternProperties" && key != "dependentSchemas" && key != "dependentRequired" {
				out[key] = change(t, inner)
				continue
			}
			out[key] = value
		default:
			out[key] = value
		}
	}
	if rapid.Bool().Draw(t, "more") {
		maps.Copy(out, drawSchema(t, 1))
	}
	return out
}

func drawValue(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"", "a", "b", "ab", "abb"}).Draw(t, "text")
	case 1:
		return float64(rapid.IntRange(-1, 6).Draw(t, "number"))
	case 2:
		return rapid.SampledFrom([]any{nil, true, 1.5}).Draw(t, "other")
	case 3:
		return rapid.SampledFrom([]any{map[string]any{}, []any{}}).Draw(t, "empty")
	case 4:
		var list []any
		for range rapid.IntRange(1, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "ab"}), 1, 3, rapid.ID[string]).Draw(t, "names") {
		object[name] = drawValue(t, depth-1)
	}
	return object
}

func resolve(t *rapid.T, value any) *jsonschema.Resolved {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var read jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &read))
	resolved, err := read.Resolve(nil)
	require.NoError(t, err, "%s", text)
	return resolved
}

// What is said never to take more takes no value that was refused, as the
// validator of running servers sees it; and what is said only to take more
// refuses none that was taken.
func TestWhatIsSaidOfSchemasHoldsForValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawSchema(t, 2)
		after := change(t, before)
		d := relate(before, after).semantic()
		if d&unclear != 0 || d == looser|tighter {
			return
		}
		was, is := resolve(t, before), resolve(t, after)
		for range 20 {
			value := drawValue(t, 2)
			took, takes := was.Validate(value) == nil, is.Validate(value) == nil
			require.False(t, d&looser == 0 && takes && !took, "%v now takes %v", d, value)
			require.False(t, d&tighter == 0 && took && !takes, "%v now refuses %v", d, value)
		}
	})
}
