package server

import (
	"context"
	"sync"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// plans open the store when a two-phase tool is first called. They implement
// [gate.Plans].
type plans struct {
	open   func(context.Context, *state.Folder) (preview.Plans, error)
	folder *state.Folder

	mu   sync.Mutex
	made preview.Plans
}

// planning is nil, and not a nil *plans, where no tool has phases.
func (s *service) planning() gate.Plans {
	if s.mode.OpenPlans == nil {
		return nil
	}
	s.plans = &plans{open: s.mode.OpenPlans, folder: s.record.folder}
	return s.plans
}

func (p *plans) get(ctx context.Context) (preview.Plans, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		made, err := p.open(ctx, p.folder)
		if err != nil {
			return nil, err
		}
		p.made = made
	}
	return p.made, nil
}

func (p *plans) Close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		return nil
	}
	return p.made.Close()
}

func (p *plans) Keep(ctx context.Context, plan gate.Plan) (gate.Kept, error) {
	store, err := p.get(ctx)
	if err != nil {
		return gate.Kept{}, err
	}
	return store.Keep(ctx, plan)
}

func (p *plans) Find(ctx context.Context, commitment gate.Commitment) (gate.Stored, error) {
	store, err := p.get(ctx)
	if err != nil {
		return gate.Stored{}, err
	}
	return store.Find(ctx, commitment)
}

func (p *plans) Hold(ctx context.Context, commitment gate.Commitment, until time.Time) error {
	store, err := p.get(ctx)
	if err != nil {
		return err
	}
	return store.Hold(ctx, commitment, until)
}

func (p *plans) Begin(ctx context.Context, commitment gate.Commitment) error {
	store, err := p.get(ctx)
	if err != nil {
		return err
	}
	return store.Begin(ctx, commitment)
}

func (p *plans) Release(ctx context.Context, commitment gate.Commitment) error {
	store, err := p.get(ctx)
	if err != nil {
		return err
	}
	return store.Release(ctx, commitment)
}

func (p *plans) End(ctx context.Context, commitment gate.Commitment, ending gate.Ending) error {
	store, err := p.get(ctx)
	if err != nil {
		return err
	}
	return store.End(ctx, commitment, ending)
}
