package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/server"
	"github.com/gatewright/gatewright/runtime/store"
)

type (
	batch struct {
		Items []int64 `json:"items"`
		Note  string  `json:"note,omitzero"`
	}
	batchPlan struct { // its fields are not in the order of a canonical form
		Total int64   `json:"total"`
		Items []int64 `json:"items"`
	}
)

const (
	batchSchema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"integer"}},"note":{"type":"string"}},"required":["items"],"additionalProperties":false}`
	planSchema  = `{"type":"object","$defs":{"n":{"type":"integer"}},"properties":{"items":{"type":"array","items":{"$ref":"#/$defs/n"}},"total":{"$ref":"#/$defs/n"}},"required":["items","total"],"additionalProperties":false}`
)

// imports is a mode with a two-phase tool. Each item that is committed becomes
// a line of a file; 13 waits until the file "go" is there, -1 fails, and -2 and
// -3 have a lot to say about that.
func imports() server.Mode {
	mode := fixture()
	mode.Mode, mode.OpenPlans, mode.OpenBook = "imports", store.OpenPlans, store.OpenBook
	phases := func(name string, policy *approval.Policy) []server.Tool {
		return []server.Tool{
			{Name: name + "_preview", Base: name, Phase: server.PreviewPhase, Effect: gate.Read, Input: batchSchema, Output: planSchema,
				TTL: 30 * time.Minute, Record: []string{"/note"}, Handler: server.Func[batch, batchPlan]{Run: planBatch}},
			{Name: name + "_commit", Base: name, Phase: server.CommitPhase, Effect: gate.Write, Input: planSchema, Output: sumSchema,
				TTL: 30 * time.Minute, Approval: policy, Handler: server.Func[batchPlan, addOutput]{Run: commitBatch}},
		}
	}
	queue := &approval.Policy{By: []approval.Source{{Provider: approval.QueueProvider}}, Hold: -1}
	mode.Tools = append(phases("import", nil), append(phases("export", nil), phases("publish", queue)...)...)
	mode.Foreign = nil
	return mode
}

func planBatch(_ context.Context, _ *gate.Grant, _ any, in batch) (batchPlan, error) {
	plan := batchPlan{Items: in.Items}
	for _, item := range in.Items {
		plan.Total += item
	}
	return plan, nil
}

func commitBatch(ctx context.Context, grant *gate.Grant, _ any, plan batchPlan) (addOutput, error) {
	call, err := gate.Open(key, grant)
	if err != nil {
		return addOutput{}, err
	}
	file, err := os.OpenFile(filepath.Join(call.Workspace, releasedFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return addOutput{}, err
	}
	partial := &gate.Partial{Message: "some items failed"}
	for _, item := range plan.Items {
		switch item {
		case -1:
			partial.Failed = append(partial.Failed, gate.FailedItem{Item: "-1", Reason: "it is below zero"})
			continue
		case -2:
			return addOutput{}, errors.New(strings.Repeat("failed ", 4<<20))
		case -3:
			reason := strings.Repeat("r", 5000)
			for i := range 20_000 {
				partial.Finished = append(partial.Finished, fmt.Sprint("item ", i))
				partial.Failed = append(partial.Failed, gate.FailedItem{Item: fmt.Sprint("\xff", i), Reason: reason})
			}
			return addOutput{}, partial
		case 13:
			call.Progress(0, 1, "begun")
			for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
				if _, err := os.Stat(filepath.Join(call.Workspace, "go")); err == nil || ctx.Err() != nil {
					break
				}
			}
		}
		if _, err := fmt.Fprintln(file, item); err != nil {
			return addOutput{}, err
		}
		partial.Finished = append(partial.Finished, fmt.Sprint(item))
	}
	if len(partial.Failed) > 0 {
		return addOutput{}, partial
	}
	return addOutput{Sum: plan.Total}, file.Close()
}

// raw calls a tool and returns the text of its structured content.
func (c *caller) raw(tool string, arguments map[string]any) (text string, refused bool) {
	c.t.Helper()
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(c.t, err)
	if result.IsError {
		content, err := json.Marshal(result.StructuredContent)
		require.NoError(c.t, err)
		return string(content), true
	}
	return result.Content[0].(*mcp.TextContent).Text, false
}

// preview previews a batch and returns the handle.
func (c *caller) preview(tool string, items ...int) string {
	c.t.Helper()
	text, refused := c.raw(tool+"_preview", map[string]any{"items": items, "note": "of a test"})
	require.False(c.t, refused, text)
	var got struct {
		ResultType string    `json:"result_type"`
		Handle     string    `json:"handle"`
		ExpiresAt  time.Time `json:"expires_at"`
		Plan       batchPlan `json:"plan"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(text), &got))
	require.Equal(c.t, "preview", got.ResultType)
	require.Len(c.t, got.Plan.Items, len(items))
	require.WithinDuration(c.t, time.Now().Add(30*time.Minute), got.ExpiresAt, time.Minute)
	return got.Handle
}

func (c *caller) commit(tool string, arguments map[string]any) (text string, code gate.Code) {
	c.t.Helper()
	text, refused := c.raw(tool+"_commit", arguments)
	if !refused {
		return text, ""
	}
	var got said
	require.NoError(c.t, json.Unmarshal([]byte(text), &got))
	require.NotContains(c.t, text, `committed"`)
	return text, got.Code
}

func (s site) imports(t *testing.T) *caller {
	t.Helper()
	return s.connectAs(t, "imports", nil, "")
}

func confirmed(handle string, more ...string) map[string]any {
	arguments := map[string]any{"handle": handle, "confirmed": true}
	if len(more) > 0 {
		arguments["idempotency_key"] = more[0]
	}
	return arguments
}

// No commit without a preview; a handle alone is no consent; the stored plan
// runs; a preview writes nothing.
func TestINV6_PreviewAndCommit(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle := c.preview("import", 1, 2)
	require.Empty(t, s.released(t), "a preview writes nothing")

	for name, arguments := range map[string]map[string]any{
		"the handle alone": {"handle": handle}, "no": {"handle": handle, "confirmed": false},
	} {
		_, code := c.commit("import", arguments)
		require.Equal(t, gate.NotConfirmed, code, name)
	}
	for name, arguments := range map[string]map[string]any{
		"text": {"handle": handle, "confirmed": "true"}, "a number": {"handle": handle, "confirmed": 1}, "null": {"handle": handle, "confirmed": nil},
		"no handle": {"confirmed": true}, "other items": {"handle": handle, "confirmed": true, "items": []int{9}}, "in capitals": {"handle": handle, "Confirmed": true},
	} {
		_, code := c.commit("import", arguments)
		require.Contains(t, []gate.Code{gate.ArgumentsInvalid, gate.ArgumentsMalformed, gate.NotConfirmed}, code, name)
	}
	_, code := c.commit("import", confirmed("INVENTED"))
	require.Equal(t, gate.HandleUnknown, code)
	_, code = c.commit("export", confirmed(handle))
	require.Equal(t, gate.HandleWrongKind, code)
	require.Empty(t, s.released(t))

	text, code := c.commit("import", confirmed(handle))
	require.Empty(t, code, text)
	require.Equal(t, `{"result_type":"committed","result":{"sum":3}}`, text)
	require.Equal(t, []string{"1", "2"}, s.released(t))
	_, code = c.commit("import", confirmed(handle))
	require.Equal(t, gate.HandleUsed, code)
	require.Equal(t, []string{"1", "2"}, s.released(t))

	plans := map[string]string{}
	for _, e := range s.entries(t) {
		if e.Plan != "" {
			plans[string(e.Event)+" "+e.Tool] = e.Plan
		}
	}
	require.NotEmpty(t, plans["tool_result import_preview"])
	require.Equal(t, plans["tool_result import_preview"], plans["tool_call import_commit"])
}

func TestINV6_TheSameKeyGivesTheSameResult(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle, other := c.preview("import", 1), c.preview("import", 2)
	first, code := c.commit("import", confirmed(handle, "once"))
	require.Empty(t, code, first)
	again, code := s.imports(t).commit("import", confirmed(handle, "once"))
	require.Empty(t, code)
	require.Equal(t, first, again, "byte for byte, from another process too")
	require.Equal(t, []string{"1"}, s.released(t))
	_, code = c.commit("import", confirmed(other, "once"))
	require.Equal(t, gate.KeyReused, code)
	_, code = c.commit("import", confirmed(handle, "another"))
	require.Equal(t, gate.HandleUsed, code)
	replayed := 0
	for _, e := range s.entries(t) {
		if e.Decision == gate.Replayed {
			replayed++
		}
	}
	require.Equal(t, 1, replayed)
}

func TestINV6_APartialCommitSaysHowFarItGot(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle := c.preview("import", 1, -1, 2)
	text, code := c.commit("import", confirmed(handle, "k"))
	require.Equal(t, gate.CommitPartial, code)
	require.Contains(t, text, `"finished":["1","2"]`)
	require.Contains(t, text, `"reason":"it is below zero"`)
	again, code := c.commit("import", confirmed(handle, "k"))
	require.Equal(t, gate.CommitPartial, code)
	require.Contains(t, again, `"finished":["1","2"]`)
	require.Equal(t, []string{"1", "2"}, s.released(t))
}

// Killed inside the handler: nobody runs it again by itself.
func TestINV6_ACommitThatWasKilledIsNotRunAgain(t *testing.T) {
	s := newSite(t)
	c, other := s.imports(t), s.imports(t)
	handle := c.preview("import", 1, 13, 2)
	go func() { // the answer never comes
		_, _ = c.session.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "import_commit", Arguments: confirmed(handle, "k")})
	}()
	require.Eventually(t, func() bool { return len(s.released(t)) == 1 }, patience, time.Millisecond)
	_, code := other.commit("import", confirmed(handle, "k"))
	require.Equal(t, gate.CommitInProgress, code)
	c.kill()
	require.Eventually(t, func() bool {
		_, code := other.commit("import", confirmed(handle, "k"))
		return code == gate.CommitInterrupted
	}, patience, 10*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(s.workspace, "go"), nil, 0o600))
	for _, arguments := range []map[string]any{confirmed(handle), confirmed(handle, "k"), confirmed(handle, "other")} {
		_, code = s.imports(t).commit("import", arguments)
		require.Equal(t, gate.CommitInterrupted, code)
	}
	require.Equal(t, []string{"1"}, s.released(t))
}

func TestINV6_ManyCommitOneHandleAtOnce(t *testing.T) {
	s := newSite(t)
	callers := make([]*caller, 4)
	for i := range callers {
		callers[i] = s.imports(t)
	}
	const rounds = 25
	for round := range rounds {
		handle := callers[0].preview("import", 100+round)
		texts, codes := make([]string, len(callers)), make([]gate.Code, len(callers))
		var running sync.WaitGroup
		for i, c := range callers {
			running.Go(func() { texts[i], codes[i] = c.commit("import", confirmed(handle, fmt.Sprint("key ", round))) })
		}
		running.Wait()
		for i, code := range codes {
			require.Contains(t, []gate.Code{"", gate.CommitInProgress}, code, texts[i])
		}
		require.Contains(t, codes, gate.Code(""))
		require.Len(t, s.released(t), round+1)
	}
}

// Somebody else approves the plan, and the handle waits for them.
func TestINV5_WhatIsApprovedIsThePlan(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	handle := c.preview("publish", 4, 5)
	text, code := c.commit("publish", confirmed(handle))
	require.Equal(t, gate.ApprovalPending, code)
	var pending said
	require.NoError(t, json.Unmarshal([]byte(text), &pending))
	book := s.book(t)
	request, err := book.Get(t.Context(), pending.Approval.ID)
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"handle":%q,"plan":{"items":[4,5],"total":9}}`, handle), string(request.Arguments))
	other := c.preview("publish", 4, 5)
	approve(t, book, request.ID)
	_, code = c.commit("publish", confirmed(other))
	require.Equal(t, gate.ApprovalPending, code, "the same plan under another handle was not approved")
	done, code := c.commit("publish", confirmed(handle, "key"))
	require.Empty(t, code, done)
	require.Equal(t, []string{"4", "5"}, s.released(t))
}

func TestPhasesAreListedAsTheyAre(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	listed, err := c.session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		text, err := json.Marshal(tool)
		require.NoError(t, err)
		switch tool.Name {
		case "import_preview":
			require.True(t, tool.Annotations.ReadOnlyHint)
			require.Contains(t, string(text), `"const":"preview"`)
			require.Contains(t, string(text), `"#/anyOf/0/properties/plan/$defs/n"`)
		case "import_commit":
			require.False(t, tool.Annotations.ReadOnlyHint)
			require.Contains(t, string(text), `"const":true`)
			require.Contains(t, string(text), `"const":"committed"`)
			require.NotContains(t, string(text), `"items"`, "a commit takes no input but the handle")
		}
	}
}
