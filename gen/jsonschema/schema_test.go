package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	documents "github.com/gatewright/gatewright/gen/jsonschema"
)

// compile hands a document to the validator, which also holds it against the
// schema of schemas.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, compiler.AddResource(name, document(t, name)))
	schema, err := compiler.Compile(name)
	require.NoError(t, err)
	return schema
}

func document(t *testing.T, name string) map[string]any {
	t.Helper()
	text, ok := documents.Text(name)
	require.True(t, ok, name)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return value.(map[string]any)
}

// fromYAML reads a file as an editor does, into what JSON has.
func fromYAML(text []byte) (any, error) {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	return plain(value)
}

func plain(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			var err error
			if value[key], err = plain(item); err != nil {
				return nil, err
			}
		}
		return value, nil
	case []any:
		for i, item := range value {
			var err error
			if value[i], err = plain(item); err != nil {
				return nil, err
			}
		}
		return value, nil
	case time.Time:
		return value.Format(time.DateOnly), nil
	case map[any]any:
		return nil, fmt.Errorf("a key is not text: %v", value)
	case int, int64, uint64, float64:
		return json.Number(strings.ToLower(fmt.Sprint(value))), nil
	default:
		return value, nil
	}
}

func TestDocumentsAreSchemas(t *testing.T) {
	for _, schema := range documents.Schemas() {
		compile(t, schema.Name)
		require.Equal(t, "urn:gatewright:schema:"+schema.Name, document(t, schema.Name)["$id"])
	}
	_, ok := documents.Text("nothing")
	require.False(t, ok)
}

// What an editor shows beside a key is its description.
func TestEveryKeyHasADescription(t *testing.T) {
	for _, schema := range documents.Schemas() {
		root := document(t, schema.Name)
		walk(root, func(at string, value map[string]any) {
			properties, _ := value["properties"].(map[string]any)
			for key, property := range properties {
				property := property.(map[string]any)
				for _, known := property["description"]; !known; _, known = property["description"] {
					target, refers := property["$ref"].(string)
					if !refers {
						break
					}
					property = root["$defs"].(map[string]any)[strings.TrimPrefix(target, "#/$defs/")].(map[string]any)
				}
				if narrows := strings.HasSuffix(at, "/if") || strings.HasSuffix(at, "/then") || strings.HasSuffix(at, "/root"); !narrows {
					require.NotEmpty(t, property["description"], "%s: %s of %s", schema.Name, key, at)
				}
			}
		})
	}
}

// walk visits every schema of a document.
func walk(value any, visit func(at string, schema map[string]any)) {
	var each func(at string, value any)
	each = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			visit(at, value)
			for _, key := range sortedKeys(value) {
				named, ok := value[key].(map[string]any)
				if !ok || key != "properties" && key != "$defs" {
					each(at+"/"+key, value[key])
					continue
				}
				for _, name := range sortedKeys(named) {
					each(at+"/"+key+"/"+name, named[name])
				}
			}
		case []any:
			for i, item := range value {
				each(fmt.Sprintf("%s/%d", at, i), item)
			}
		}
	}
	each("", value)
}

func sortedKeys(value map[string]any) []string {
	keys := make([]string, 0, len(value))
	for key := range value {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
