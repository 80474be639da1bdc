package gate

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/internal/seal"
)

// steps keeps what happened, in order.
type steps struct {
	mu   sync.Mutex
	done []string
}

func (s *steps) add(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, step)
}

func (s *steps) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.done...)
}

type fakeCodec struct {
	steps     *steps
	decodeErr error
	encodeErr error
}

func (c fakeCodec) Decode(raw []byte) (Input, error) {
	c.steps.add("decode")
	if c.decodeErr != nil {
		return Input{}, c.decodeErr
	}
	return Input{Value: string(raw), Canonical: raw, Recorded: map[string]string{"/commit": `"abc"`}}, nil
}

func (c fakeCodec) Encode(output any) ([]byte, error) {
	c.steps.add("encode")
	if c.encodeErr != nil {
		return nil, c.encodeErr
	}
	return json.Marshal(output)
}

type handlerFunc func(ctx context.Context, grant *Grant, input any) (any, error)

func (f handlerFunc) Call(ctx context.Context, grant *Grant, input any) (any, error) {
	return f(ctx, grant, input)
}

type fakeLedger struct {
	steps    *steps
	mu       sync.Mutex
	entries  []Entry
	admitErr error
	failAt   func(Entry) error // for Record
}

func (l *fakeLedger) Admit(_ context.Context, entry Entry) error {
	l.steps.add("admit")
	if l.admitErr != nil {
		return l.admitErr
	}
	l.keep(entry)
	return nil
}

func (l *fakeLedger) Record(ctx context.Context, entry Entry) error {
	l.steps.add("record " + string(entry.Event))
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.failAt != nil {
		if err := l.failAt(entry); err != nil {
			return err
		}
	}
	l.keep(entry)
	return nil
}

func (l *fakeLedger) keep(entry Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

func (l *fakeLedger) last() Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[len(l.entries)-1]
}

type approverFunc func(ctx context.Context, ask Ask) (Decision, error)

func (f approverFunc) Decide(ctx context.Context, ask Ask) (Decision, error) { return f(ctx, ask) }

func (f approverFunc) Claim(_ context.Context, ask Ask, id string) (Decision, error) {
	return Decision{Verdict: Approved, Binding: ask.Binding, ID: id}, nil
}

// fakeApprover decides and lets itself be claimed as the test says.
type fakeApprover struct {
	decide approverFunc
	claim  func(ctx context.Context, ask Ask, id string) (Decision, error)
}

func (f fakeApprover) Decide(ctx context.Context, ask Ask) (Decision, error) {
	return f.decide(ctx, ask)
}

func (f fakeApprover) Claim(ctx context.Context, ask Ask, id string) (Decision, error) {
	return f.claim(ctx, ask, id)
}

// fakeClock fires a timer when the test says so.
type fakeClock struct {
	mu     sync.Mutex
	timers map[time.Duration]chan time.Time
	asked  chan time.Duration
}

func newFakeClock() *fakeClock {
	return &fakeClock{timers: map[time.Duration]chan time.Time{}, asked: make(chan time.Duration, 16)}
}

func (c *fakeClock) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (c *fakeClock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := make(chan time.Time, 1)
	c.timers[d] = timer
	c.asked <- d
	return timer, func() {}
}

// fire waits until a timer of d was asked for, and lets it run out.
func (c *fakeClock) fire(d time.Duration) {
	for asked := range c.asked {
		if asked == d {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers[d] <- c.Now()
}

// A world is a gate with fakes around it.
type world struct {
	steps  *steps
	ledger *fakeLedger
	clock  *fakeClock
	config Config
}

const testDeadline = time.Minute

func newWorld(handler handlerFunc) *world {
	s := &steps{}
	w := &world{steps: s, ledger: &fakeLedger{steps: s}, clock: newFakeClock()}
	sealed := handlerFunc(func(ctx context.Context, grant *Grant, input any) (any, error) {
		s.add("handle")
		return handler(ctx, grant, input)
	})
	w.config = Config{
		Key: NewKey("sample"), Protocol: "sample", Digest: "sha256:1", Mode: "implement", Actor: "unlabelled", Session: "1:2", Workspace: "/w",
		Tools: []Tool{
			{Name: "edit", Effect: Write, Codec: fakeCodec{steps: s}, Handler: sealed, Deadline: testDeadline},
			{Name: "list", Effect: Read, Codec: fakeCodec{steps: s}, Handler: sealed, Deadline: testDeadline},
			{Name: "release", Effect: Write, Codec: fakeCodec{steps: s}, Handler: sealed, Deadline: testDeadline, Approval: []string{"queue"}},
		},
		Foreign: []Foreign{{Name: "diff", Modes: []string{"review"}}, {Name: "merge", Exclusive: true, Modes: []string{"integrate"}}},
		Ledger:  w.ledger, Clock: w.clock,
		Approver: fakeApprover{
			decide: func(_ context.Context, ask Ask) (Decision, error) {
				s.add("approve")
				return Decision{Verdict: Approved, Binding: ask.Binding, ID: "a1", Provider: "queue", Approver: "ada"}, nil
			},
			claim: func(_ context.Context, ask Ask, id string) (Decision, error) {
				s.add("claim " + id)
				return Decision{Verdict: Approved, Binding: ask.Binding, ID: id, Provider: "queue", Approver: "ada"}, nil
			},
		},
	}
	return w
}

func (w *world) gate(t *testing.T) *Gate {
	t.Helper()
	g, err := New(seal.Make(), w.config)
	require.NoError(t, err)
	return g
}

func (w *world) call(t *testing.T, tool string) Result {
	t.Helper()
	return w.gate(t).Call(t.Context(), Request{Tool: tool, Arguments: []byte(`{}`)})
}

func refusedWith(t *testing.T, code Code, result Result) {
	t.Helper()
	require.NotNil(t, result.Refusal, "the call was let through")
	require.Equal(t, code, result.Refusal.Code, result.Refusal.Message)
	require.Nil(t, result.Output)
	require.NotEmpty(t, result.Refusal.Next)
}

func succeed(context.Context, *Grant, any) (any, error) { return map[string]bool{"changed": true}, nil }

var errDisk = errors.New("no space left on device")
