// Command bare is an MCP server on the SDK alone, for the benchmarks to compare
// with.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/bench/internal/tool"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1.0.0"}, nil)
	server.AddTool(tool.Named("raw"), raw)
	mcp.AddTool(server, tool.Named("typed"), typed)
	if len(os.Args) > 1 {
		log, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return fmt.Errorf("open the log: %w", err)
		}
		mcp.AddTool(server, tool.Named("synced"), func(_ context.Context, _ *mcp.CallToolRequest, in tool.Input) (*mcp.CallToolResult, tool.Output, error) {
			if _, err := fmt.Fprintln(log, in.Path); err != nil {
				return nil, tool.Output{}, fmt.Errorf("write the log: %w", err)
			}
			if err := log.Sync(); err != nil {
				return nil, tool.Output{}, fmt.Errorf("sync the log: %w", err)
			}
			return nil, tool.Look(in), nil
		})
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func raw(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in tool.Input
	if err := json.Unmarshal(request.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	text, err := json.Marshal(tool.Look(in))
	if err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
}

func typed(_ context.Context, _ *mcp.CallToolRequest, in tool.Input) (*mcp.CallToolResult, tool.Output, error) {
	return nil, tool.Look(in), nil
}
