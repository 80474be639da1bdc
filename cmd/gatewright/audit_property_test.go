package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/generated/tracker/trackertest"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/servertest"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// An operation is one call as the test made it: what the log has to tell.
type operation struct {
	mode, actor, tool string
	decision          string
	outcome           string // of one that was admitted
	code              gate.Code
	approver          string
	preview           *operation // that made the plan of a commit

	call, plan string // as the log has them
}

// The two actors, each with a server of either mode.
type worker struct {
	actor    string
	planner  *trackertest.PlannerClient
	reporter *trackertest.ReporterClient
}

// An office has real servers, a person at the queue who says yes or no, and a
// list of everything that was done.
type office struct {
	t        *testing.T
	folder   string // workspace
	state    *state.Folder
	follower *audit.Reader
	workers  []worker
	yes      atomic.Bool
	drafts   int

	done  []*operation
	seen  int // how many of them were held against the log
	open  []planned
	ended []planned
}

// A planned import waits for its commit, or had one with its key.
type planned struct {
	handle, key string
	by          *operation
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, folder: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(o.folder, "docs"), 0o700))
	kit := trackertest.New(t, o.folder)
	for _, actor := range []string{"ci-bot", "ada's agent"} {
		own := kit.WithActor(actor)
		o.workers = append(o.workers, worker{actor, own.Planner(t), own.Reporter(t)})
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(o.folder), "*", "state", audit.FileName))
	require.NoError(t, err)
	require.Len(t, found, 1)
	place, err := state.PlaceAt(filepath.Dir(found[0]))
	require.NoError(t, err)
	o.state, err = place.Open()
	require.NoError(t, err)
	o.follower = audit.NewFollower(o.state)
	t.Cleanup(func() { require.NoError(t, errors.Join(o.follower.Close(), o.state.Close())) })
	o.seat()
	return o
}

// seat puts somebody before the desk, until the test ends.
func (o *office) seat() {
	desk, err := openDesk(o.t.Context(), o.state.Path())
	require.NoError(o.t, err)
	ctx, stop := context.WithCancel(o.t.Context())
	var gone sync.WaitGroup
	gone.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := desk.scan(ctx); err != nil {
				o.t.Errorf("look at what waits: %v", err)
			}
			for _, waits := range desk.list(ctx, store.Filter{Status: []approval.Status{approval.StatusPending}}) {
				status := approval.StatusDenied
				if o.yes.Load() {
					status = approval.StatusApproved
				}
				if _, err := waits.drawer.settle(ctx, waits.request, status, ""); err != nil && ctx.Err() == nil {
					o.t.Errorf("decide what waits: %v", err)
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	o.t.Cleanup(func() { stop(); gone.Wait(); desk.close() })
}

// did adds an operation with what its caller was told.
func (o *office) did(mode string, w worker, tool string, err error) *operation {
	op := &operation{mode: mode, actor: w.actor, tool: tool, decision: gate.Admitted, outcome: gate.Succeeded}
	refusal := new(gate.Refusal)
	if errors.As(err, &refusal) {
		op.decision, op.outcome, op.code = gate.Refused, "", refusal.Code
	} else {
		require.NoError(o.t, err)
	}
	o.done = append(o.done, op)
	return op
}

func (o *office) preview(w worker) {
	o.drafts++
	name := fmt.Sprintf("docs/%d.md", o.drafts)
	require.NoError(o.t, os.WriteFile(filepath.Join(o.folder, name), fmt.Appendf(nil, "- [ ] Item %d\n", o.drafts), 0o600))
	made, err := w.planner.ImportPreview(o.t.Context(), tracker.ImportInput{Document: name})
	op := o.did("planner", w, "import_preview", err)
	require.NoError(o.t, err)
	o.open = append(o.open, planned{made.Handle, fmt.Sprintf("key-%d", o.drafts), op})
}

// commit carries out a plan that anybody previewed, if the person says yes.
func (o *office) commit(w worker, at int, yes bool) {
	at %= len(o.open)
	chosen := o.open[at]
	o.open = slices.Delete(o.open, at, at+1)
	o.yes.Store(yes)
	_, err := w.planner.ImportCommit(o.t.Context(), servertest.Commit{Handle: chosen.handle, Confirmed: true, IdempotencyKey: chosen.key})
	op := o.did("planner", w, "import_commit", err)
	op.approver, op.preview = thisDecider().name, chosen.by
	if yes {
		require.NoError(o.t, err)
		o.ended = append(o.ended, chosen)
	}
}

func (o *office) commitAgain(w worker, at int) {
	chosen := o.ended[at%len(o.ended)]
	_, err := w.planner.ImportCommit(o.t.Context(), servertest.Commit{Handle: chosen.handle, Confirmed: true, IdempotencyKey: chosen.key})
	require.NoError(o.t, err)
	op := o.did("planner", w, "import_commit", err)
	op.decision, op.outcome = gate.Replayed, ""
}

func (o *office) report(w worker, item int) {
	note := fmt.Sprintf("note %d", len(o.done))
	made, err := w.reporter.ProgressPreview(o.t.Context(), tracker.ProgressInput{Item: int64(item), State: tracker.ProgressInputStateDoing, Note: &note})
	require.NoError(o.t, err)
	preview := o.did("reporter", w, "progress_preview", err)
	_, err = w.reporter.ProgressCommit(o.t.Context(), servertest.Commit{Handle: made.Handle, Confirmed: true})
	require.NoError(o.t, err)
	o.did("reporter", w, "progress_commit", err).preview = preview
}

// A deed is one thing to do, as it was drawn.
type deed struct {
	what, worker, at int
	yes              bool
}

func deeds() *rapid.Generator[[]deed] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
		return deed{
			what: rapid.IntRange(0, 11).Draw(t, "what"), worker: rapid.IntRange(0, 1).Draw(t, "worker"),
			at: rapid.IntRange(0, 9).Draw(t, "at"), yes: rapid.Bool().Draw(t, "yes"),
		}
	}), 8, 20)
}

func (o *office) do(d deed) {
	w := o.workers[d.worker]
	switch {
	case d.what == 0:
		_, err := w.reporter.ListItems(o.t.Context(), tracker.ListItemsInput{})
		o.did("reporter", w, "list_items", err)
	case d.what == 1:
		_, err := w.planner.ListItems(o.t.Context(), tracker.ListItemsInput{})
		o.did("planner", w, "list_items", err)
	case d.what == 2:
		_, err := w.reporter.ShowItem(o.t.Context(), tracker.ShowItemInput{Item: 1 << 40})
		op := o.did("reporter", w, "show_item", err)
		require.NotEmpty(o.t, op.code)
		op.decision, op.outcome = gate.Admitted, gate.Failed
	case d.what == 3:
		_, err := w.planner.ImportCommit(o.t.Context(), servertest.Commit{Handle: "nothing of that name", Confirmed: d.yes})
		require.NotEmpty(o.t, o.did("planner", w, "import_commit", err).code)
	case d.what == 4:
		require.Zero(o.t, runAudit(o.t.Context(), "rotate", "--state-dir", o.state.Path()).code)
	case d.what == 5 && len(o.ended) > 0:
		o.report(w, 1+d.at%len(o.ended))
	case d.what == 6 && len(o.ended) > 0:
		o.commitAgain(w, d.at)
	case d.what < 10 && len(o.open) > 0:
		o.commit(w, d.at, d.yes)
	default:
		o.preview(w)
	}
}

// check holds what the log got since the last time against what was done.
func (o *office) check() {
	t := o.t
	for {
		e, err := o.follower.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e.Event {
		case gate.ToolCall:
			require.Less(t, o.seen, len(o.done), "the log has a call that nobody made")
			o.done[o.seen].decided(t, &e)
			o.seen++
		case gate.ToolResult:
			at := slices.IndexFunc(o.done, func(op *operation) bool { return op.call == e.Call })
			require.GreaterOrEqual(t, at, 0, "the log has the result of a call that it does not have")
			op := o.done[at]
			require.Equal(t, []string{op.mode, op.actor, op.tool, op.outcome}, []string{e.Mode, e.Actor, e.Tool, e.Outcome})
			require.Equal(t, gate.Admitted, op.decision)
			op.plan = e.Plan
		default:
			require.NotEqual(t, gate.WF1Violation, e.Event)
		}
	}
	require.Equal(t, len(o.done), o.seen, "the log misses a call")
}

// decided holds the entry with the decision about an operation against it.
func (op *operation) decided(t *testing.T, e *audit.Entry) {
	t.Helper()
	require.Equal(t, []string{op.mode, op.actor, op.tool, op.decision}, []string{e.Mode, e.Actor, e.Tool, e.Decision})
	approver := ""
	if e.Approval != nil {
		approver = e.Approval.Approver
	}
	require.Equal(t, op.approver, approver)
	if op.decision == gate.Refused {
		require.Equal(t, op.code, e.Code)
	}
	if op.preview != nil {
		require.NotEmpty(t, e.Plan)
		require.Equal(t, op.preview.plan, e.Plan, "the log leads to the preview")
	}
	require.NotEmpty(t, e.Call)
	require.NotEmpty(t, e.Session)
	op.call = e.Call
}

// Of whatever real servers were asked to do, the log alone tells the mode, the
// actor, who approved it and who made its plan.
func TestINV3_ModeActorAndApproverOfEveryOperationAreInTheLog(t *testing.T) {
	came, drawn := map[string]int{}, deeds()
	var mu sync.Mutex
	t.Run("offices", func(t *testing.T) {
		for seed := range 30 {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { // whose servers end with it
				t.Parallel()
				o := newOffice(t)
				for _, d := range drawn.Example(seed) {
					o.do(d)
				}
				o.check()
				for _, op := range o.done {
					op.told(t, o.state.Path())
				}
				run := runAudit(t.Context(), "verify", "--strict", "--state-dir", o.state.Path())
				require.Zero(t, run.code, run.out+run.err)
				mu.Lock()
				defer mu.Unlock()
				for _, op := range o.done {
					came[op.decision+" "+op.outcome+" "+op.approver]++
				}
			})
		}
	})
	for _, each := range []string{
		"admitted succeeded ", "admitted succeeded " + thisDecider().name, "admitted failed ", "refused  ", "refused  " + person(), "replayed  ",
	} {
		require.NotZero(t, came[each], each)
	}
}

// told holds what `audit who` tells of an operation against it.
func (op *operation) told(t *testing.T, dir string) {
	t.Helper()
	run := runAudit(t.Context(), "who", "--json", "--state-dir", dir, op.call)
	require.Zero(t, run.code, run.err)
	var about struct{ Entries, Related []audit.Entry }
	require.NoError(t, json.Unmarshal([]byte(run.out), &about))
	approvers := []string{}
	for _, e := range about.Entries {
		require.Equal(t, []string{op.mode, op.actor, op.tool}, []string{e.Mode, e.Actor, e.Tool})
		if e.Event == gate.ApprovalDecision {
			approvers = append(approvers, e.Approval.Approver)
		}
	}
	if op.approver != "" {
		require.Equal(t, []string{op.approver}, approvers)
	}
	previews := slices.DeleteFunc(about.Related, func(e audit.Entry) bool { return e.Event != gate.ToolResult })
	if op.preview != nil {
		require.Len(t, previews, 1)
		require.Equal(t, []string{op.preview.call, op.preview.actor}, []string{previews[0].Call, previews[0].Actor})
	}
}
