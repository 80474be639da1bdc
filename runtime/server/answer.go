package server

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/gate"
)

// maxMessage bounds the words of one answer, in bytes.
const maxMessage = 8 << 10

// A refused call's structured content.
type refused struct {
	Code      gate.Code       `json:"code"`
	Message   string          `json:"message"`
	Next      string          `json:"next"`
	Retryable bool            `json:"retryable"`
	Call      string          `json:"call"` // id, as the audit log has it
	Approval  *gate.Approval  `json:"approval,omitempty"`
	Partial   *gate.Partial   `json:"partial,omitempty"` // how far a commit got
	Result    json.RawMessage `json:"result,omitempty"`  // of a call that ran and could not be recorded
}

// answer makes the result of a tool out of what the gate said.
func answer(result gate.Result) *mcp.CallToolResult {
	switch {
	case result.Refusal != nil:
		said := refusal(result)
		return &mcp.CallToolResult{
			IsError: true, StructuredContent: said, Content: []mcp.Content{&mcp.TextContent{Text: words(said)}},
		}
	case result.Output == nil:
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}
	}
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(result.Output), Content: []mcp.Content{&mcp.TextContent{Text: string(result.Output)}},
	}
}

func refusal(result gate.Result) refused {
	r := result.Refusal
	return refused{
		Code: r.Code, Message: shorten(r.Message), Next: shorten(r.Next), Retryable: r.Retryable,
		Call: result.CallID, Approval: r.Approval, Partial: r.Partial, Result: r.Output,
	}
}

// words say a refusal to a model.
func words(said refused) string {
	text := string(said.Code) + ": " + said.Message
	if said.Next != "" {
		text += "\n" + said.Next
	}
	if said.Result != nil {
		text += "\nThe result: " + shorten(string(said.Result))
	}
	return text
}

func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}
