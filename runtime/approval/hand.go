package approval

import (
	"context"
	"slices"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A Hand is the approver of calls that a person makes by hand, in a terminal.
// Every call it is asked about is confirmed there; one whose protocol wants an
// approval needs that as well, since whoever sits at the terminal is the
// caller. It stands in for the client alone, which is the caller's too.
type Hand struct {
	terminal *Terminal
	chain    *Chain // nil where no tool of the mode wants an approval
}

// NewHand returns the approver of a terminal, with the chain that its protocol
// wants, or nil.
func NewHand(terminal *Terminal, chain *Chain) *Hand { return &Hand{terminal: terminal, chain: chain} }

// Decide implements [gate.Approver].
func (h *Hand) Decide(ctx context.Context, ask gate.Ask) (gate.Decision, error) {
	if !h.chained(ask) {
		return h.terminal.Decide(ctx, ask)
	}
	here := &seat{}
	if !slices.Contains(ask.By, ElicitProvider) {
		confirmed, err := h.terminal.Decide(ctx, ask)
		if err != nil || confirmed.Verdict != gate.Approved {
			return confirmed, err
		}
		here.confirmed = true
	}
	ask.Client = here
	decision, err := h.chain.Decide(ctx, ask)
	if err != nil || decision.Verdict != gate.Approved || here.confirmed {
		return decision, err
	}
	if confirmed, err := h.terminal.Decide(ctx, ask); err != nil || confirmed.Verdict != gate.Approved {
		return confirmed, err
	}
	return decision, nil
}

// A seat is whoever makes a call by hand. It stands where a client would, and
// no question reaches it but at the terminal.
type seat struct{ confirmed bool }

// Reaches implements [Client].
func (*seat) Reaches() bool { return false }

// Elicit implements [Client].
func (*seat) Elicit(context.Context, Question) (Reply, error) { return Reply{}, ErrUnreachable }

// Reply implements [Client].
func (*seat) Reply() (*Reply, error) { return nil, nil }

// Claim implements [gate.Approver].
func (h *Hand) Claim(ctx context.Context, ask gate.Ask, id string) (gate.Decision, error) {
	if h.chained(ask) {
		return h.chain.Claim(ctx, ask, id)
	}
	return h.terminal.Claim(ctx, ask, id)
}

func (h *Hand) chained(ask gate.Ask) bool {
	if h.chain == nil {
		return false
	}
	_, ok := h.chain.tools[ask.Tool]
	return ok
}
