package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// A journal is a state folder whose log is written here as servers write it,
// one mode at a time.
type journal struct {
	dir    string
	folder *state.Folder
	logs   map[string]*audit.Log
	at     time.Time
	calls  int
}

var journalStart = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func openJournal(ctx context.Context, dir, workspace string) (*journal, error) {
	folder, err := state.Open(state.Options{Dir: dir, Protocol: "notes", Workspace: workspace})
	if err != nil {
		return nil, err
	}
	j := &journal{dir: dir, folder: folder, logs: map[string]*audit.Log{}, at: journalStart}
	_, err = j.log(ctx, "plan")
	return j, err
}

func newJournal(t testing.TB) *journal {
	t.Helper()
	j, err := openJournal(t.Context(), filepath.Join(t.TempDir(), "state"), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.close() })
	return j
}

func (j *journal) close() error {
	errs := []error{}
	for _, log := range j.logs {
		errs = append(errs, log.Close(context.Background()))
	}
	return errors.Join(append(errs, j.folder.Close())...)
}

func (j *journal) log(ctx context.Context, mode string) (*audit.Log, error) {
	if log := j.logs[mode]; log != nil {
		return log, nil
	}
	log, err := audit.Open(ctx, j.folder, audit.Options{
		Protocol: "notes", Digest: trayDigest, Mode: mode, Actor: "ci-bot", Session: "1:2", Now: func() time.Time { return j.at },
	})
	if err == nil {
		j.logs[mode] = log
	}
	return log, err
}

// record writes one entry. Reads are written throughout: nothing is synced.
func (j *journal) record(ctx context.Context, e gate.Entry) error {
	log, err := j.log(ctx, e.Mode)
	if err != nil {
		return err
	}
	j.at = j.at.Add(1500 * time.Millisecond)
	e.Time, e.Protocol, e.Digest, e.Effect = j.at, "notes", trayDigest, gate.Read
	return log.Record(ctx, e)
}

// call writes a call and its result, which may be changed before.
func (j *journal) call(ctx context.Context, mode, tool string, change func(call, result *gate.Entry)) (string, error) {
	j.calls++
	id := fmt.Sprintf("%06dCALL", j.calls)
	call := gate.Entry{Event: gate.ToolCall, Mode: mode, Tool: tool, CallID: id, Actor: "ci-bot", Session: "1:2", Args: trayDigest, Decision: gate.Admitted}
	result := call
	result.Event, result.Decision, result.Outcome = gate.ToolResult, "", gate.Succeeded
	if change != nil {
		change(&call, &result)
	}
	if err := j.record(ctx, call); err != nil || result.Event == "" {
		return id, err
	}
	return id, j.record(ctx, result)
}

// refused turns a call into one that was refused with a code.
func refused(code gate.Code) func(call, result *gate.Entry) {
	return func(call, result *gate.Entry) {
		call.Decision, call.Code = gate.Refused, code
		result.Event = ""
	}
}

// approve writes a request, a decision and the call that uses it, which was
// made again.
func (j *journal) approve(ctx context.Context, id string) error {
	asked := &gate.Approval{ID: id, Provider: "queue", Decision: "pending", ExpiresAt: "2026-03-01T10:00:00Z"}
	given := &gate.Approval{ID: id, Provider: "queue", Approver: "ada (uid 7)", Decision: "approved", Reason: "looks right", Waited: "1m2s"}
	request := gate.Entry{Event: gate.ApprovalRequest, Mode: "review", Tool: "publish", CallID: id + "ASKED", Actor: "ci-bot", Session: "1:2", Args: trayDigest, Approval: asked}
	decision := request
	decision.Event, decision.Approval = gate.ApprovalDecision, given
	err := j.record(ctx, request)
	if err == nil {
		err = j.record(ctx, decision)
	}
	if err == nil {
		_, err = j.call(ctx, "review", "publish", func(call, result *gate.Entry) {
			call.Approval, result.Approval = given, given
			call.Recorded = map[string]string{"/commit": `"abc"`}
		})
	}
	return err
}

// fill writes until there are n entries or a few more: calls of three modes,
// some refused, some approved, a plan and its commit.
func (j *journal) fill(ctx context.Context, n int) error {
	for i := 0; ; i++ {
		log, err := j.log(ctx, "plan")
		if err != nil {
			return err
		}
		if head, err := log.Head(ctx); err != nil || head.Seq >= uint64(n) {
			return err
		}
		mode := []string{"plan", "implement", "review"}[i/7%3]
		switch {
		case i%11 == 5:
			_, err = j.call(ctx, mode, "merge", refused(gate.ToolNotInMode))
		case i%13 == 6:
			err = j.approve(ctx, fmt.Sprintf("%04dAPPROVAL", i))
		case i%17 == 8:
			err = j.carryOut(ctx, fmt.Sprintf("%064d", i))
		case i%19 == 9:
			_, err = j.call(ctx, mode, "edit", func(_, result *gate.Entry) { result.Outcome, result.Code = gate.Failed, gate.HandlerFailed })
		default:
			_, err = j.call(ctx, mode, "look", nil)
		}
		if err != nil {
			return err
		}
	}
}

// carryOut writes a preview and the commit of its plan.
func (j *journal) carryOut(ctx context.Context, plan string) error {
	_, err := j.call(ctx, "implement", "import_preview", func(_, result *gate.Entry) { result.Plan = "sha256:" + plan })
	if err == nil {
		_, err = j.call(ctx, "implement", "import_commit", func(call, result *gate.Entry) { call.Plan, result.Plan = "sha256:"+plan, "sha256:"+plan })
	}
	return err
}

// content is the text of the file that is being written.
func (j *journal) content(tb testing.TB) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(j.dir, audit.FileName))
	require.NoError(tb, err)
	return text
}

// auditRun is one run of the command, with what it printed.
type auditRun struct {
	code     int
	out, err string
}

// runAudit runs the command within this process.
func runAudit(ctx context.Context, args ...string) auditRun {
	var out, errs bytes.Buffer
	root := newRoot()
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs(append([]string{"audit"}, args...))
	err := root.ExecuteContext(ctx)
	result := auditRun{out: out.String(), err: errs.String()}
	if err != nil {
		exit := exitError{code: exitFailed, err: err}
		errors.As(err, &exit)
		result.code = exit.code
		if exit.err != nil {
			result.err += exit.err.Error()
		}
	}
	return result
}
