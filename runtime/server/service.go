package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/codec"
	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/state"
)

// Bounds of the end of a service. A handler has gate.StopGrace to return once
// it has been told to; then its outcome is written and the log closed.
const (
	closeGate = gate.StopGrace + 3*time.Second
	closeLog  = 5 * time.Second
)

// A setup is what a service is opened with, beside its mode.
type setup struct {
	workspace string
	stateDir  string
	actor     string
	terminal  *approval.Terminal // where calls are made by hand; nil for a client's
	log       *slog.Logger
}

// A service is a mode whose gate is open.
type service struct {
	mode      Mode
	gate      *gate.Gate
	record    *record
	approvals *approvals // nil where no tool wants one
	plans     *plans     // nil where no tool has phases
	deps      any
	log       *slog.Logger
	shared    *shared // nil where nobody is told of this service
}

// open makes the gate of a mode. Everything that can be wrong with a mode or
// its setting is found here, before any call.
func open(ctx context.Context, mode Mode, with setup) (*service, error) {
	s := &service{mode: mode, log: with.log}
	bound := make([]*handler, 0, len(mode.Tools))
	tools := make([]gate.Tool, 0, len(mode.Tools))
	for _, tool := range mode.Tools {
		sealed, err := seals(tool, with)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", tool.Name, err)
		}
		bound = append(bound, sealed.Handler.(*handler))
		tools = append(tools, sealed)
	}
	var err error
	if s.record, err = openRecord(ctx, mode, with); err != nil {
		return nil, err
	}
	if s.approvals, err = s.newApprovals(with); err != nil {
		return nil, errors.Join(err, s.record.Close(ctx))
	}
	if s.deps, err = openDeps(ctx, mode); err != nil {
		return nil, errors.Join(err, s.record.Close(ctx))
	}
	for _, each := range bound {
		each.deps = s.deps
	}
	s.gate, err = gate.New(seal.Make(), gate.Config{
		Key: mode.Key, Protocol: mode.Protocol, Digest: mode.Digest, Mode: mode.Mode,
		Actor: with.actor, Session: state.Session(), Workspace: s.record.folder.Workspace(),
		Tools: tools, Foreign: mode.Foreign,
		Ledger: s.record, Approver: s.approver(with), Plans: s.planning(), Clock: clock{}, Log: with.log,
	})
	if err != nil {
		return nil, errors.Join(err, s.closeDeps(), s.record.Close(ctx))
	}
	return s, nil
}

// closeGate lets no further call in and ends those that run. It is bounded,
// whatever handlers do.
func (s *service) closeGate() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGate)
	defer cancel()
	return s.gate.Close(ctx)
}

// closeRest closes what the calls of the gate used.
func (s *service) closeRest() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLog)
	defer cancel()
	return errors.Join(s.closeDeps(), s.shared.leave(), s.approvals.Close(), s.plans.Close(), s.record.Close(ctx))
}

// seals makes the gate's tool of a mode's tool.
func seals(tool Tool, with setup) (gate.Tool, error) {
	if tool.Handler == nil || !tool.Handler.sealed() {
		return gate.Tool{}, errors.New("it has no handler")
	}
	schemas := codec.Spec{Input: tool.Input, Output: tool.Output, Record: tool.Record, Decode: tool.Handler.decode}
	if tool.Phase == CommitPhase {
		schemas.Output = ""
	}
	made, err := codec.New(schemas)
	if err != nil {
		return gate.Tool{}, err
	}
	sealed := gate.Tool{
		Name: tool.Name, Effect: tool.Effect, Exclusive: tool.Exclusive, Codec: made,
		Handler: &handler{tool: tool.Handler}, Deadline: tool.Deadline, Approval: asked(tool, with),
		Phase: tool.Phase, Base: tool.Base, TTL: tool.TTL,
	}
	switch tool.Phase {
	case PreviewPhase:
		sealed.Plan, err = planCodec(tool)
	case CommitPhase:
		sealed.Plan = made
		sealed.Codec, err = commitCodec(tool, with.terminal != nil)
	case gate.Single:
	}
	return sealed, err
}

// A handler is a sealed tool with what the handlers of its mode share.
type handler struct {
	tool Handler
	deps any
}

// Call implements gate.Handler.
func (h *handler) Call(ctx context.Context, grant *gate.Grant, input any) (any, error) {
	return h.tool.call(ctx, grant, h.deps, input)
}

// openDeps runs code of the protocol's author, so a panic of it is an error.
func openDeps(ctx context.Context, mode Mode) (deps any, err error) {
	if mode.OpenDeps == nil {
		return nil, nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("open the deps of protocol %q: panic: %v", mode.Protocol, cause)
		}
	}()
	if deps, err = mode.OpenDeps(ctx); err != nil {
		return nil, fmt.Errorf("open the deps of protocol %q: %w", mode.Protocol, err)
	}
	return deps, nil
}

func (s *service) closeDeps() (err error) {
	closer, ok := s.deps.(io.Closer)
	if !ok {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("close the deps: panic: %v", cause)
		}
	}()
	return closer.Close()
}

// clock is the real time.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) After(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}
