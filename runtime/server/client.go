package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
)

const (
	// statelessEra is the first version of MCP in which a server sends no
	// requests: what it asks is the result of the call, which then comes again.
	statelessEra = "2026-07-28"
	// questionName names the one question that is open at a time.
	questionName = "approval"
)

// A client is how the client of one call is asked. It implements
// [approval.Client].
type client struct {
	call   *mcp.CallToolRequest
	signer *approval.Signer // nil where the mode asks nobody
	state  approval.State   // that came with the call
	err    error            // why what came with the call does not count
}

// clientOf reads what came with a call. Nothing of it counts unless this
// server's key signed the state.
func (s *service) clientOf(call *mcp.CallToolRequest) *client {
	c := &client{call: call}
	if s.approvals == nil {
		return c
	}
	if c.signer, c.err = s.approvals.signer(); c.err != nil || !c.answered() {
		return c
	}
	switch {
	case !c.stateless():
		c.err = errors.New("in this version of MCP the server asks, and it has not")
	default:
		c.state, c.err = c.signer.Verify(call.Params.RequestState)
	}
	return c
}

// answered reports whether the call carries anything that looks like an
// answer.
func (c *client) answered() bool {
	return c.call.Params.RequestState != "" || c.call.Params.InputResponses != nil
}

func (c *client) stateless() bool { return c.call.ProtocolVersion() >= statelessEra }

// Reaches implements [approval.Client]. A client that names no kind of
// elicitation means forms.
func (c *client) Reaches() bool {
	can := c.call.ClientCapabilities()
	return c.signer != nil && can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// Elicit implements [approval.Client].
func (c *client) Elicit(ctx context.Context, asked approval.Question) (approval.Reply, error) {
	if c.stateless() {
		return approval.Reply{}, approval.ErrLater
	}
	got, err := c.call.Session.Elicit(ctx, form(asked))
	var wire *jsonrpc.Error
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &wire)):
		return approval.Reply{}, fmt.Errorf("ask through the client: %w", err)
	case err != nil: // it answered, and the answer is not of the form
		return approval.Reply{}, fmt.Errorf("%w: %w", approval.ErrGarbage, err)
	}
	return approval.Reply{Action: got.Action, Content: got.Content, State: asked.State}, nil
}

// Reply implements [approval.Client].
func (c *client) Reply() (*approval.Reply, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case !c.answered():
		return nil, nil
	case len(c.call.Params.InputResponses) != 1:
		return nil, errors.New("it answers something else than the one question it was asked")
	}
	got, ok := c.call.Params.InputResponses[questionName].(*mcp.ElicitResult)
	if !ok || got == nil {
		return nil, errors.New("it answers another question than the one it was asked")
	}
	return &approval.Reply{Action: got.Action, Content: got.Content, State: c.state}, nil
}

// ask makes the result of a call that goes on when its client has answered.
func (c *client) ask(asked approval.Question) (*mcp.CallToolResult, error) {
	if c.signer == nil {
		return nil, errors.New("ask through the client: there is no key to sign with")
	}
	state, err := c.signer.Sign(asked.State)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionName: form(asked)}, RequestState: state}, nil
}

// questionOf is what the client of a call that goes on has to be asked.
func questionOf(result gate.Result) (asked approval.Question, ok bool) {
	if result.Refusal != nil {
		asked, ok = result.Refusal.Question.(approval.Question)
	}
	return asked, ok
}

func form(asked approval.Question) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: asked.Message, RequestedSchema: json.RawMessage(approval.Form)}
}
