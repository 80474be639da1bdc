package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// A shelf says in plain Go what is kept of plans.
type shelf struct {
	now  time.Time
	list []*shelved
}

type shelved struct {
	plan      gate.Plan
	handle    string
	madeAt    time.Time
	expiresAt time.Time
	status    preview.Status
	key, call string
	owner     int // which of the stores began it
	ending    *gate.Ending
}

func (s *shelf) sweep() {
	for _, e := range s.list {
		if e.status == preview.Ready && (!e.expiresAt.After(s.now) || e.madeAt.After(s.now.Add(backwards))) {
			e.status = preview.Expired
		}
	}
}

// find is what a commitment is told: a code where it is refused.
func (s *shelf) find(c gate.Commitment) (*shelved, gate.Code) {
	s.sweep()
	i := slices.IndexFunc(s.list, func(e *shelved) bool { return e.handle == c.Handle })
	if i < 0 {
		return nil, gate.HandleUnknown
	}
	e := s.list[i]
	if e.plan.Tool != c.Tool {
		return e, gate.HandleWrongKind
	}
	for _, other := range s.list {
		if c.Key != "" && other.key == c.Key && other != e && other.plan.Tool == c.Tool {
			return e, gate.KeyReused
		}
	}
	switch e.status {
	case preview.Ready:
		if e.plan.Digest != c.Digest {
			return e, gate.HandleStale
		}
		return e, ""
	case preview.Begun:
		return e, gate.CommitInProgress
	case preview.Interrupted:
		return e, gate.CommitInterrupted
	case preview.Expired:
		return e, gate.HandleExpired
	case preview.Stale:
		return e, gate.HandleStale
	}
	return e, gate.HandleUsed
}

func (e *shelved) replays(c gate.Commitment) bool {
	return e != nil && e.ending != nil && c.Key != "" && e.key == c.Key && e.plan.Digest == c.Digest && e.plan.Tool == c.Tool
}

// A course is two stores on one file and the shelf side by side.
type course struct {
	ctx    context.Context
	folder *state.Folder
	clock  *clock
	stores []*Store
	shelf  *shelf
	calls  int
}

func (k *course) store(t *rapid.T) (int, *Store) {
	i := rapid.IntRange(0, len(k.stores)-1).Draw(t, "store")
	return i, k.stores[i]
}

// commitment mostly names a plan there is, in all the ways that it can be wrong.
func (k *course) commitment(t *rapid.T) gate.Commitment {
	k.calls++
	c := gate.Commitment{
		Handle: "invented", Tool: "import", Digest: "sha256:a", Mode: "m", Call: fmt.Sprint("call ", k.calls),
		Key: rapid.SampledFrom([]string{"", "", "k", "l", "m"}).Draw(t, "key"),
	}
	if len(k.shelf.list) == 0 || rapid.IntRange(0, 19).Draw(t, "invent") == 0 {
		return c
	}
	e := rapid.SampledFrom(k.shelf.list).Draw(t, "plan")
	c.Handle, c.Tool, c.Digest = e.handle, e.plan.Tool, e.plan.Digest
	if e.call != "" && rapid.Bool().Draw(t, "own") {
		c.Call, c.Key = e.call, e.key
	}
	switch rapid.IntRange(0, 15).Draw(t, "spoil") {
	case 0:
		c.Tool = "export"
	case 1:
		c.Digest = "sha256:b"
	}
	return c
}

// agree holds that a method answered as the shelf does.
func agree(t *rapid.T, code gate.Code, err error) {
	if code == "" {
		require.NoError(t, err)
		return
	}
	requireCode(t, code, err)
}

func (k *course) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"wait": func(t *rapid.T) {
			k.clock.forward(time.Duration(rapid.Int64Range(int64(-5*time.Minute), int64(20*time.Minute)).Draw(t, "for")))
			k.shelf.now = k.clock.now().UTC()
		},
		"keep": k.keep,
		"find": func(t *rapid.T) {
			c := k.commitment(t)
			_, store := k.store(t)
			k.found(t, store, c)
		},
		"hold": func(t *rapid.T) {
			c := k.commitment(t)
			_, store := k.store(t)
			until := k.shelf.now.Add(time.Duration(rapid.Int64Range(int64(-time.Hour), int64(30*time.Hour)).Draw(t, "until")))
			err := store.Hold(k.ctx, c, until)
			e, code := k.shelf.find(c)
			agree(t, code, err)
			if latest := e.latest(); code == "" && until.After(e.expiresAt) {
				e.expiresAt = until
				if until.After(latest) {
					e.expiresAt = latest
				}
			}
		},
		"begin": func(t *rapid.T) {
			c := k.commitment(t)
			i, store := k.store(t)
			err := store.Begin(k.ctx, c)
			e, code := k.shelf.find(c)
			agree(t, code, err)
			if code == "" {
				e.status, e.key, e.call, e.owner = preview.Begun, c.Key, c.Call, i
			}
		},
		"release": func(t *rapid.T) {
			c := k.commitment(t)
			_, store := k.store(t)
			k.finish(t, c, store.Release(k.ctx, c), func(e *shelved) { e.status, e.key, e.call = preview.Ready, "", "" })
		},
		"end":    k.end,
		"void":   k.void,
		"reopen": k.reopen,
		"resolve": func(t *rapid.T) {
			if rapid.IntRange(0, 2).Draw(t, "seldom") > 0 {
				return
			}
			k.person(t)
		},
		"": k.check,
	}
}

func (e *shelved) latest() time.Time {
	if e == nil {
		return time.Time{}
	}
	return e.madeAt.Add(preview.MaxHeld)
}

func (k *course) keep(t *rapid.T) {
	_, store := k.store(t)
	plan := planned("{}" + rapid.String().Draw(t, "body"))
	plan.Tool = rapid.SampledFrom([]string{"import", "import", "export"}).Draw(t, "tool")
	plan.Digest = rapid.SampledFrom([]string{"sha256:a", "sha256:a", "sha256:b"}).Draw(t, "digest")
	plan.TTL = time.Duration(rapid.Int64Range(1, int64(2*time.Hour)).Draw(t, "ttl"))
	made, err := store.Keep(k.ctx, plan)
	require.NoError(t, err)
	e := &shelved{plan: plan, handle: made.Handle, madeAt: k.shelf.now, expiresAt: k.shelf.now.Add(plan.TTL), status: preview.Ready}
	require.Equal(t, e.expiresAt, made.ExpiresAt)
	k.shelf.sweep()
	k.shelf.list = append(k.shelf.list, e)
}

// finish is what only the call that began a plan can do.
func (k *course) finish(t *rapid.T, c gate.Commitment, err error, then func(*shelved)) {
	e, code := k.shelf.find(c)
	if code == gate.HandleUnknown || code == gate.HandleWrongKind || e.status != preview.Begun || e.call != c.Call {
		requireFailed(t, BadRequest, err)
		return
	}
	require.NoError(t, err)
	then(e)
}

func requireFailed(t *rapid.T, reason Reason, err error) {
	var failed *Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, reason, failed.Reason)
}

func (k *course) end(t *rapid.T) {
	c := k.commitment(t)
	_, store := k.store(t)
	ending := gate.Ending{Output: []byte(c.Call)}
	status := preview.Committed
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		ending, status = gate.Ending{Refusal: gate.Refuse(gate.HandlerFailed, "of %s", c.Call)}, preview.Failed
	case 1:
		ending, status = gate.Ending{Refusal: gate.Refuse(gate.CommitPartial, "of %s", c.Call)}, preview.Partial
	}
	k.finish(t, c, store.End(k.ctx, c, ending), func(e *shelved) { e.status, e.ending = status, &ending })
}

func (k *course) void(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "seldom") > 0 {
		return
	}
	_, store := k.store(t)
	_, err := store.Void(k.ctx, "sha256:b")
	require.NoError(t, err)
	k.shelf.sweep()
	for _, e := range k.shelf.list {
		if e.status == preview.Ready && e.plan.Digest != "sha256:b" {
			e.status = preview.Stale
		}
	}
}

// reopen closes a store in the way in which a process ends: whatever it has
// begun is interrupted.
func (k *course) reopen(t *rapid.T) {
	i := rapid.IntRange(0, 3*len(k.stores)).Draw(t, "which")
	if i >= len(k.stores) {
		return // it takes long
	}
	k.stores[i].owner.running = 0
	require.NoError(t, k.stores[i].Close())
	store, err := Open(k.ctx, k.folder, Options{Now: k.clock.now})
	require.NoError(t, err)
	k.stores[i] = unsynced(t, store)
	for _, e := range k.shelf.list {
		if e.status == preview.Begun && e.owner == i {
			e.status = preview.Interrupted
		}
	}
}

// person says what was done of a commit.
func (k *course) person(t *rapid.T) {
	_, store := k.store(t)
	commits, err := store.Commits(k.ctx, CommitFilter{})
	require.NoError(t, err)
	if len(commits) == 0 {
		return
	}
	chosen := rapid.SampledFrom(commits).Draw(t, "commit")
	outcome := rapid.SampledFrom([]preview.Outcome{preview.Done, preview.NotDone, preview.Partly}).Draw(t, "outcome")
	resolved, err := store.Resolve(k.ctx, chosen.ID, preview.Resolution{Outcome: outcome, Note: "looked", By: "ada"})
	i := slices.IndexFunc(k.shelf.list, func(e *shelved) bool { return e.call == chosen.Call })
	require.Equal(t, chosen.ID, resolved.ID)
	if e := k.shelf.list[i]; e.status == preview.Interrupted {
		require.NoError(t, err)
		e.status = preview.Resolved
		require.Equal(t, outcome, resolved.Resolution.Outcome)
		return
	}
	require.ErrorIs(t, err, preview.ErrNotInterrupted)
}

// found compares what is found.
func (k *course) found(t *rapid.T, store *Store, c gate.Commitment) {
	stored, err := store.Find(k.ctx, c)
	e, code := k.shelf.find(c)
	switch {
	case code == gate.HandleUsed && e.replays(c):
		require.NoError(t, err)
		require.Equal(t, gate.Stored{Ending: e.ending}, stored)
	case code == "":
		require.NoError(t, err)
		require.Equal(t, e.plan.Body, stored.Body)
		require.Equal(t, e.plan.Recorded, stored.Recorded)
		require.Nil(t, stored.Ending)
	default:
		requireCode(t, code, err)
	}
}

// check compares everything there is: through both stores, with the key and
// without.
func (k *course) check(t *rapid.T) {
	for i, e := range k.shelf.list {
		for _, key := range []string{"", e.key} {
			k.found(t, k.stores[i%len(k.stores)], gate.Commitment{Handle: e.handle, Key: key, Tool: e.plan.Tool, Digest: e.plan.Digest})
		}
	}
	commits, err := k.stores[0].Commits(k.ctx, CommitFilter{})
	require.NoError(t, err)
	count := 0
	for _, e := range k.shelf.list {
		if e.call != "" {
			count++
		}
	}
	require.Len(t, commits, count)
	for _, commit := range commits {
		i := slices.IndexFunc(k.shelf.list, func(e *shelved) bool { return e.call == commit.Call })
		require.Equal(t, k.shelf.list[i].status, commit.Status)
		require.Equal(t, k.shelf.list[i].ending, commit.Ending)
	}
}

// The life of handles is what the model says, through two stores on one file.
func TestINV6_TheLifeOfAHandleIsThatOfTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		folder, clock := newFolder(t), newClock()
		k := &course{ctx: context.Background(), folder: folder, clock: clock, shelf: &shelf{now: clock.now().UTC()}}
		for range 2 {
			k.stores = append(k.stores, unsynced(t, openStore(t, folder, clock.now)))
		}
		defer func() {
			for _, store := range k.stores {
				_ = store.Close()
			}
		}()
		rt.Repeat(k.actions())
	})
}
