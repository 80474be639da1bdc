//go:build e2e

package diag_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
)

// holder is a module that carries the published schema of SARIF 2.1.0 beside
// its own tests.
const holder = "github.com/securego/gosec/v2@v2.29.0"

func TestE2ESARIFFitsThePublishedSchema(t *testing.T) {
	download := exec.Command("go", "mod", "download", "-json", holder)
	download.Dir = t.TempDir() // no part of this module
	output, err := download.Output()
	require.NoError(t, err)
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(output, &module))
	text, err := os.Open(filepath.Join(module.Dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json"))
	require.NoError(t, err)
	defer func() { _ = text.Close() }()
	document, err := jsonschema.UnmarshalJSON(text)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("sarif.json", document))
	schema, err := compiler.Compile("sarif.json")
	require.NoError(t, err)

	place := diag.Span{File: "protocols/a b/protocol.yaml", Line: 3, Column: 5, EndLine: 3, EndColumn: 9}
	rules := []diag.RuleInfo{{ID: "WF1", Purpose: "Nobody approves their own work.", Help: "Leave it in one mode.", Level: diag.Error}}
	for name, found := range map[string][]diag.Diagnostic{
		"clean": nil,
		"findings": {
			{Rule: "WF1", Level: diag.Error, Message: "held by 2 modes", Span: place, Label: "held", Notes: []string{"why"}, Help: "leave it in one", Related: []diag.Related{{Span: place, Message: "here"}}},
			{Rule: "SD1", Level: diag.Warning, Message: "control \x1b[31m and \u202e", Span: place},
			{Rule: "SD1", Level: diag.Note, Message: "waived", Span: place, Waived: "a reason"},
			{Rule: "crash", Level: diag.Error, Message: "no place"},
		},
	} {
		var out bytes.Buffer
		require.NoError(t, diag.SARIF(&out, found, "1.0.0", rules))
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), name)
		run := value.(map[string]any)["runs"].([]any)[0].(map[string]any)
		require.Len(t, run["results"], len(found), name)

		run["tool"] = "not a tool"
		require.Error(t, schema.Validate(value), "the control")
	}
}
