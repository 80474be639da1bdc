package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A Chain asks the providers of each tool, in the order of its [Policy]. It
// implements [gate.Approver] and is safe for concurrent use.
type Chain struct {
	options ChainOptions
	tools   map[string]link

	mu   sync.Mutex
	book Book // nil until it is first needed
}

// ChainOptions are what a [Chain] is made of.
type ChainOptions struct {
	Policies  map[string]Policy // by the name of the tool
	Workspace string
	// Open opens the book. It is called when an approval is first needed, and
	// again after it has failed.
	Open func(ctx context.Context) (Book, error)
	// Show returns what the tool named by a policy's Show says of a call, as
	// JSON, or [NotShown] where that could not be had. May be nil.
	Show func(ctx context.Context, ask gate.Ask, tool string) string
	// Terminal, where it is not nil, stands where the client would be asked:
	// the call was made by hand.
	Terminal *Terminal
}

// A link is a tool with its providers, one for each source of its policy.
type link struct {
	policy    Policy
	providers []Provider
}

// NewChain returns a chain. A policy that names nobody, or a provider that
// does not exist, is an error; a command that cannot be run is one when its
// tool is called.
func NewChain(options ChainOptions) (*Chain, error) {
	if options.Open == nil {
		return nil, errors.New("make an approver: a tool needs an approval, and there is no store to keep it in")
	}
	c := &Chain{options: options, tools: make(map[string]link, len(options.Policies))}
	for tool, policy := range options.Policies {
		if len(policy.By) == 0 {
			return nil, fmt.Errorf("make an approver: tool %q names nobody to ask", tool)
		}
		made := link{policy: policy.bounded()}
		for i, source := range policy.By {
			provider, err := c.provider(source, i == len(policy.By)-1)
			if err != nil {
				return nil, fmt.Errorf("make an approver: tool %q: %w", tool, err)
			}
			made.providers = append(made.providers, provider)
		}
		c.tools[tool] = made
	}
	return c, nil
}

func (c *Chain) provider(source Source, last bool) (Provider, error) {
	switch {
	case source.Provider == QueueProvider:
		return Queue{book: c.open}, nil
	case source.Provider == ElicitProvider && c.options.Terminal != nil:
		return c.options.Terminal, nil
	case source.Provider == ElicitProvider:
		return Elicit{book: c.open, last: last, wait: elicitWait}, nil
	case source.Provider == CommandProvider:
		return command(source, c.options.Workspace), nil
	}
	return nil, fmt.Errorf("there is no provider %q", source.Provider)
}

// command is a program, or where it cannot be run what says so to each call:
// the rest of the mode can do without.
func command(source Source, workspace string) Provider {
	made, err := NewCommand(source, workspace)
	if err != nil {
		return broken{err}
	}
	return made
}

// broken is a provider that could not be made: whatever is asked of it fails.
type broken struct{ err error }

func (b broken) Ask(context.Context, Inquiry) (Answer, error) { return Answer{}, b.err }

// open returns the book, and opens it when it is first needed: a call that
// needs no approval does not wait for it.
func (c *Chain) open(ctx context.Context) (Book, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.book == nil {
		book, err := c.options.Open(ctx)
		if err != nil {
			return nil, err
		}
		c.book = book
	}
	return c.book, nil
}

// Close closes the book.
func (c *Chain) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.book == nil {
		return nil
	}
	return c.book.Close()
}

// Decide implements [gate.Approver].
func (c *Chain) Decide(ctx context.Context, ask gate.Ask) (gate.Decision, error) {
	tool, ok := c.tools[ask.Tool]
	if !ok {
		return gate.Decision{}, fmt.Errorf("tool %q has no policy of approval", ask.Tool)
	}
	client, _ := ask.Client.(Client)
	book, err := c.open(ctx)
	if err != nil {
		return gate.Decision{}, err
	}
	round := &round{chain: c, book: book, ask: ask, tool: tool, client: client}
	decision, err := round.decide(ctx)
	if decision.Verdict != gate.Approved {
		decision.Detail = strings.Join(round.detail, "; ")
	}
	return decision, err
}

// decide takes the answer that came with the call, or begins.
func (r *round) decide(ctx context.Context) (gate.Decision, error) {
	if client := r.client; client != nil {
		switch reply, err := client.Reply(); {
		case err != nil:
			return unasked(err.Error())
		case reply != nil:
			return r.answered(ctx, *reply)
		}
	}
	return r.begin(ctx)
}

// unasked is the decision about an answer that does not count.
func unasked(reason string) (gate.Decision, error) {
	return gate.Decision{Verdict: gate.Unasked, Reason: reason}, nil
}

// Claim implements [gate.Approver].
func (c *Chain) Claim(ctx context.Context, ask gate.Ask, id string) (gate.Decision, error) {
	book, err := c.open(ctx)
	if err != nil {
		return gate.Decision{}, err
	}
	request, err := book.Claim(ctx, id, ask.Binding, ask.CallID)
	switch {
	case err == nil:
		return decision(request, gate.Approved), nil
	case errors.Is(err, ErrNotApproved):
		ended := outcome(request)
		if ended.Verdict == gate.Approved {
			ended.Verdict, ended.Reason = gate.Undecided, "the approval belongs to another call"
		}
		return ended, nil
	}
	return gate.Decision{}, err
}

// bounded is a policy within the bounds that nothing can lift.
func (p Policy) bounded() Policy {
	if p.TTL <= 0 {
		p.TTL = DefaultTTL
	}
	if p.Hold == 0 {
		p.Hold = DefaultHold
	}
	p.TTL = min(max(p.TTL, MinTTL), MaxTTL)
	p.Hold = min(max(p.Hold, 0), MaxHold)
	return p
}

// names are those of the providers, in order.
func (p Policy) names() []string {
	names := make([]string, len(p.By))
	for i, source := range p.By {
		names[i] = source.Provider
	}
	return names
}

// fresh is the request that a call makes if there is none yet.
func fresh(ask gate.Ask, policy Policy) Request {
	return Request{
		ID: rand.Text(), Binding: ask.Binding, Subject: subject(ask),
		Protocol: ask.Protocol, Digest: ask.Digest, Mode: ask.Mode, Tool: ask.Tool, Actor: ask.Actor,
		Session: ask.Session, Workspace: ask.Workspace, Call: ask.CallID, Arguments: ask.Arguments,
		Why: policy.Reason, By: policy.names(),
	}
}

// subject is the binding without the digest of the protocol. Each part is
// preceded by its length, so that no two different lists of parts run
// together.
func subject(ask gate.Ask) string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(ask.Protocol), []byte(ask.Mode), []byte(ask.Tool), []byte(ask.Actor), ask.Arguments} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// outcome is what a request comes to for a call that stands before it.
func outcome(request Request) gate.Decision {
	switch request.Status {
	case StatusPending:
		return decision(request, gate.Pending)
	case StatusApproved:
		return decision(request, gate.Approved)
	case StatusDenied:
		return decision(request, gate.Denied)
	case StatusTimedOut:
		return decision(request, gate.TimedOut)
	case StatusExpired:
		return decision(request, gate.Expired)
	case StatusStale:
		return decision(request, gate.Stale)
	case StatusUsed:
		return decision(request, gate.Used)
	case StatusFailed:
	}
	return decision(request, gate.Undecided)
}

func decision(request Request, verdict gate.Verdict) gate.Decision {
	made := gate.Decision{
		Verdict: verdict, Binding: request.Binding, ID: request.ID,
		Provider: request.Provider, Approver: request.Approver, Reason: request.Reason, ExpiresAt: request.ExpiresAt,
	}
	if !request.DecidedAt.IsZero() {
		made.Waited = max(0, request.DecidedAt.Sub(request.AskedAt))
	}
	return made
}

// waited is how long a request has been open.
func waited(request Request, now time.Time) string {
	return max(0, now.Sub(request.AskedAt)).Round(time.Millisecond).String()
}
