package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/gate"
)

// protocol builds the MCP server of a service. It stays in this package: who
// held it could register a tool beside the gate.
func (s *service) protocol() (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{
		Name: s.mode.Protocol + "-" + s.mode.Mode, Title: s.mode.Protocol + ": " + s.mode.Mode, Version: s.mode.Version,
	}, &mcp.ServerOptions{
		Instructions: instructions(s.mode),
		Logger:       sdkLog(),
		// Not nil, or logging would be advertised; the tools of a mode do not change.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		PageSize:     max(1, len(s.mode.Tools)),
	})
	known := make(map[string]bool, len(s.mode.Tools))
	for _, tool := range s.mode.Tools {
		known[tool.Name] = true
		if err := register(server, tool, s.tool); err != nil {
			return nil, err
		}
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			call, isCall := request.(*mcp.CallToolRequest)
			if isCall && !known[call.Params.Name] {
				// The SDK would answer that there is no such tool, and nobody
				// would ever know that it was asked for.
				return s.tool(ctx, call)
			}
			return next(ctx, method, request)
		}
	})
	return server, nil
}

// register adds a tool. The SDK panics over a schema it does not take.
func register(server *mcp.Server, tool Tool, handle mcp.ToolHandler) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("tool %q: %v", tool.Name, cause)
		}
	}()
	listed := &mcp.Tool{
		Name: tool.Name, Description: tool.Description, InputSchema: json.RawMessage(tool.listedInput()),
		Annotations: annotations(tool.Effect),
	}
	output, err := tool.listedOutput()
	if err != nil {
		return fmt.Errorf("tool %q: %w", tool.Name, err)
	}
	if output != "" {
		if listed.OutputSchema, err = advertised(output); err != nil {
			return fmt.Errorf("tool %q: %w", tool.Name, err)
		}
	}
	server.AddTool(listed, handle)
	return nil
}

// annotations are all four hints. What a write does is not known here, so it
// may destroy, is not to be repeated, and may reach anything.
func annotations(effect gate.Effect) *mcp.ToolAnnotations {
	write := effect != gate.Read
	destructive, open := write, write
	return &mcp.ToolAnnotations{
		ReadOnlyHint: !write, IdempotentHint: !write, DestructiveHint: &destructive, OpenWorldHint: &open,
	}
}

// tool takes a call to the gate. It returns no error: whatever happens is the
// result of a tool, in words for a model.
func (s *service) tool(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.shared.look(ctx)
	client := s.clientOf(call)
	result := s.gate.Call(ctx, gate.Request{
		Tool: call.Params.Name, Arguments: call.Params.Arguments, Progress: progress(ctx, call),
		Client: client, Answered: client.answered(),
	})
	s.detail(result)
	if asked, ok := questionOf(result); ok {
		out, err := client.ask(asked)
		if err == nil {
			return out, nil
		}
		s.log.Error("the client cannot be asked", "call", result.CallID, "error", err)
	}
	answered := answer(result)
	s.shared.warn(call.Params.Name, answered)
	return answered, nil
}

// detail logs what a refusal says to whoever runs the server alone.
func (s *service) detail(result gate.Result) {
	if refusal := result.Refusal; refusal != nil && refusal.Detail != "" {
		s.log.Error(refusal.Error(), "call", result.CallID, "detail", refusal.Detail)
	}
}

// progress returns what passes progress on to the client, or nil where it did
// not ask for any.
func progress(ctx context.Context, call *mcp.CallToolRequest) func(done, total float64, message string) {
	token := call.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(done, total float64, message string) {
		// A client that cannot be told learns the outcome all the same.
		_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Total: total, Message: shorten(message),
		})
	}
}

// sdkLog passes on what the SDK finds worth an error.
func sdkLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}
