package audit

import (
	"context"
	"math"
	"sync"
)

// syncs shares one sync among all who wait for one. An entry that was written
// before a sync began is durable when it ends; one that comes later waits for
// the next, together with whoever else came meanwhile.
type syncs struct {
	mu      sync.Mutex
	durable int64         // everything before this offset is
	running chan struct{} // closed when the running sync ends; nil where none runs
	broken  error         // set once a sync has failed
}

func (s *syncs) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// durable returns when everything before the offset is on the disk. When ctx
// ends first, the sync goes on without its caller.
func (p *part) durable(ctx context.Context, offset int64) error {
	for {
		running, done, err := p.joinSync(offset)
		if done || err != nil {
			return err
		}
		select {
		case <-running:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// joinSync returns the running sync, which it starts where none runs. That
// sync may have begun too early for the offset.
func (p *part) joinSync(offset int64) (running chan struct{}, done bool, err error) {
	s := &p.syncs
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil || s.durable >= offset {
		return nil, s.broken == nil, s.broken
	}
	if s.running == nil {
		s.running = make(chan struct{})
		go p.sync(s.running)
	}
	return s.running, false, nil
}

// sync runs one sync. After one that failed, the system may have dropped what
// it could not write and report success the next time, so no later one counts.
func (p *part) sync(ended chan struct{}) {
	offset := p.appended.Load()
	err := p.file.Sync()
	s := &p.syncs
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.broken = &BrokenError{Doing: "sync the log", Err: err}
	} else {
		s.durable = max(s.durable, offset)
	}
	s.running = nil
	close(ended)
}

// syncNow syncs under the lock, for the few entries that have to be durable
// before something else is done under it.
func (p *part) syncNow() error { return p.durable(context.Background(), p.appended.Load()) }

// finish is for a file that nobody writes to any more and that is durable as a
// whole: nobody has to sync it again.
func (p *part) finish() {
	p.syncs.mu.Lock()
	defer p.syncs.mu.Unlock()
	p.syncs.durable = math.MaxInt64
}
