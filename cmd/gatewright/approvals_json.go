package main

import (
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gatewright/gatewright/runtime/approval"
)

// jsonShape is what is promised of the JSON.
const jsonShape = `With --json it prints one object:

  {"v": 1, "approvals": [...], "problems": [{"state_dir": "...", "error": "..."}]}

Each element of "approvals" has every one of these members:

  id, status, protocol, digest, mode, tool, actor, session, workspace, call,
  binding, subject, why, provider, approver, reason, used_by, state_dir   strings, "" where there is none
  asked_at, expires_at, decided_at, used_at                               times as RFC 3339 has them, or null
  arguments, shown                                                        JSON as it was given, or null
  by                                                                      array of providers
  round                                                                   questions put through the client

status is pending, approved, denied, failed, timed_out, expired, stale or used.
Members may be added; none is taken away or given another meaning while v is 1.`

// An approvalJSON is what is printed of a request.
type approvalJSON struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	Protocol  string         `json:"protocol"`
	Digest    string         `json:"digest"`
	Mode      string         `json:"mode"`
	Tool      string         `json:"tool"`
	Actor     string         `json:"actor"`
	Session   string         `json:"session"`
	Workspace string         `json:"workspace"`
	Call      string         `json:"call"`
	Binding   string         `json:"binding"`
	Subject   string         `json:"subject"`
	Arguments jsontext.Value `json:"arguments"`
	Why       string         `json:"why"`
	Shown     jsontext.Value `json:"shown"`
	By        []string       `json:"by"`
	Round     int            `json:"round"`
	AskedAt   *time.Time     `json:"asked_at"`
	ExpiresAt *time.Time     `json:"expires_at"`
	DecidedAt *time.Time     `json:"decided_at"`
	Provider  string         `json:"provider"`
	Approver  string         `json:"approver"`
	Reason    string         `json:"reason"`
	UsedAt    *time.Time     `json:"used_at"`
	UsedBy    string         `json:"used_by"`
	StateDir  string         `json:"state_dir"`
}

type listJSON struct {
	V         int            `json:"v"`
	Approvals []approvalJSON `json:"approvals"`
	Problems  []problemJSON  `json:"problems"`
}

type problemJSON struct {
	StateDir string `json:"state_dir"`
	Error    string `json:"error"`
}

func listOf(found []item, problems []problem) listJSON {
	list := listJSON{V: 1, Approvals: []approvalJSON{}, Problems: []problemJSON{}}
	for _, each := range found {
		list.Approvals = append(list.Approvals, shapeOf(each))
	}
	for _, each := range problems {
		list.Problems = append(list.Problems, problemJSON{each.Path, each.Err.Error()})
	}
	return list
}

func shapeOf(i item) approvalJSON {
	r := i.request
	return approvalJSON{
		ID: r.ID, Status: string(r.Status), Protocol: r.Protocol, Digest: r.Digest, Mode: r.Mode, Tool: r.Tool, Actor: r.Actor, Session: r.Session,
		Workspace: r.Workspace, Call: r.Call, Binding: r.Binding, Subject: r.Subject, Arguments: valueOf(r.Arguments), Why: r.Why,
		Shown: valueOf([]byte(r.Shown)), By: append([]string{}, r.By...), Round: r.Questions(), AskedAt: timeOf(r.AskedAt), ExpiresAt: timeOf(r.ExpiresAt),
		DecidedAt: timeOf(r.DecidedAt), Provider: r.Provider, Approver: r.Approver, Reason: r.Reason, UsedAt: timeOf(r.UsedAt), UsedBy: r.UsedBy,
		StateDir: i.drawer.folder.Path(),
	}
}

// valueOf is JSON as it is, or null where it is none.
func valueOf(text []byte) jsontext.Value {
	if value := jsontext.Value(text); value.IsValid() {
		return value
	}
	return nil
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// printJSON writes a value so that it can also be looked at in a terminal: what
// would be acted on there is escaped, which changes nothing of what it says.
func printJSON(out io.Writer, value any) error {
	text, err := json.Marshal(value, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		_, err = io.WriteString(out, approval.Visible(string(text))+"\n")
	}
	if err != nil {
		return fmt.Errorf("print the requests: %w", err)
	}
	return nil
}
