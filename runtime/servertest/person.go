package servertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/server"
	"github.com/gatewright/gatewright/runtime/state"
)

// look is the time between two looks at what waits for a decision.
const look = 10 * time.Millisecond

// A person sits at the queue of a server and decides what waits there.
type person struct {
	folder *state.Folder
	book   approval.Book
	decide func(approval.Request) bool
	stop   context.CancelFunc
	gone   sync.WaitGroup
	err    error
}

// seat returns nil where nobody was given, or the mode asks nobody.
func seat(mode server.Mode, options Options) (*person, error) {
	if options.Person == nil || mode.OpenBook == nil {
		return nil, nil
	}
	folder, err := state.Open(state.Options{Dir: options.StateDir, Protocol: mode.Protocol, Workspace: options.Workspace})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	book, err := mode.OpenBook(ctx, folder)
	if err != nil {
		stop()
		return nil, errors.Join(err, folder.Close())
	}
	p := &person{folder: folder, book: book, decide: options.Person, stop: stop}
	p.gone.Go(func() { p.err = p.attend(ctx) })
	return p, nil
}

func (p *person) attend(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := p.look(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("decide what waits: %w", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

func (p *person) look(ctx context.Context) error {
	waiting, err := p.book.Pending(ctx)
	if err != nil {
		return err
	}
	for _, request := range waiting {
		ruling := approval.Ruling{Status: approval.StatusDenied, Provider: approval.QueueProvider, Approver: "the test", Reason: "the test says no"}
		if p.decide(request) {
			ruling.Status, ruling.Reason = approval.StatusApproved, ""
		}
		if _, err := p.book.Decide(ctx, request.ID, ruling); err != nil && !errors.Is(err, approval.ErrNotPending) {
			return err
		}
	}
	return nil
}

func (p *person) leave() error {
	if p == nil {
		return nil
	}
	p.stop()
	p.gone.Wait()
	return errors.Join(p.err, p.book.Close(), p.folder.Close())
}
