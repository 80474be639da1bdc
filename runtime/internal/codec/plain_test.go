package codec

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPlainSchemas holds that the library accepts what the plain form of a
// schema accepts.
func FuzzPlainSchemas(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":0}},"additionalProperties":false}`, `{"a":1}`},
		{`{"type":["string","null"],"enum":["a"]}`, `null`}, {`{"type":"integer"}`, `1.0`}, {`{"type":"number"}`, `1e400`}, {`{"maximum":9007199254740992}`, `9007199254740993`},
		{`{"$defs":{"t":{"type":"object","properties":{"n":{"$ref":"#/$defs/t"}}}},"$ref":"#/$defs/t"}`, `{"n":{"n":{}}}`},
		{`{"items":{"pattern":"^a"}}`, `["a"]`}, {`{"$ref":"#"}`, `1`}, {`{"$defs":{"a~1b":{},"a/b":{"type":"null"}},"$ref":"#/$defs/a~1b"}`, `1`}, {`{"items":[{"type":"string"}]}`, `[1]`}, {`{"enum":[]}`, `1`}, {`{"not":{}}`, `1`}, {`{"required":["a"],"maxProperties":1}`, `{"a":1}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":{"type":"string"}}`, `{"a":""}`}, {`false`, `1`}, {`{"properties":{"a":false}}`, `{"a":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, value string) { agree(t, text, value) })
}

// agree reports whether the plain form accepts the value; then the library has
// to.
func agree(t *testing.T, text, value string) bool {
	s, err := resolve(text)
	if err != nil || s.plain == nil {
		return false
	}
	tree, err := read([]byte(value))
	if err != nil || !s.plain.accepts(tree) {
		return false
	}
	require.NoError(t, s.resolved.Validate(tree), "%s\n%s", text, value)
	return true
}

// Schemas and values out of a few words meet often enough to tell.
func TestPlainSchemasAgreeWithTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const count = 30_000
	accepted := 0
	for range count {
		text, err := json.Marshal(someSchema(random, 2))
		require.NoError(t, err)
		value, err := json.Marshal(someValue(random, 2))
		require.NoError(t, err)
		if agree(t, string(text), string(value)) {
			accepted++
		}
	}
	require.Greater(t, accepted, count/20)
}

func someSchema(random *rand.Rand, depth int) any {
	if random.IntN(12) == 0 {
		return random.IntN(2) == 0
	}
	at := map[string]any{}
	keywords := map[string]func() any{
		"type":      func() any { return pick(random, "object", "array", "string", "integer", "number", "boolean", "null") },
		"enum":      func() any { return []any{pick(random, "a", "b"), pick[any](random, "a", 1, nil)} },
		"required":  func() any { return []string{pick(random, "a", "b")} },
		"minLength": func() any { return random.IntN(3) }, "maxLength": func() any { return random.IntN(3) }, "pattern": func() any { return pick(random, "^a$", "b") },
		"minimum": func() any { return pick(random, -1, 0.5, 2) }, "maximum": func() any { return pick(random, -1, 0.5, 2) },
		"exclusiveMinimum": func() any { return pick(random, -1, 0.5, 2) }, "exclusiveMaximum": func() any { return pick(random, -1, 0.5, 2) },
		"minItems": func() any { return random.IntN(3) }, "maxItems": func() any { return random.IntN(3) },
		"minProperties": func() any { return random.IntN(3) }, "maxProperties": func() any { return random.IntN(3) },
		"uniqueItems": func() any { return true }, "const": func() any { return pick[any](random, "a", 1, nil) }, "multipleOf": func() any { return 2 },
		"description": func() any { return "words" }, "format": func() any { return "date" }, "$ref": func() any { return "#" },
	}
	if depth > 0 {
		for _, key := range []string{"additionalProperties", "items", "not", "unevaluatedProperties", "contains", "if", "propertyNames"} {
			keywords[key] = func() any { return someSchema(random, depth-1) }
		}
		keywords["properties"] = func() any {
			return map[string]any{"a": someSchema(random, depth-1), "b": someSchema(random, depth-1)}
		}
		keywords["anyOf"] = func() any { return []any{someSchema(random, depth-1), someSchema(random, depth-1)} }
	}
	for _, key := range slices.Sorted(maps.Keys(keywords)) {
		rare := 14
		switch key {
		case "type", "properties":
			rare = 3
		case "items":
			rare = 6
		}
		if random.IntN(rare) == 0 {
			at[key] = keywords[key]()
		}
	}
	return at
}

func someValue(random *rand.Rand, depth int) any {
	switch kind := random.IntN(8); {
	case kind == 0 && depth > 0:
		items := []any{}
		for range random.IntN(3) {
			items = append(items, someValue(random, depth-1))
		}
		return items
	case kind < 4 && depth > 0:
		members := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if random.IntN(2) == 0 {
				members[name] = someValue(random, depth-1)
			}
		}
		return members
	}
	return pick[any](random, nil, true, "", "a", "b", "ab", 0, 1, 2, -1, 0.5, 2.5, json.Number("1.0"), json.Number("9007199254740993"))
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func BenchmarkCheck(b *testing.B) {
	const text = `{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":0},"words":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`
	s, err := resolve(text)
	require.NoError(b, err)
	require.NotNil(b, s.plain)
	tree, err := read([]byte(`{"path":"docs/design.md","line":42,"words":["gate","permit"]}`))
	require.NoError(b, err)
	for _, way := range []struct {
		name  string
		plain *plain
	}{{"plain", s.plain}, {"library", nil}} {
		b.Run(fmt.Sprintf("by=%s", way.name), func(b *testing.B) {
			asked := &schema{root: s.root, resolved: s.resolved, plain: way.plain}
			for b.Loop() {
				require.NoError(b, asked.check(tree))
			}
		})
	}
}
