package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything is a protocol with every key and every keyword in it.
const everything = `{
"protocol_id": "everything", "version": "1.0.0", "description": "All of it.", "initial_mode": "plan",
"exclusive_tools": ["release"], "strict": false, "sequenced": false, "go": {"package": "./handlers", "deps": "Deps"},
"tools": {
  "list": {"description": "Lists.", "effect": "read", "run": "ListAll",
    "input": {"type": "object", "title": "In", "description": "What to list.", "required": ["path"],
      "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "examples": ["a"], "deprecated": true, "readOnly": false, "writeOnly": false},
        "depth": {"type": "integer", "minimum": 1, "maximum": 9, "format": "int64", "$comment": "so deep"},
        "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "format": "double"},
        "even": {"type": "integer", "multipleOf": 2, "minimum": 0, "maximum": 10},
        "kind": {"enum": ["a", "b"]}, "same": {"const": 1}, "ref": {"$ref": "#/$defs/leaf"},
        "some": {"type": ["string", "null"]},
        "items": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5, "uniqueItems": true},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "contains": {"type": "integer"}, "minContains": 1, "maxContains": 2},
        "map": {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"maxLength": 3}, "minProperties": 1, "maxProperties": 4},
        "by_name": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "both": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}
      },
      "$defs": {"leaf": {"type": "string"}}},
    "output": {"properties": {"files": {"type": "array", "items": {"type": "string"}}}},
    "record": ["/path"]},
  "release": {"input": {"properties": {"commit": {"type": "string"}}, "required": ["commit"]}, "record": ["/commit"], "run": {"go": "Release"}},
  "sign_off": {"waive": {"SD4": "it stamps the time sheet"}},
  "send": {"input": {"properties": {"path": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"}}, "required": ["path"]},
    "approval": {"by": ["queue", "elicit", {"command": ["/usr/local/bin/ask", "--ticket", "1"], "env": ["TOKEN", "HOME"], "timeout": "60s"}, {"command": ["ask"]}],
      "ttl": "30m", "hold": "0s", "reason": "It leaves the house.", "show": "list"}},
  "drop": {"approval": ["elicit", "queue"]},
  "import": {"effect": "write", "input": {"properties": {"a": {"type": "string"}}}, "plan": {"properties": {"a": {"type": "string"}}}, "run": {"preview": "ImportPreview", "commit": "ImportCommit", "ttl": "1h30m"}},
  "plain": {}
},
"modes": {
  "plan": {"description": "Think.", "tools": ["list", "plain", "send", "drop", "import"], "transitions": {"complete": "publish", "stuck": {"to": "plan"}}},
  "publish": {"tools": ["release", "sign_off"], "waive": {"SD1": "one person works alone"}}
}}`

// mutants are copies of a value with one thing changed, each with a name.
func mutants(value any) map[string]any {
	all := map[string]any{}
	collect(value, "", func(at string, changed any) { all[at] = changed })
	return all
}

// collect hands over every copy of value in which something at or below at is
// changed. JSON has one zero of each kind, and a few words say more.
func collect(value any, at string, emit func(at string, changed any)) {
	for _, other := range []any{"", "word", "Word", "two words", "/~", "/a~1", "30", "5m", "48h", "./a", 1, -1, 1.5, true, []any{}, []any{"word"}, []any{1}, []any{"a", "a"}, map[string]any{}, map[string]any{"word": "word"}} {
		emit(fmt.Sprintf("%s = %v (%T)", at, other, other), other)
	}
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			without := maps.Clone(value)
			delete(without, key)
			emit(at+" without "+key, without)
			for _, name := range []string{key + "s", "X" + key, "approval", "default", "WF1"} {
				renamed := maps.Clone(without)
				renamed[name] = item
				emit(at+" "+key+" renamed "+name, renamed)
			}
			collect(item, at+"/"+key, func(at string, changed any) {
				with := maps.Clone(value)
				with[key] = changed
				emit(at, with)
			})
		}
	case []any:
		for i, item := range value {
			collect(item, fmt.Sprintf("%s/%d", at, i), func(at string, changed any) {
				with := slices.Clone(value)
				with[i] = changed
				emit(at, with)
			})
		}
	}
}

// Whatever is changed in a protocol, schema and check agree on its form.
func TestSchemaAndCheckAgreeOnEveryChange(t *testing.T) {
	schema := compile(t, "protocol")
	require.Equal(t, valid, hold(t, schema, []byte(everything)))
	var value any
	require.NoError(t, json.Unmarshal([]byte(everything), &value))
	count := map[verdict]int{}
	for at, mutant := range mutants(value) {
		text, err := json.Marshal(mutant)
		require.NoError(t, err)
		got := either
		t.Run(at, func(t *testing.T) { got = hold(t, schema, text) })
		count[got]++
	}
	t.Logf("%d fit, %d do not, %d are not for a schema to judge", count[valid], count[invalid], count[either])
	require.Greater(t, count[invalid], 1000)
	require.Greater(t, count[valid], 300)
}
