package approval

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// kept is a book with one request in it.
type kept struct {
	Book
	request Request
}

func (k *kept) Ask(_ context.Context, fresh Request, ttl time.Duration) (Request, bool, error) {
	made := k.request.ID == ""
	if made {
		k.request = fresh
		k.request.Status, k.request.ExpiresAt = StatusPending, time.Now().Add(ttl)
	}
	return k.request, made, nil
}

func (k *kept) Get(context.Context, string) (Request, error) { return k.request, nil }

func (k *kept) Decide(_ context.Context, _ string, ruling Ruling) (Request, error) {
	k.request.Status, k.request.Provider, k.request.Approver = ruling.Status, ruling.Provider, ruling.Approver
	return k.request, nil
}

func (k *kept) Recent(context.Context, string, string, time.Time) ([]Request, error) {
	return []Request{{ID: "EARLIER", Status: StatusUsed}}, nil
}

func (k *kept) Told(context.Context, string) error { return nil }

// byHand is a call that is made at a terminal, over a book.
func byHand(t *testing.T, book Book, answers string) (decision gate.Decision, questions int, noted []gate.Approval, shown string) {
	t.Helper()
	s := &script{answer: strings.NewReader(answers)}
	terminal := &Terminal{flush: func(io.ReadWriteCloser) {}, open: func() (io.ReadWriteCloser, error) {
		s.closed = make(chan struct{})
		return s, nil
	}}
	policy := Policy{By: []Source{{Provider: QueueProvider}, {Provider: ElicitProvider}}, Hold: -1}
	chain, err := NewChain(ChainOptions{Policies: map[string]Policy{"edit": policy}, Terminal: terminal,
		Open: func(context.Context) (Book, error) { return book, nil }})
	require.NoError(t, err)
	call := ask(`{}`)
	call.By = policy.names()
	call.Record = func(_ context.Context, _ gate.Event, made gate.Approval) error {
		noted = append(noted, made)
		return nil
	}
	decision, err = NewHand(terminal, chain).Decide(t.Context(), call)
	require.NoError(t, err)
	return decision, strings.Count(s.shown.String(), "[y/N]"), noted, s.shown.String()
}

// An approval that stands already is somebody else's consent, and not that of
// whoever sits at the terminal now.
func TestINV4_ACallByHandIsConfirmedWhoeverApprovedIt(t *testing.T) {
	for answer, verdict := range map[string]gate.Verdict{"y\n": gate.Approved, "n\n": gate.Denied} {
		for _, provider := range []string{QueueProvider, ElicitProvider, TerminalProvider} {
			book := &kept{request: Request{ID: "A", Binding: "b", Status: StatusApproved, Provider: provider}}
			decision, questions, _, _ := byHand(t, book, answer)
			require.Equal(t, verdict, decision.Verdict, provider)
			require.Equal(t, 1, questions, provider)
			require.Equal(t, verdict == gate.Approved, decision.ID == "A", "it is the approval that is used")
		}
	}
}

// Where the terminal stands for the client, it is asked once, and the log says
// that it was the terminal.
func TestACallByHandIsAskedOnce(t *testing.T) {
	decision, questions, noted, shown := byHand(t, &kept{}, "y\n")
	require.Contains(t, shown, "an identical call")
	require.Equal(t, gate.Approved, decision.Verdict)
	require.Equal(t, 1, questions)
	require.Equal(t, TerminalProvider, noted[1].Provider)
	require.Equal(t, TerminalProvider, decision.Provider)
}
