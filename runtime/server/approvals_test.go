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

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/server"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// releases is a mode whose tools want approvals. Each run of release adds a
// line to a file of the workspace.
func releases() server.Mode {
	mode := fixture()
	mode.Mode, mode.OpenBook = "releases", store.OpenBook
	tool := func(name string, policy *approval.Policy) server.Tool {
		return server.Tool{Name: name, Effect: gate.Write, Exclusive: true, Input: addSchema, Output: sumSchema, Approval: policy,
			Handler: server.Func[addInput, addOutput]{Run: release}}
	}
	queue, elicit := approval.Source{Provider: approval.QueueProvider}, approval.Source{Provider: approval.ElicitProvider}
	mode.Tools = []server.Tool{
		tool("release", &approval.Policy{By: []approval.Source{queue}, Hold: -1, Reason: "it goes to everybody", Show: "sum"}),
		tool("blind", &approval.Policy{By: []approval.Source{queue}, Hold: -1, Show: "broken"}),
		tool("flooded", &approval.Policy{By: []approval.Source{queue}, Hold: -1, Show: "huge"}),
		tool("ask", &approval.Policy{By: []approval.Source{elicit}, Hold: -1}),
		tool("either", &approval.Policy{By: []approval.Source{queue, elicit}, Hold: -1}),
		tool("first", &approval.Policy{By: []approval.Source{elicit, queue}, Hold: -1}),
		{Name: "sum", Effect: gate.Read, Input: addSchema, Output: sumSchema, Handler: server.Func[addInput, addOutput]{Run: add}},
		{Name: "broken", Effect: gate.Read, Input: addSchema, Output: sumSchema, Handler: server.Func[addInput, addOutput]{Run: broken}},
		{Name: "huge", Effect: gate.Read, Input: addSchema, Output: rawSchema, Handler: server.Func[addInput, rawOutput]{Run: huge}},
	}
	mode.Foreign = nil
	return mode
}

const releasedFile = "released"

func release(_ context.Context, grant *gate.Grant, _ any, in addInput) (addOutput, error) {
	call, err := gate.Open(key, grant)
	if err != nil {
		return addOutput{}, err
	}
	file, err := os.OpenFile(filepath.Join(call.Workspace, releasedFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return addOutput{}, err
	}
	if _, err := fmt.Fprintln(file, in.A); err != nil {
		return addOutput{}, err
	}
	return addOutput{Sum: in.A + in.B}, file.Close()
}

func broken(context.Context, *gate.Grant, any, addInput) (addOutput, error) {
	return addOutput{}, errors.New("no such file: /home/ada/secret")
}

func huge(context.Context, *gate.Grant, any, addInput) (rawOutput, error) {
	return rawOutput{Value: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}, nil
}

// A client of an approving mode: a real process behind a real client.
type caller struct {
	t       *testing.T
	session *mcp.ClientSession
	kill    func()
}

// A site is a workspace and a state folder that servers share.
type site struct {
	workspace, state string
}

func newSite(t *testing.T) site {
	t.Helper()
	return site{workspace: t.TempDir(), state: stateDir(t)}
}

func (s site) connect(t *testing.T, options *mcp.ClientOptions, version string) *caller {
	t.Helper()
	return s.connectAs(t, "releases", options, version)
}

func (s site) connectAs(t *testing.T, mode string, options *mcp.ClientOptions, version string) *caller {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := command(t, s.state, "--workspace", s.workspace, "--actor", "agent")
	cmd.Path = self
	cmd.Env = append(os.Environ(), runAs+"="+mode)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return &caller{t: t, session: session, kill: func() { require.NoError(t, cmd.Process.Kill()) }}
}

// said is what a call came to.
type said struct {
	Code     gate.Code      `json:"code"`
	Message  string         `json:"message"`
	Approval *gate.Approval `json:"approval"`
	Sum      *int           `json:"sum"`
}

func (c *caller) call(tool string, a int) said {
	c.t.Helper()
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"a": a}})
	require.NoError(c.t, err)
	text, err := json.Marshal(result.StructuredContent)
	require.NoError(c.t, err)
	var got said
	require.NoError(c.t, json.Unmarshal(text, &got), "%s", text)
	require.Equal(c.t, result.IsError, got.Code != "")
	return got
}

func (s site) book(t *testing.T) *store.Store {
	t.Helper()
	folder, err := state.Open(state.Options{Dir: s.state, Protocol: "fixture", Workspace: s.workspace})
	require.NoError(t, err)
	book, err := store.Open(t.Context(), folder, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	return book
}

func approve(t *testing.T, book *store.Store, id string) {
	t.Helper()
	_, err := book.Decide(t.Context(), id, approval.Ruling{Status: approval.StatusApproved, Provider: "queue", Approver: "ada"})
	require.NoError(t, err)
}

func deny(t *testing.T, book *store.Store, id string) {
	t.Helper()
	_, err := book.Decide(t.Context(), id, approval.Ruling{Status: approval.StatusDenied, Provider: "queue", Approver: "ada"})
	require.NoError(t, err)
}

// released are the arguments with which the handler ran.
func (s site) released(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.workspace, releasedFile))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Fields(string(text))
}

func (s site) entries(t *testing.T) []audit.Entry {
	t.Helper()
	all, _ := entries(t, s.state)
	return all
}

func TestINV5_ApproveKillRestartRunsOnce(t *testing.T) {
	s := newSite(t)
	first := s.connect(t, nil, "")
	asked := first.call("release", 7)
	require.Equal(t, gate.ApprovalPending, asked.Code)
	require.NotEmpty(t, asked.Approval.ID)
	require.NotEmpty(t, asked.Approval.ExpiresAt)
	require.Contains(t, asked.Message, asked.Approval.ID)

	book := s.book(t)
	request, err := book.Get(t.Context(), asked.Approval.ID)
	require.NoError(t, err)
	require.JSONEq(t, `{"sum":7}`, request.Shown, "what the tool that the policy names says of the call")
	require.Equal(t, "it goes to everybody", request.Why)
	approve(t, book, asked.Approval.ID)
	first.kill()

	second := s.connect(t, nil, "")
	require.Equal(t, gate.ApprovalPending, second.call("release", 8).Code, "other arguments were not approved")
	done := second.call("release", 7)
	require.Empty(t, done.Code, done.Message)
	require.Equal(t, []string{"7"}, s.released(t))
	require.Equal(t, gate.ApprovalPending, second.call("release", 7).Code)
	require.Equal(t, []string{"7"}, s.released(t))

	var used []audit.Entry
	for _, e := range s.entries(t) {
		if e.Event == gate.ToolCall && e.Decision == gate.Admitted && e.Tool == "release" {
			used = append(used, e)
		}
	}
	require.Len(t, used, 1)
	require.Equal(t, asked.Approval.ID, used[0].Approval.ID)
	require.Equal(t, "ada", used[0].Approval.Approver)
	require.Equal(t, "approved", used[0].Approval.Decision)
}

// A tool that fails to say what a call is about, or says more than can be kept,
// does not hide that.
func TestARequestSaysWhatIsNotShown(t *testing.T) {
	s := newSite(t)
	c, book := s.connect(t, nil, ""), s.book(t)
	for tool, want := range map[string]string{"blind": "HANDLER_FAILED", "flooded": "more than can be kept"} {
		asked := c.call(tool, 7)
		require.Equal(t, gate.ApprovalPending, asked.Code, asked.Message)
		request, err := book.Get(t.Context(), asked.Approval.ID)
		require.NoError(t, err)
		require.Contains(t, request.Shown, `{"not_shown":`)
		require.Contains(t, request.Shown, want)
		require.NotContains(t, request.Shown, "secret")
	}
}

// Two processes race for one approval, again and again.
func TestINV5_TwoProcessesRaceForOneApproval(t *testing.T) {
	s := newSite(t)
	callers := []*caller{s.connect(t, nil, ""), s.connect(t, nil, "")}
	book := s.book(t)
	const rounds = 200
	for i := range rounds {
		asked := callers[i%2].call("release", i)
		require.Equal(t, gate.ApprovalPending, asked.Code, asked.Message)
		approve(t, book, asked.Approval.ID)
		got := make([]said, len(callers))
		var running sync.WaitGroup
		for j, c := range callers {
			running.Go(func() { got[j] = c.call("release", i) })
		}
		running.Wait()
		ran := 0
		for _, each := range got {
			if each.Code == "" {
				ran++
				continue
			}
			require.Contains(t, []gate.Code{gate.ApprovalUsed, gate.ApprovalPending}, each.Code, each.Message)
			if each.Code == gate.ApprovalPending { // it came later, and asked anew
				deny(t, book, each.Approval.ID)
			}
		}
		require.Equal(t, 1, ran, "%v", got)
		require.Len(t, s.released(t), i+1)
	}
}

// answers is a client that answers a form.
func answers(action string, content map[string]any) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if !strings.Contains(request.Params.Message, "release") && !strings.Contains(request.Params.Message, "tool") {
			return nil, fmt.Errorf("what is this about: %s", request.Params.Message)
		}
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}}
}

var eras = map[string]string{"legacy": "2025-06-18", "modern": "2026-07-28"}

func TestTheClientIsAskedInBothEras(t *testing.T) {
	for era, version := range eras {
		t.Run(era, func(t *testing.T) {
			s := newSite(t)
			yes := map[string]any{"decision": "approve", "reason": "fine"}
			for i, c := range []struct {
				tool    string
				options *mcp.ClientOptions
				code    gate.Code
			}{
				{"ask", answers("accept", yes), ""},
				{"either", answers("accept", yes), ""},
				{"first", answers("accept", yes), ""},
				{"ask", answers("accept", map[string]any{"decision": "deny", "reason": "no"}), gate.ApprovalDenied},
				{"ask", answers("accept", nil), gate.ApprovalFailed},
				{"ask", answers("decline", nil), gate.ApprovalDenied},
				{"ask", answers("cancel", nil), gate.ApprovalNobody},
				{"first", answers("cancel", nil), gate.ApprovalPending},
				{"either", answers("decline", nil), gate.ApprovalPending},
				{"ask", nil, gate.ApprovalNobody},
				{"first", nil, gate.ApprovalPending},
			} {
				got := s.connect(t, c.options, version).call(c.tool, i)
				require.Equal(t, c.code, got.Code, "%d: %s: %s", i, c.tool, got.Message)
				if c.code != "" {
					require.NotNil(t, got.Approval)
				}
			}
			require.Equal(t, []string{"0", "1", "2"}, s.released(t))

			calls := map[string]int{}
			for _, e := range s.entries(t) {
				if e.Event == gate.ToolCall && e.Tool != "sum" {
					calls[e.Call]++
				}
			}
			require.Len(t, calls, 11)
			for id, n := range calls {
				require.Equal(t, 1, n, "call %s has one final decision", id)
			}
		})
	}
}

// A modern client, spoken to line by line, so that what it sends can be wrong.
type modern struct {
	*wire
	n int
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// answered is a result, or what the client has to be asked.
type answered struct {
	Result struct {
		ResultType    string          `json:"resultType"`
		RequestState  string          `json:"requestState"`
		InputRequests json.RawMessage `json:"inputRequests"`
		IsError       bool            `json:"isError"`
		Structured    said            `json:"structuredContent"`
	} `json:"result"`
	Error json.RawMessage `json:"error"`
}

func (m *modern) call(tool, arguments, rest string) answered {
	m.t.Helper()
	m.n++
	m.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s,%s}}`, m.n, tool, arguments, rest, modernMeta))
	var got answered
	require.NoError(m.t, json.Unmarshal([]byte(m.receive()), &got))
	require.Empty(m.t, string(got.Error))
	return got
}

// asked calls a tool and returns the state of the question it ends in.
func (m *modern) asked(tool, arguments string) string {
	m.t.Helper()
	got := m.call(tool, arguments, "")
	require.Equal(m.t, "input_required", got.Result.ResultType)
	require.Contains(m.t, string(got.Result.InputRequests), `"enum":["approve","deny"]`)
	require.NotEmpty(m.t, got.Result.RequestState)
	return got.Result.RequestState
}

const yesForm = `,"inputResponses":{"approval":{"action":"accept","content":{"decision":"approve"}}}`

func withState(state string) string { return fmt.Sprintf(`,"requestState":%q`, state) }

// Forged, replayed, altered and unasked answers are refused, and are in the log.
func TestINV5_AnswersThatAreNotOursAreRefusedAndLogged(t *testing.T) {
	w := dial(t, releases())
	m := &modern{wire: w}
	state := m.asked("ask", `{"a":1}`)
	other := m.asked("ask", `{"a":2}`)
	body, mac, _ := strings.Cut(state, ".")
	_, otherMAC, _ := strings.Cut(other, ".")
	refusals := 0
	for name, c := range map[string]struct{ tool, arguments, rest string }{
		"no state":              {"ask", `{"a":1}`, yesForm},
		"an empty state":        {"ask", `{"a":1}`, yesForm + withState("")},
		"an invented state":     {"ask", `{"a":1}`, yesForm + withState("e30.e30")},
		"another signature":     {"ask", `{"a":1}`, yesForm + withState(body+"."+otherMAC)},
		"no signature":          {"ask", `{"a":1}`, yesForm + withState(body+".")},
		"a changed signature":   {"ask", `{"a":1}`, yesForm + withState(body+"."+mac[1:])},
		"other arguments":       {"ask", `{"a":3}`, yesForm + withState(state)},
		"another tool":          {"either", `{"a":1}`, yesForm + withState(state)},
		"a tool that asks none": {"sum", `{"a":1}`, yesForm + withState(state)},
		"asked by nobody":       {"sum", `{"a":1}`, yesForm},
		"a state alone":         {"ask", `{"a":1}`, withState(state)},
		"an answer to another":  {"ask", `{"a":1}`, `,"inputResponses":{"other":{"action":"accept","content":{"decision":"approve"}}}` + withState(state)},
		"two answers": {"ask", `{"a":1}`, `,"inputResponses":{"approval":{"action":"accept","content":{"decision":"approve"}},` +
			`"other":{"action":"accept"}}` + withState(state)},
		"another kind of answer": {"ask", `{"a":1}`, `,"inputResponses":{"approval":{"roots":[]}}` + withState(state)},
	} {
		got := m.call(c.tool, c.arguments, c.rest)
		require.True(t, got.Result.IsError, name)
		require.Equal(t, gate.ApprovalUnasked, got.Result.Structured.Code, "%s: %s", name, got.Result.Structured.Message)
		refusals++
	}
	done := m.call("ask", `{"a":1}`, yesForm+withState(state))
	require.False(t, done.Result.IsError, done.Result.Structured.Message)
	require.Equal(t, 1, *done.Result.Structured.Sum)
	replayed := m.call("ask", `{"a":1}`, yesForm+withState(state))
	require.Equal(t, gate.ApprovalUsed, replayed.Result.Structured.Code)

	all, _ := entries(t, w.state)
	logged := 0
	for _, e := range all {
		if e.Code == gate.ApprovalUnasked {
			logged++
			require.Equal(t, gate.Refused, e.Decision)
		}
	}
	require.Equal(t, refusals, logged)
}

// In the era in which the server asks, an answer that comes with a call is one
// that nobody asked for.
func TestINV5_AnAnswerInTheEraInWhichTheServerAsks(t *testing.T) {
	w := dial(t, releases())
	w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	w.receive()
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, tool := range []string{"ask", "either", "first", "release", "sum"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{"a":1}%s}}`, tool, yesForm))
		require.Contains(t, w.receive(), "APPROVAL_ANSWER_REFUSED", tool)
	}
}

// A question that nobody answers holds up nothing else.
func TestAnUnansweredQuestionHoldsUpNothing(t *testing.T) {
	w := dial(t, releases())
	w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	w.receive()
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"a":1}}}`)
	question := w.receive()
	require.Contains(t, question, "elicitation/create")
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sum","arguments":{"a":1,"b":2}}}`)
	require.Contains(t, w.receive(), `"sum":3`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"tired"}}`)
	for {
		if got := w.receive(); strings.Contains(got, `"id":2`) && strings.Contains(got, "CANCELLED") {
			return
		}
	}
}
