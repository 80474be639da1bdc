package jsonschema_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// known asks package protocol which keys a place has: its message on an unknown
// one lists them.
func known(t *testing.T, text string) []string {
	t.Helper()
	_, found := protocol.Load("protocol.yaml", []byte(check.Example(text)))
	for _, d := range found {
		if _, list, ok := strings.Cut(d.Help, "known here: "); ok && d.Rule == "key-unknown" {
			keys := strings.Split(list, ", ")
			slices.Sort(keys)
			return keys
		}
	}
	t.Fatalf("no unknown key in %s: %v", text, found)
	return nil
}

func keysAt(t *testing.T, path ...string) []string {
	t.Helper()
	at := document(t, "protocol")
	for _, step := range path {
		at = at[step].(map[string]any)
	}
	return sortedKeys(at["properties"].(map[string]any))
}

// A key that is added to package protocol alone, or here alone, fails.
func TestKeysAreThoseOfTheReader(t *testing.T) {
	for _, place := range []struct {
		text string
		path []string
	}{
		{"qqqqqqqqq: 1\n", nil},
		{"go: {qqqqqqqqq: 1}\n", []string{"properties", "go"}},
		{"tools: {list: {qqqqqqqqq: 1}}\n", []string{"$defs", "tool"}},
		{"tools: {list: {run: {qqqqqqqqq: 1}}}\n", []string{"$defs", "tool", "properties", "run"}},
		{"tools: {list: {approval: {qqqqqqqqq: 1}}}\n", []string{"$defs", "approval"}},
		{"tools: {list: {approval: [{qqqqqqqqq: 1}]}}\n", []string{"$defs", "provider"}},
		{"modes: {plan: {qqqqqqqqq: 1}}\n", []string{"$defs", "mode"}},
		{"modes: {plan: {transitions: {go: {qqqqqqqqq: 1}}}}\n", []string{"$defs", "mode", "properties", "transitions", "additionalProperties"}},
	} {
		require.Equal(t, known(t, place.text), keysAt(t, place.path...), place.text)
	}
}

func TestWaivableRulesAreThoseOfCheck(t *testing.T) {
	var rules []string
	for _, rule := range check.Rules() {
		if rule.Waivable() {
			rules = append(rules, rule.ID)
		}
	}
	slices.Sort(rules)
	require.Equal(t, rules, keysAt(t, "$defs", "waive"))
}

// vocabulary reads the table of keywords of package schema: the form of each.
func vocabulary(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../schema/keyword.go", nil, 0)
	require.NoError(t, err)
	words := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		row, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isText := row.Key.(*ast.BasicLit)
		fields, isRow := row.Value.(*ast.CompositeLit)
		if !isText || !isRow {
			return true
		}
		name, err := strconv.Unquote(key.Value)
		require.NoError(t, err)
		for _, field := range fields.Elts {
			if field := field.(*ast.KeyValueExpr); field.Key.(*ast.Ident).Name == "form" {
				words[name] = field.Value.(*ast.Ident).Name
			}
		}
		return false
	})
	require.Greater(t, len(words), 50)
	return words
}

// The keywords that a schema of a tool may have are those that package schema
// takes, each with a value of the form that it wants.
func TestKeywordsAreThoseOfSchema(t *testing.T) {
	shapes := map[string]string{
		"#/$defs/schema": "formSchema", "#/$defs/schemas": "formSchemas", "#/$defs/schemaMap": "formSchemaMap",
		"#/$defs/names": "formNames", "#/$defs/count": "formCount",
		"string": "formText", "boolean": "formBool", "number": "formNumber", "array": "formValues", "object": "formNameMap",
	}
	properties := document(t, "protocol")["$defs"].(map[string]any)["schema"].(map[string]any)["properties"].(map[string]any)
	words := vocabulary(t)
	for name, form := range words {
		property, there := properties[name].(map[string]any)
		if form == "formRefused" {
			require.False(t, there, "%s is refused", name)
			continue
		}
		require.True(t, there, "the schema has no keyword %s", name)
		_, refusal := schema.Read(&protocol.Value{Kind: protocol.Object, Members: []protocol.Member{{Key: protocol.Text{Value: name}, Value: &protocol.Value{}}}})
		for _, d := range refusal {
			require.NotEqual(t, schema.Keyword, d.Rule, name)
		}
		shape, _ := property["$ref"].(string)
		if kind, ok := property["type"].(string); ok {
			shape = kind
		}
		switch name {
		case "type", "$schema", "format": // one of a few
		case "const":
			require.Empty(t, shape)
		default:
			require.Equal(t, form, shapes[shape], name)
		}
	}
	for name := range properties {
		require.Contains(t, words, name)
	}
}
