package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/protocols/internal/person"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

type object = map[string]any

// An actor is an agent that holds one mode: a real client with one server.
type actor struct {
	demo    *demo
	mode    string
	session *mcp.ClientSession
}

func (d *demo) connect(mode string) (*actor, error) {
	command := exec.CommandContext(d.ctx, filepath.Join(d.scratch, "greenfield-"+mode),
		"--workspace", d.workspace, "--state-dir", d.state, "--actor", mode+"-agent")
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	session, err := client.Connect(d.ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the server of mode %s: %w", mode, err)
	}
	return &actor{demo: d, mode: mode, session: session}, nil
}

// call calls a tool, prints the answer, and holds it against the code that is
// expected; an empty code expects success.
func (a *actor) call(code, tool string, arguments object) (object, error) {
	result, err := a.session.CallTool(a.demo.ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, fmt.Errorf("call %s in mode %s: %w", tool, a.mode, err)
	}
	answer, _ := result.StructuredContent.(object)
	got, _ := answer["code"].(string)
	if !result.IsError {
		got = ""
	}
	if got != code {
		return nil, fmt.Errorf("%s in mode %s answered %q, and %q was expected: %v", tool, a.mode, got, code, answer)
	}
	said := "done"
	if result.IsError {
		said = fmt.Sprintf("REFUSED %s: %v", code, answer["message"])
	}
	a.demo.sayf("  %-9s  %-15s  %s", a.mode, tool, said)
	return answer, nil
}

// carryChange plans, implements, approves and merges a change, and tries what
// is not allowed on the way.
func (d *demo) carryChange() (err error) {
	actors := map[string]*actor{}
	defer func() {
		for _, a := range actors {
			err = errors.Join(err, a.session.Close())
		}
	}()
	for _, mode := range []string{"plan", "implement", "review", "integrate"} {
		if actors[mode], err = d.connect(mode); err != nil {
			delete(actors, mode)
			return err
		}
	}
	if _, err := actors["plan"].call("", "write_plan", object{"text": "# Correct the greeting\n"}); err != nil {
		return err
	}
	if _, err := actors["implement"].call("", "edit", object{"path": "greeting.txt", "old_text": "wrold", "new_text": "world"}); err != nil {
		return err
	}
	committed, err := actors["implement"].call("", "commit", object{"message": "Correct the greeting", "branch": "greeting"})
	if err != nil {
		return err
	}
	change := object{"commit": committed["commit"], "base": committed["base"]}
	asked := object{"commit": committed["commit"], "base": committed["base"], "text": "A greeting ends with an exclamation mark.", "path": "greeting.txt", "line": 1}
	mended := object{}
	for _, step := range []struct {
		mode, code, tool string
		arguments        object
		person           []string // what a person at a terminal then does with the request
	}{
		{"implement", "TOOL_NOT_IN_MODE", "merge", change, nil},
		{"implement", "TOOL_NOT_IN_MODE", "approve", change, nil},
		{"review", "", "request_changes", asked, nil},
		{"integrate", "APPROVAL_PENDING", "merge", change, []string{"deny", "--reason", "the review asks for changes"}},
		{"integrate", "APPROVAL_DENIED", "merge", change, nil},
		{"implement", "", "reviews", object{}, nil},
		{"implement", "", "edit", object{"path": "greeting.txt", "old_text": "world.", "new_text": "world!"}, nil},
		{"implement", "", "commit", object{"message": "End it with an exclamation mark"}, nil},
		{"review", "", "approve", mended, nil},
		{"integrate", "APPROVAL_PENDING", "merge", mended, []string{"approve"}},
		{"integrate", "APPROVAL_PENDING", "merge", change, nil}, // approved was another commit
		{"integrate", "", "merge", mended, nil},
	} {
		answer, err := actors[step.mode].call(step.code, step.tool, step.arguments)
		if err != nil {
			return err
		}
		if step.tool == "commit" {
			mended["commit"], mended["base"] = answer["commit"], answer["base"]
		}
		if step.person != nil {
			if err := d.person(answer, step.person[0], step.person[1:]...); err != nil {
				return err
			}
		}
	}
	merged, err := d.quiet(d.workspace, "git", "log", "--format=%h %s", "main")
	if err != nil {
		return err
	}
	d.sayf("\n$ git log --format='%%h %%s' main\n%s", merged)
	return nil
}

// person decides, at a terminal, the request that a refusal names. The one who
// approves is shown on the screen.
func (d *demo) person(refusal object, verb string, more ...string) error {
	waiting, _ := refusal["approval"].(object)
	id, _ := waiting["id"].(string)
	args := append([]string{"approvals", verb, id}, more...)
	d.sayf("\n$ gatewright %s", strings.Join(args, " "))
	shown, err := person.Answer(d.ctx, "[y/N]", "y", filepath.Join(d.scratch, "gatewright"), append(args, "--state-dir", d.state)...)
	if err != nil {
		return err
	}
	if verb == "approve" {
		d.sayf("%s", strings.ReplaceAll(strings.TrimSpace(shown), d.scratch+string(filepath.Separator), ""))
	} else {
		lines := strings.Split(strings.TrimSpace(shown), "\n")
		d.sayf("%s", lines[len(lines)-1])
	}
	d.sayf("")
	return nil
}

// readLog verifies the audit log and prints what each mode did.
func (d *demo) readLog() (err error) {
	d.title("4. The audit log says which mode did what, and verifies")
	file, err := os.Open(filepath.Join(d.state, audit.FileName))
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	report, err := audit.Verify(file)
	if err != nil {
		return fmt.Errorf("verify the audit log: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	for decoder := json.NewDecoder(file); ; {
		var e audit.Entry
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		became := []string{e.Decision, e.Outcome, string(e.Code)}
		if e.Event == gate.ApprovalDecision {
			became = []string{e.Approval.Decision, "by", e.Approval.Approver}
		}
		d.sayf("  %3d  %-17s  %-9s  %-15s  %-15s  %s", e.Seq, e.Event, e.Mode, e.Actor, e.Tool, strings.TrimSpace(strings.Join(became, " ")))
	}
	d.sayf("\n%d entries, one unbroken chain, %d calls in flight. Head: %s", report.Entries, len(report.InFlight), report.Head.Hash)
	return nil
}
