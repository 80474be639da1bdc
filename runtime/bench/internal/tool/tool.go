// Package tool is the tool of the bare servers.
package tool

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Input is what the tool takes.
type Input struct {
	Path  string   `json:"path"`
	Line  *int64   `json:"line,omitempty"`
	Words []string `json:"words,omitempty"`
}

// An Output is what it returns.
type Output struct {
	Text  string `json:"text"`
	Line  int64  `json:"line"`
	Found bool   `json:"found"`
}

const (
	inputSchema  = `{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":0},"words":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`
	outputSchema = `{"type":"object","properties":{"text":{"type":"string"},"line":{"type":"integer"},"found":{"type":"boolean"}},"required":["text","line","found"],"additionalProperties":false}`
)

// Named is the tool under a name.
func Named(name string) *mcp.Tool {
	return &mcp.Tool{
		Name: name, Description: "Look something up.", InputSchema: json.RawMessage(inputSchema), OutputSchema: json.RawMessage(outputSchema),
	}
}

// Look does the work of the tool.
func Look(in Input) Output {
	out := Output{Text: "in " + in.Path, Found: len(in.Words) > 0}
	if in.Line != nil {
		out.Line = *in.Line
	}
	return out
}
