package servertest

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Call calls a tool that has an output. A refusal is an error of type
// *gate.Refusal.
func Call[In, Out any](ctx context.Context, client *Client, tool string, in In) (Out, error) {
	var out Out
	text, err := client.call(ctx, tool, in)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(text, &out, json.RejectUnknownMembers(true)); err != nil {
		return out, fmt.Errorf("call %q: read the result: %w", tool, err)
	}
	return out, nil
}

// Do calls a tool that has no output. A refusal is an error of type
// *gate.Refusal.
func Do[In any](ctx context.Context, client *Client, tool string, in In) error {
	_, err := client.call(ctx, tool, in)
	return err
}

// Tools lists the names of the tools that the server lists.
func (c *Client) Tools(ctx context.Context) ([]string, error) {
	var names []string
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the tools: %w", err)
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

// call returns the text of a result. The text of a success is its JSON, with
// all digits; the client's own reading of the structured content loses some.
func (c *Client) call(ctx context.Context, tool string, in any) ([]byte, error) {
	arguments, err := json.Marshal(in, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("call %q: write the arguments: %w", tool, err)
	}
	params := &mcp.CallToolParams{Name: tool, Arguments: stdjson.RawMessage(arguments)}
	if token := c.progress.token(ctx); token != "" {
		params.SetProgressToken(token)
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("call %q: %w", tool, err)
	}
	if result.IsError {
		return nil, refusal(tool, result)
	}
	if len(result.Content) == 1 {
		if text, ok := result.Content[0].(*mcp.TextContent); ok {
			return []byte(text.Text), nil
		}
	}
	return nil, fmt.Errorf("call %q: the result has no text", tool)
}

// refusal reads the structured content of an error.
func refusal(tool string, result *mcp.CallToolResult) error {
	text, err := stdjson.Marshal(result.StructuredContent)
	if err != nil {
		return fmt.Errorf("call %q: read the refusal: %w", tool, err)
	}
	var said struct {
		Code      gate.Code          `json:"code"`
		Message   string             `json:"message"`
		Next      string             `json:"next"`
		Retryable bool               `json:"retryable"`
		Approval  *gate.Approval     `json:"approval"`
		Partial   *gate.Partial      `json:"partial"`
		Result    stdjson.RawMessage `json:"result"`
	}
	if err := stdjson.Unmarshal(text, &said); err != nil || said.Code == "" {
		return errors.Join(fmt.Errorf("call %q: the refusal has no code: %s", tool, text), err)
	}
	return &gate.Refusal{
		Code: said.Code, Message: said.Message, Next: said.Next, Retryable: said.Retryable,
		Approval: said.Approval, Partial: said.Partial, Output: said.Result,
	}
}

type progressKey struct{}

// WithProgress makes calls under the context ask for progress, which is passed
// to told.
func WithProgress(ctx context.Context, told func(done, total float64, message string)) context.Context {
	return context.WithValue(ctx, progressKey{}, told)
}

// progress passes notifications to whoever asked for them.
type progress struct {
	mu    sync.Mutex
	asked map[string]func(done, total float64, message string)
}

func (p *progress) token(ctx context.Context) string {
	told, ok := ctx.Value(progressKey{}).(func(done, total float64, message string))
	if !ok {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]func(done, total float64, message string){}
	}
	token := fmt.Sprintf("progress-%d", len(p.asked)+1)
	p.asked[token] = told
	return token
}

func (p *progress) note(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
	token, _ := request.Params.ProgressToken.(string)
	p.mu.Lock()
	told := p.asked[token]
	p.mu.Unlock()
	if told != nil {
		told(request.Params.Progress, request.Params.Total, request.Params.Message)
	}
}
