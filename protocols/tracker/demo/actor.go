package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type object = map[string]any

// An actor is an agent that holds one mode: a real client with one server.
type actor struct {
	demo    *demo
	mode    string
	session *mcp.ClientSession
}

func (d *demo) connect(mode string) (*actor, error) {
	command := exec.CommandContext(d.ctx, filepath.Join(d.scratch, "tracker-"+mode),
		"--workspace", d.workspace, "--state-dir", d.state, "--actor", mode+"-agent")
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	session, err := client.Connect(d.ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the server of mode %s: %w", mode, err)
	}
	return &actor{demo: d, mode: mode, session: session}, nil
}

// An answer is what a call came to.
type answer struct {
	text string // of the result, as it is
	said said
}

// said is what the demonstration reads of results and of refusals.
type said struct {
	Handle  string `json:"handle"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Plan    struct {
		Items   []json.RawMessage `json:"items"`
		Skipped []json.RawMessage `json:"skipped"`
		Before  stage             `json:"before"`
		After   stage             `json:"after"`
	} `json:"plan"`
	Approval struct {
		ID string `json:"id"`
	} `json:"approval"`
	Result json.RawMessage `json:"result"`
}

type stage struct {
	State string `json:"state"`
}

// call calls a tool, prints the answer, and holds it against the code that is
// expected; an empty code expects success.
func (a *actor) call(code, tool string, arguments object) (answer, error) {
	result, err := a.session.CallTool(a.demo.ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return answer{}, fmt.Errorf("call %s in mode %s: %w", tool, a.mode, err)
	}
	content, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return answer{}, fmt.Errorf("read what %s said: %w", tool, err)
	}
	var got answer
	if err := json.Unmarshal(content, &got.said); err != nil {
		return answer{}, fmt.Errorf("read what %s said: %w", tool, err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); ok {
		got.text = text.Text
	}
	if result.IsError != (code != "") || got.said.Code != code {
		return got, fmt.Errorf("%s in mode %s answered %s, and %q was expected", tool, a.mode, content, code)
	}
	a.demo.sayf("  %-8s  %-16s  %s", a.mode, tool, got.words(code))
	return got, nil
}

func (a answer) words(code string) string {
	switch {
	case code != "":
		return "REFUSED " + code + ": " + a.said.Message
	case a.said.Handle != "" && len(a.said.Plan.Items) > 0:
		return fmt.Sprintf("a plan of %d items, %d skipped", len(a.said.Plan.Items), len(a.said.Plan.Skipped))
	case a.said.Handle != "":
		return "a plan: from " + a.said.Plan.Before.State + " to " + a.said.Plan.After.State
	}
	return "committed " + string(a.said.Result)
}
