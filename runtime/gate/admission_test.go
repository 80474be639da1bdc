package gate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/internal/seal"
)

func TestOrderOfAdmission(t *testing.T) {
	w := newWorld(succeed)
	result := w.call(t, "release")
	require.Nil(t, result.Refusal)
	require.JSONEq(t, `{"changed":true}`, string(result.Output))
	require.Equal(t, []string{"decode", "approve", "claim a1", "admit", "handle", "encode", "record tool_result"}, w.steps.all())

	admitted, outcome := w.ledger.entries[0], w.ledger.entries[1]
	require.Equal(t, Entry{
		Event: ToolCall, Time: w.clock.Now(), Protocol: "sample", Digest: "sha256:1", Mode: "implement", Tool: "release", Effect: Write,
		CallID: result.CallID, Actor: "unlabelled", Session: "1:2", Args: digest([]byte(`{}`)), Recorded: map[string]string{"/commit": `"abc"`},
		Decision: Admitted, Approval: &Approval{ID: "a1", Provider: "queue", Approver: "ada", Decision: "approved"},
	}, admitted)
	require.Equal(t, ToolResult, outcome.Event)
	require.Equal(t, Succeeded, outcome.Outcome)
	require.Equal(t, admitted.CallID, outcome.CallID)
}

func TestINV2_ForeignToolIsRefusedAndLogged(t *testing.T) {
	for name, expect := range map[string]struct {
		code  Code
		event Event
	}{
		"diff":         {ToolNotInMode, ToolCall},
		"merge":        {ToolNotInMode, WF1Violation},
		"nothing":      {UnknownTool, ToolCall},
		"":             {UnknownTool, ToolCall},
		"Edit":         {UnknownTool, ToolCall},
		"edit\x00":     {UnknownTool, ToolCall},
		"bad\xff utf8": {UnknownTool, ToolCall},
	} {
		w := newWorld(succeed)
		refusedWith(t, expect.code, w.call(t, name))
		require.Equal(t, []string{"record " + string(expect.event)}, w.steps.all(), "%q", name)
		require.Equal(t, Refused, w.ledger.last().Decision)
		require.Equal(t, "implement", w.ledger.last().Mode)
	}
}

func TestArgumentsAreRefusedBeforeAnybodyIsAsked(t *testing.T) {
	for _, err := range []error{&ArgumentError{Code: ArgumentsMalformed, Message: "twice"}, errors.New("anything else")} {
		w := newWorld(succeed)
		w.config.Tools[2].Codec = fakeCodec{steps: w.steps, decodeErr: err}
		result := w.call(t, "release")
		require.NotNil(t, result.Refusal)
		require.Contains(t, []Code{ArgumentsMalformed, ArgumentsInvalid}, result.Refusal.Code)
		require.Equal(t, []string{"decode", "record tool_call"}, w.steps.all())
	}
}

func TestINV3_NoEntryNoHandler(t *testing.T) {
	w := newWorld(succeed)
	w.ledger.admitErr = errDisk
	for _, tool := range []string{"edit", "list"} {
		refusedWith(t, AuditUnavailable, w.call(t, tool))
	}
	require.NotContains(t, w.steps.all(), "handle")

	w.ledger.admitErr = Refuse(ProtocolMismatch, "another protocol is in force")
	refusedWith(t, ProtocolMismatch, w.call(t, "edit"))
	require.NotContains(t, w.steps.all(), "handle")
	require.Equal(t, ProtocolMismatch, w.ledger.last().Code)
}

func TestRefusalThatCannotBeLoggedStaysARefusal(t *testing.T) {
	w := newWorld(succeed)
	w.ledger.failAt = func(Entry) error { return errDisk }
	result := w.call(t, "merge")
	refusedWith(t, ToolNotInMode, result)
	require.Contains(t, result.Refusal.Message, "could not record this refusal")
}

func TestOutcomeThatCannotBeLoggedShutsTheGate(t *testing.T) {
	w := newWorld(succeed)
	g := w.gate(t)
	w.ledger.failAt = func(Entry) error { return errDisk }
	result := g.Call(t.Context(), Request{Tool: "edit"})
	refusedWith(t, OutcomeUnrecorded, result)
	require.False(t, result.Refusal.Retryable)
	require.JSONEq(t, `{"changed":true}`, string(result.Refusal.Output))

	w.ledger.failAt = nil
	refusedWith(t, GateClosed, g.Call(t.Context(), Request{Tool: "list"}))
}

func TestINV4_NothingIsMissing(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"key":       func(c *Config) { c.Key = nil },
		"other key": func(c *Config) { c.Key = NewKey("another") },
		"ledger":    func(c *Config) { c.Ledger = nil },
		"approver":  func(c *Config) { c.Approver = nil },
		"clock":     func(c *Config) { c.Clock = nil },
		"protocol":  func(c *Config) { c.Protocol = "" },
		"digest":    func(c *Config) { c.Digest = "" },
		"mode":      func(c *Config) { c.Mode = "" },
		"actor":     func(c *Config) { c.Actor = "" },
		"name":      func(c *Config) { c.Tools[0].Name = "" },
		"effect":    func(c *Config) { c.Tools[0].Effect = 0 },
		"effect 3":  func(c *Config) { c.Tools[0].Effect = 3 },
		"codec":     func(c *Config) { c.Tools[0].Codec = nil },
		"handler":   func(c *Config) { c.Tools[0].Handler = nil },
		"twice":     func(c *Config) { c.Tools[1].Name = "edit" },
		"exclusive": func(c *Config) { c.Tools[1].Exclusive = true },
	} {
		w := newWorld(succeed)
		spoil(&w.config)
		_, err := New(seal.Make(), w.config)
		require.Error(t, err, name)
	}
	_, err := New(seal.Seal{}, newWorld(succeed).config)
	require.Error(t, err)

	refusedWith(t, GateClosed, (*Gate)(nil).Call(t.Context(), Request{Tool: "list"}))
	refusedWith(t, GateClosed, new(Gate).Call(t.Context(), Request{Tool: "list"}))
}

func TestINV4_TypedNilAndPanickingPortsRefuse(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"ledger":   func(c *Config) { c.Ledger = (*fakeLedger)(nil) },
		"approver": func(c *Config) { c.Approver = approverFunc(nil) },
		"codec":    func(c *Config) { c.Tools[2].Codec = (*fakeCodec)(nil) },
	} {
		w := newWorld(succeed)
		spoil(&w.config)
		refusedWith(t, Internal, w.call(t, "release"))
		require.NotContains(t, w.steps.all(), "handle", name)
		if name != "ledger" {
			require.Equal(t, Internal, w.ledger.last().Code, "a refusal is logged whatever caused it")
		}
	}
}

func TestPanicAfterTheHandlerRanShutsTheGate(t *testing.T) {
	w := newWorld(succeed)
	w.ledger.failAt = func(e Entry) error {
		if e.Outcome == Succeeded {
			panic("boom")
		}
		return nil
	}
	g := w.gate(t)
	refusedWith(t, OutcomeUnrecorded, g.Call(t.Context(), Request{Tool: "edit"}))
	require.Equal(t, OutcomeUnrecorded, w.ledger.last().Code)
	refusedWith(t, GateClosed, g.Call(t.Context(), Request{Tool: "list"}))
}

func TestEveryCodeHasWords(t *testing.T) {
	for code, words := range Codes() {
		require.NotEmpty(t, words.Next, code)
		require.False(t, words.Ran && words.Retryable, "%s: a call that ran is never called retryable by the gate", code)
	}
}
