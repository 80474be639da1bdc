package approval

import (
	"context"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Nobody is the approver of a server that can ask nobody.
type Nobody struct{}

// Decide implements gate.Approver.
func (Nobody) Decide(context.Context, gate.Ask) (gate.Decision, error) {
	return gate.Decision{Verdict: gate.Nobody, Reason: "this server has nobody to ask"}, nil
}

// Claim implements gate.Approver.
func (n Nobody) Claim(ctx context.Context, ask gate.Ask, _ string) (gate.Decision, error) {
	return n.Decide(ctx, ask)
}
