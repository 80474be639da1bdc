// Command bare is an MCP server on the SDK alone, for the benchmarks to compare
// with.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An input is what the tool takes.
type input struct {
	Path  string   `json:"path"`
	Line  *int64   `json:"line,omitempty"`
	Words []string `json:"words,omitempty"`
}

// An output is what it returns.
type output struct {
	Text  string `json:"text"`
	Line  int64  `json:"line"`
	Found bool   `json:"found"`
}

const (
	inputSchema  = `{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":0},"words":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`
	outputSchema = `{"type":"object","properties":{"text":{"type":"string"},"line":{"type":"integer"},"found":{"type":"boolean"}},"required":["text","line","found"],"additionalProperties":false}`
)

func look(in input) output {
	out := output{Text: "in " + in.Path, Found: len(in.Words) > 0}
	if in.Line != nil {
		out.Line = *in.Line
	}
	return out
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1.0.0"}, nil)
	server.AddTool(&mcp.Tool{
		Name: "raw", Description: "Look something up.", InputSchema: json.RawMessage(inputSchema), OutputSchema: json.RawMessage(outputSchema),
	}, raw)
	mcp.AddTool(server, &mcp.Tool{
		Name: "typed", Description: "Look something up.", InputSchema: json.RawMessage(inputSchema), OutputSchema: json.RawMessage(outputSchema),
	}, typed)
	if len(os.Args) > 1 {
		log, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return fmt.Errorf("open the log: %w", err)
		}
		mcp.AddTool(server, &mcp.Tool{
			Name: "synced", Description: "Look something up.", InputSchema: json.RawMessage(inputSchema), OutputSchema: json.RawMessage(outputSchema),
		}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, output, error) {
			if _, err := fmt.Fprintln(log, in.Path); err != nil {
				return nil, output{}, fmt.Errorf("write the log: %w", err)
			}
			if err := log.Sync(); err != nil {
				return nil, output{}, fmt.Errorf("sync the log: %w", err)
			}
			return nil, look(in), nil
		})
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func raw(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in input
	if err := json.Unmarshal(request.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	text, err := json.Marshal(look(in))
	if err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
}

func typed(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, output, error) {
	return nil, look(in), nil
}
