package server

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A client that validates may validate everything: results and refusals fit the
// advertised schema, and other things do not.
func TestAdvertisedOutputHoldsForResultsAndRefusals(t *testing.T) {
	declared := `{"type":"object","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"size":{"type":"integer","maximum":9007199254740993}},"additionalProperties":false}},` +
		`"properties":{"root":{"$ref":"#/$defs/node"},"again":{"$ref":"#"},"kind":{"enum":[{"$ref":"#/kept"}]}},"required":["root"],"additionalProperties":false}`
	text, err := advertised(declared)
	require.NoError(t, err)
	require.Contains(t, string(text), "9007199254740993")
	require.Contains(t, string(text), `{"$ref":"#/kept"}`)

	schema := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal(text, schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	refusal, err := json.Marshal(refusal(gate.Result{CallID: "1", Refusal: gate.Refuse(gate.UnknownTool, "no")}))
	require.NoError(t, err)
	for document, fits := range map[string]bool{
		`{"root":{"next":{"size":1}}}`:                  true,
		`{"root":{},"again":{"root":{"next":{}}}}`:      true,
		`{"root":{"next":{"other":1}}}`:                 false,
		`{"again":{"root":{}}}`:                         false,
		`{"root":{},"again":{"root":{"nothing":true}}}`: false,
		string(refusal):                                 true,
		`{"code":"X","message":"y"}`:                    false,
	} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(document), &value))
		require.Equal(t, fits, resolved.Validate(value) == nil, document)
	}
}
