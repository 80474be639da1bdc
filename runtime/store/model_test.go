package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/runtime/approval"
)

// A model says in plain Go what a book does.
type model struct {
	now  time.Time
	list []*entry // in the order in which they were asked
}

type entry struct {
	approval.Request
	told bool
}

func (e *entry) live() bool {
	return e.Status == approval.StatusPending || e.Status == approval.StatusApproved
}

// sweep ends what is over.
func (m *model) sweep() {
	for _, e := range m.list {
		if !e.live() || e.ExpiresAt.After(m.now) && !e.AskedAt.After(m.now.Add(backwards)) {
			continue
		}
		if e.Status == approval.StatusApproved {
			e.Status = approval.StatusExpired
			continue
		}
		e.Status, e.DecidedAt = approval.StatusTimedOut, e.ExpiresAt
		if m.now.Before(e.ExpiresAt) {
			e.DecidedAt = m.now
		}
	}
}

func (m *model) find(id string) *entry {
	for _, e := range m.list {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// standing is the request that a call stands before, nil where there is none.
func (m *model) standing(fresh approval.Request) *entry {
	for _, e := range m.list {
		if e.live() && e.Binding == fresh.Binding {
			return e
		}
	}
	for _, e := range slices.Backward(m.list) {
		if !e.live() && !e.told && (e.Binding == fresh.Binding || e.Status == approval.StatusStale && e.Subject == fresh.Subject) {
			return e
		}
	}
	return nil
}

func (m *model) ask(fresh approval.Request, ttl time.Duration) (approval.Request, bool) {
	m.sweep()
	if e := m.standing(fresh); e != nil {
		e.told = !e.live()
		return e.Request, false
	}
	fresh.Status, fresh.AskedAt, fresh.ExpiresAt = approval.StatusPending, m.now, m.now.Add(ttl)
	m.list = append(m.list, &entry{Request: fresh})
	return fresh, true
}

// pending applies a change to a pending request, as the methods do that want
// one.
func (m *model) pending(id string, change func(*entry)) (approval.Request, error) {
	m.sweep()
	e := m.find(id)
	switch {
	case e == nil:
		return approval.Request{}, approval.ErrUnknown
	case e.Status != approval.StatusPending:
		return e.Request, approval.ErrNotPending
	}
	change(e)
	return e.Request, nil
}

func (m *model) claim(id, binding, call string) (approval.Request, error) {
	m.sweep()
	e := m.find(id)
	switch {
	case e == nil:
		return approval.Request{}, approval.ErrUnknown
	case e.Status != approval.StatusApproved || e.Binding != binding:
		return e.Request, approval.ErrNotApproved
	}
	e.Status, e.UsedAt, e.UsedBy, e.told = approval.StatusUsed, m.now, call, true
	return e.Request, nil
}

func (m *model) void(digest string) (voided int) {
	m.sweep()
	for _, e := range m.list {
		if !e.live() || e.Digest == digest {
			continue
		}
		if e.DecidedAt.IsZero() {
			e.DecidedAt = m.now
		}
		e.Status = approval.StatusStale
		voided++
	}
	return voided
}

// A life is the store and the model side by side. Two stores share the file.
type life struct {
	ctx    context.Context
	clock  *clock
	stores []*Store
	model  *model
	asked  int
}

func (l *life) store(t *rapid.T) *Store { return rapid.SampledFrom(l.stores).Draw(t, "store") }

func (l *life) id(t *rapid.T) string {
	if len(l.model.list) == 0 || rapid.IntRange(0, 19).Draw(t, "invent") == 0 {
		return "invented"
	}
	return rapid.SampledFrom(l.model.list).Draw(t, "request").ID
}

func (l *life) fresh(t *rapid.T) approval.Request {
	l.asked++
	digest, subject := rapid.SampledFrom([]string{"sha256:a", "sha256:b"}).Draw(t, "digest"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "subject")
	request := asked(subject)
	request.Shown = rapid.String().Draw(t, "shown")
	request.ID, request.Binding, request.Subject, request.Digest = fmt.Sprint("id ", l.asked), digest+subject, subject, digest
	return request
}

// same holds that both gave the same answer.
func same(t *rapid.T, want, got approval.Request, wanted, err error) {
	require.ErrorIs(t, err, wanted)
	if !errors.Is(wanted, approval.ErrUnknown) {
		require.Equal(t, want, got)
	}
}

func (l *life) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"stands": func(t *rapid.T) {
			fresh := l.fresh(t)
			got, err := l.store(t).Stands(l.ctx, fresh.Binding, fresh.Subject)
			require.NoError(t, err)
			l.model.sweep()
			require.Equal(t, l.model.standing(fresh) != nil, got)
		},
		"wait": func(t *rapid.T) {
			l.clock.forward(time.Duration(rapid.Int64Range(int64(-5*time.Minute), int64(20*time.Minute)).Draw(t, "for")))
			l.model.now = l.clock.now().UTC()
		},
		"ask": func(t *rapid.T) {
			fresh, ttl := l.fresh(t), time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "ttl"))
			got, made, err := l.store(t).Ask(l.ctx, fresh, ttl)
			want, fresher := l.model.ask(fresh, ttl)
			same(t, want, got, nil, err)
			require.Equal(t, fresher, made)
		},
		"decide": func(t *rapid.T) {
			ruling := approval.Ruling{
				Provider: "queue", Approver: "somebody", Reason: "so",
				Status: rapid.SampledFrom([]approval.Status{approval.StatusApproved, approval.StatusApproved, approval.StatusDenied, approval.StatusFailed}).Draw(t, "status"),
			}
			id := l.id(t)
			got, err := l.store(t).Decide(l.ctx, id, ruling)
			want, wanted := l.model.pending(id, func(e *entry) {
				e.Status, e.Provider, e.Approver, e.Reason, e.DecidedAt = ruling.Status, ruling.Provider, ruling.Approver, ruling.Reason, l.model.now
			})
			same(t, want, got, wanted, err)
		},
		"put": func(t *rapid.T) {
			id := l.id(t)
			round, err := l.store(t).Put(l.ctx, id)
			want, wanted := l.model.pending(id, func(e *entry) { e.Round = (e.Round+1)/2*2 + 1 })
			require.ErrorIs(t, err, wanted)
			if wanted == nil {
				require.Equal(t, want.Round, round)
			}
		},
		"take": func(t *rapid.T) {
			id, taken := l.id(t), false
			round := rapid.IntRange(0, 4).Draw(t, "round")
			err := l.store(t).Take(l.ctx, id, round)
			_, wanted := l.model.pending(id, func(e *entry) {
				if taken = e.Round == round && round%2 == 1; taken {
					e.Round++
				}
			})
			if wanted == nil && !taken {
				wanted = approval.ErrAnswered
			}
			require.ErrorIs(t, err, wanted)
		},
		"told": func(t *rapid.T) {
			id := l.id(t)
			err := l.store(t).Told(l.ctx, id)
			l.model.sweep()
			e := l.model.find(id)
			if e == nil {
				require.ErrorIs(t, err, approval.ErrUnknown)
				return
			}
			require.NoError(t, err)
			e.told = e.told || !e.live()
		},
		"claim": func(t *rapid.T) {
			id := l.id(t)
			binding := rapid.SampledFrom([]string{"sha256:ax", "sha256:ay", "sha256:bx", "sha256:by"}).Draw(t, "binding")
			if e := l.model.find(id); e != nil && rapid.Bool().Draw(t, "own") {
				binding = e.Binding
			}
			got, err := l.store(t).Claim(l.ctx, id, binding, "call")
			want, wanted := l.model.claim(id, binding, "call")
			same(t, want, got, wanted, err)
		},
		"void": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
				return
			}
			voided, err := l.store(t).Void(l.ctx, "sha256:b")
			require.NoError(t, err)
			require.Equal(t, Voided{Requests: l.model.void("sha256:b")}, voided)
		},
		"reopen": func(t *rapid.T) {
			i := rapid.IntRange(0, 3*len(l.stores)).Draw(t, "which")
			if i >= len(l.stores) {
				return // it takes long
			}
			folder := l.stores[i].file.folder
			require.NoError(t, l.stores[i].Close())
			store, err := Open(l.ctx, folder, Options{Now: l.clock.now})
			require.NoError(t, err)
			l.stores[i] = unsynced(t, store)
		},
		"": l.check,
	}
}

// unsynced makes a store faster that need not survive the machine.
func unsynced(t require.TestingT, store *Store) *Store {
	_, err := store.db.ExecContext(context.Background(), `PRAGMA synchronous = OFF`)
	require.NoError(t, err)
	return store
}

// check compares everything there is.
func (l *life) check(t *rapid.T) {
	got, err := l.store(t).List(l.ctx, Filter{})
	require.NoError(t, err)
	l.model.sweep()
	var want []approval.Request
	for _, e := range l.model.list {
		if e.Status == approval.StatusPending {
			want = append(want, e.Request)
		}
	}
	for _, e := range slices.Backward(l.model.list) {
		if e.Status != approval.StatusPending {
			want = append(want, e.Request)
		}
	}
	require.Equal(t, want, got)
	live := map[string]bool{}
	for _, request := range got {
		if request.Status == approval.StatusPending || request.Status == approval.StatusApproved {
			require.False(t, live[request.Binding], "two live requests of one binding")
			live[request.Binding] = true
		}
	}
}

// The life of requests is what the model says, through two stores on one file.
func TestINV5_ALifeIsThatOfTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		folder, clock := newFolder(t), newClock()
		l := &life{ctx: context.Background(), clock: clock, model: &model{now: clock.now().UTC()}}
		for range 2 {
			l.stores = append(l.stores, unsynced(t, openStore(t, folder, clock.now)))
		}
		defer func() {
			for _, store := range l.stores {
				_ = store.Close()
			}
		}()
		rt.Repeat(l.actions())
	})
}
