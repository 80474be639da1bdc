package server_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// The rules of a tool in two phases, one test each, over real processes.

func TestRule1_NoCommitWithoutAPreview(t *testing.T) {
	s := newSite(t)
	c, elsewhere := s.imports(t), newSite(t).imports(t)
	for name, handle := range map[string]string{
		"invented": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "of another state folder": elsewhere.preview("import", 1), "with NUL": "\x00", "with a quote": `"'`,
		"too long": fmt.Sprintf("%0100d", 1), "a key in its place": "key",
	} {
		for _, key := range [][]string{nil, {"key"}} {
			require.Equal(t, gate.HandleUnknown, c.told("import_commit", confirmed(handle, key...)).Code, name)
		}
	}
	for _, arguments := range []map[string]any{{"confirmed": true}, {"confirmed": true, "items": []int{1}}, {"confirmed": true, "idempotency_key": "key"}} {
		require.Contains(t, []gate.Code{gate.ArgumentsInvalid, gate.ArgumentsMalformed}, c.told("import_commit", arguments).Code)
	}
	require.Empty(t, s.released(t))
}

func TestRule2_AHandleAloneIsNoConsent(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle := c.preview("import", 1)
	for _, given := range []any{false, nil, "true", "yes", 1, 1.0, []any{true}, map[string]any{"confirmed": true}} {
		got := c.told("import_commit", map[string]any{"handle": handle, "confirmed": given, "idempotency_key": "key"})
		require.Contains(t, []gate.Code{gate.NotConfirmed, gate.ArgumentsInvalid}, got.Code, "%v", given)
	}
	require.Equal(t, gate.NotConfirmed, c.told("import_commit", map[string]any{"handle": handle, "idempotency_key": "key"}).Code)
	require.Empty(t, s.released(t))
	_, code := c.commit("import", confirmed(handle, "key"))
	require.Empty(t, code, "what was no consent used nothing up, not even the key")
	require.Equal(t, gate.NotConfirmed, c.told("import_commit", map[string]any{"handle": handle, "idempotency_key": "key"}).Code,
		"nor is a result handed out again for it")
}

func TestRule3_TheStoredPlanRuns(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	text, refused := c.raw("import_preview", map[string]any{"items": []any{json.Number("9007199254740993"), -7}})
	require.False(t, refused, text)
	require.Contains(t, text, `"plan":{"items":[9007199254740993,-7],"total":9007199254740986}`)
	var made struct{ Handle string }
	require.NoError(t, json.Unmarshal([]byte(text), &made))
	c.preview("import", 1)
	text, code := s.imports(t).commit("import", confirmed(made.Handle))
	require.Empty(t, code)
	require.Equal(t, `{"result_type":"committed","result":{"sum":9007199254740986}}`, text)
	require.Equal(t, []string{"9007199254740993", "-7"}, s.released(t), "every digit of what was shown")
}

func TestRule4_PreviewsNeverWrite(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	for range 20 {
		c.preview("import", 1, 2, 3)
	}
	require.Empty(t, s.released(t))
	for _, e := range s.entries(t) {
		if e.Tool == "import_preview" {
			require.Equal(t, gate.Read.String(), e.Effect)
		}
	}
}

func TestRule5_NothingBypassesThis(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle := c.preview("import", 1)
	for _, tool := range []string{"import", "commit", "import.commit", "importcommit", "IMPORT_COMMIT", "import_commit "} {
		result, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: confirmed(handle)})
		require.True(t, err != nil || result.IsError, tool)
	}
	for _, more := range []string{"force", "dry_run", "skip", "plan", "items", "actor", "HANDLE", "approved"} {
		arguments := confirmed(handle)
		arguments[more] = true
		require.Equal(t, gate.ArgumentsMalformed, c.told("import_commit", arguments).Code, more)
	}
	require.Equal(t, gate.HandleWrongKind, c.told("export_commit", confirmed(handle)).Code)
	require.Equal(t, gate.HandleWrongKind, c.told("publish_commit", confirmed(handle)).Code)
	publish := c.preview("publish", 2)
	require.Equal(t, gate.HandleWrongKind, c.told("import_commit", confirmed(publish)).Code, "by way of the tool that asks nobody")
	require.Empty(t, s.released(t))
}

func TestRule6_ResultsSayOfWhichTypeTheyAre(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	kind := func(text string) (got struct {
		ResultType string `json:"result_type"`
	}) {
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		return got
	}
	text, refused := c.raw("import_preview", map[string]any{"items": []int{1}})
	require.False(t, refused)
	require.Equal(t, "preview", kind(text).ResultType)
	for _, arguments := range []map[string]any{confirmed(c.preview("import", 1), "first"), confirmed(c.preview("import", 2))} {
		text, refused = c.raw("import_commit", arguments)
		require.False(t, refused)
		require.Equal(t, "committed", kind(text).ResultType)
	}
	for _, arguments := range []map[string]any{
		{"handle": "x"}, confirmed("x"), confirmed(c.preview("import", 1), "first"), confirmed(c.preview("import", -1)), confirmed(c.preview("import", -2)),
		{"committed": true}, {"result_type": "committed"},
	} {
		text, refused = c.raw("import_commit", arguments)
		require.True(t, refused)
		require.Empty(t, kind(text).ResultType, text)
	}
	text, refused = c.raw("publish_commit", confirmed(c.preview("publish", 1)))
	require.True(t, refused)
	require.Contains(t, text, "APPROVAL_PENDING")
	require.Empty(t, kind(text).ResultType, "nothing is committed that waits")
}
