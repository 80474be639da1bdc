package schema_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// FuzzRead holds, for any input schema: reading it never panics; one that is
// accepted is taken by the validator of run time; and every value that the
// validator accepts survives its Go type unchanged, or is refused by it.
func FuzzRead(f *testing.F) {
	for _, body := range seeds(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		p, _ := protocol.Load("p.yaml", []byte(frame+"    "+strings.ReplaceAll(body, "\n", "\n    ")+"\n"))
		if p == nil || len(p.Tools) == 0 || p.Tools[0].Input == nil {
			return
		}
		schema.Check(p.Tools[0])
		read, found := schema.Read(p.Tools[0].Input)
		if read == nil {
			require.NotEmpty(t, found)
			return
		}
		roundTrip(t, read, body)
	})
}

func seeds(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"testdata/*.txtar", "../emit/testdata/types.txtar"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			for _, in := range archive.Files {
				switch {
				case in.Name == "protocol.yaml":
					_, body, _ := strings.Cut(string(in.Data), "  all:\n")
					body, _, _ = strings.Cut(body, "\n    output:")
					all = append(all, strings.ReplaceAll(strings.TrimPrefix(body, "    "), "\n    ", "\n"))
				case strings.HasSuffix(in.Name, ".yaml"):
					all = append(all, strings.TrimSpace(string(in.Data)))
				}
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}

type anyName struct{ taken map[string]bool }

func (a anyName) Take(want string) string {
	for name, i := want, 2; ; i++ {
		if !a.taken[name] {
			a.taken[name] = true
			return name
		}
		name = fmt.Sprint(want, i)
	}
}

// roundTrip makes values that the schema accepts, and sends them through the
// Go type and back.
func roundTrip(t *testing.T, read *schema.Schema, seed string) {
	t.Helper()
	var parsed jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(read.Text()), &parsed), read.Text())
	resolved, err := parsed.Resolve(nil)
	require.NoError(t, err, read.Text())
	decls := read.Types("Root", anyName{map[string]bool{"Root": true}})
	goType := reflectDecl(decls[0], map[*schema.Decl]bool{})

	sum := fnv.New64a()
	sum.Write([]byte(seed))
	random := rand.New(rand.NewPCG(sum.Sum64(), 1))
	var document any
	require.NoError(t, json.Unmarshal([]byte(read.Text()), &document))
	maker := maker{random: random, root: document}
	for range 30 {
		value := maker.value(document, 0)
		if resolved.Validate(value) != nil {
			continue
		}
		sent, err := json.Marshal(value)
		require.NoError(t, err)
		holder := reflect.New(goType)
		if err := jsonv2.Unmarshal(sent, holder.Interface(), jsonv2.RejectUnknownMembers(true)); err != nil {
			// Numbers that the type cannot hold are refused; nothing else may be.
			require.Regexp(t, "cannot parse|range|int64|float64", err.Error(), "%s\n%s", read.Text(), sent)
			continue
		}
		back, err := jsonv2.Marshal(holder.Interface())
		require.NoError(t, err)
		require.Equal(t, canonical(t, sent), canonical(t, back), read.Text())
	}
}

func canonical(t *testing.T, data []byte) string {
	t.Helper()
	value := jsontext.Value(append([]byte(nil), data...))
	require.NoError(t, value.Canonicalize(jsontext.CanonicalizeRawInts(false)))
	return string(value)
}

// reflectDecl builds the Go type of a declaration at run time. reflect has no
// recursive types, so a declaration within itself is raw there.
func reflectDecl(decl *schema.Decl, inside map[*schema.Decl]bool) reflect.Type {
	if inside[decl] {
		return reflect.TypeFor[json.RawMessage]()
	}
	inside[decl] = true
	defer delete(inside, decl)
	switch decl.Kind {
	case schema.Enum:
		return reflect.TypeFor[string]()
	case schema.Defined:
		return reflectType(decl.Of, inside)
	}
	var fields []reflect.StructField
	for _, f := range decl.Fields {
		tag := f.JSON
		if f.Optional {
			tag += ",omitzero"
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: reflectType(f.Type, inside), Tag: reflect.StructTag(fmt.Sprintf("json:%q", tag))})
	}
	return reflect.StructOf(fields)
}

func reflectType(t *schema.Type, inside map[*schema.Decl]bool) reflect.Type {
	var out reflect.Type
	switch t.Kind {
	case schema.Bool:
		out = reflect.TypeFor[bool]()
	case schema.Text:
		out = reflect.TypeFor[string]()
	case schema.Int:
		out = reflect.TypeFor[int64]()
	case schema.Float:
		out = reflect.TypeFor[float64]()
	case schema.List:
		out = reflect.SliceOf(reflectType(t.Elem, inside))
	case schema.Map:
		out = reflect.MapOf(reflect.TypeFor[string](), reflectType(t.Elem, inside))
	case schema.Named:
		out = reflectDecl(t.Decl, inside)
	default:
		return reflect.TypeFor[json.RawMessage]()
	}
	if t.Maybe {
		// Nullable is raw as far as absent, null and a value go.
		return reflect.TypeFor[json.RawMessage]()
	}
	if t.Pointer {
		out = reflect.PointerTo(out)
	}
	return out
}

// A maker makes values that have some chance to satisfy a schema.
type maker struct {
	random *rand.Rand
	root   any
}

func (m maker) value(at any, depth int) any {
	s, ok := at.(map[string]any)
	if !ok || depth > 8 {
		return m.scalar()
	}
	if m.random.IntN(40) == 0 {
		return m.scalar()
	}
	if ref, ok := s["$ref"].(string); ok {
		return m.value(m.follow(ref), depth+1)
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		return values[m.random.IntN(len(values))]
	}
	if value, ok := s["const"]; ok {
		return value
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if parts, ok := s[key].([]any); ok && len(parts) > 0 && m.random.IntN(3) > 0 {
			return m.value(parts[m.random.IntN(len(parts))], depth+1)
		}
	}
	kind := s["type"]
	if kinds, ok := kind.([]any); ok && len(kinds) > 0 {
		kind = kinds[m.random.IntN(len(kinds))]
	}
	switch kind {
	case "object":
		return m.object(s, depth)
	case "array":
		list := []any{}
		for range m.random.IntN(4) {
			list = append(list, m.value(s["items"], depth+1))
		}
		return list
	case "string":
		return []string{"", "a", "x-y", "</script>", "\u00e9\u2028"}[m.random.IntN(5)]
	case "integer":
		return float64(m.random.IntN(20) - 5)
	case "number":
		return float64(m.random.IntN(200)-50) / 8
	case "boolean":
		return m.random.IntN(2) == 0
	case "null":
		return nil
	}
	return m.scalar()
}

func (m maker) object(s map[string]any, depth int) any {
	object := map[string]any{}
	required := fmt.Sprint(s["required"])
	if properties, ok := s["properties"].(map[string]any); ok {
		for name, property := range properties {
			if m.random.IntN(2) == 0 || strings.Contains(required, name) {
				object[name] = m.value(property, depth+1)
			}
		}
	}
	if extra, ok := s["additionalProperties"]; ok && extra != false {
		for i := range m.random.IntN(3) {
			object[fmt.Sprint("x", i)] = m.value(extra, depth+1)
		}
	}
	if m.random.IntN(20) == 0 {
		object["A"] = m.scalar()
	}
	return object
}

func (m maker) scalar() any {
	return []any{nil, true, 1.0, 1.5, "x", []any{}, map[string]any{}, []any{nil}, map[string]any{"k": nil}}[m.random.IntN(9)]
}

func (m maker) follow(ref string) any {
	at := m.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
		if object, ok := at.(map[string]any); ok {
			at = object[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
		}
	}
	return at
}

// TestValuesSurviveTheirTypes is FuzzRead on its seeds, many times over.
func TestValuesSurviveTheirTypes(t *testing.T) {
	for _, body := range seeds(t) {
		text := frame + "    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
		p, found := protocol.Load("p.yaml", []byte(text))
		require.Empty(t, found)
		read, _ := schema.Read(p.Tools[0].Input)
		if read == nil {
			continue
		}
		for i := range 40 {
			roundTrip(t, read, fmt.Sprint(body, i))
		}
	}
}
