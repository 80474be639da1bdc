package approval

import (
	"context"
	"fmt"
	"time"
)

const (
	poll     = 200 * time.Millisecond // between two looks at the book
	reminder = 5 * time.Second        // between two reports of progress
)

// A Queue leaves a request in the book, for somebody to decide with
// `gatewright approvals`.
type Queue struct {
	book func(context.Context) (Book, error)
}

// Ask implements [Provider]. It waits for a decision as long as the call may.
func (q Queue) Ask(ctx context.Context, inquiry Inquiry) (Answer, error) {
	book, err := q.book(ctx)
	if err != nil {
		return Answer{}, unkept{err}
	}
	id, started := inquiry.Request.ID, time.Now()
	held := time.NewTimer(max(0, inquiry.Hold))
	defer held.Stop()
	look := time.NewTicker(poll)
	defer look.Stop()
	report, done := reporting(inquiry.Progress)
	defer done()
	var said time.Time
	for {
		request, err := book.Get(ctx, id)
		switch {
		case err != nil && ctx.Err() == nil:
			return Answer{}, unkept{err}
		case err != nil:
			return Answer{}, context.Cause(ctx)
		case request.Status != StatusPending:
			return Answer{Settled: true}, nil
		}
		if now := time.Now(); now.Sub(said) >= reminder {
			said = now
			report(now.Sub(started).Seconds(), inquiry.Hold.Seconds(),
				fmt.Sprintf("approval %s waits for somebody to decide it with `gatewright approvals`", id))
		}
		select {
		case <-look.C:
		case <-held.C:
			return Answer{Decision: Undecided}, nil
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}

// reporting passes progress on without waiting for whoever takes it: what comes
// while they are busy is dropped, and nothing is passed on once it is done.
func reporting(progress func(done, total float64, message string)) (report func(done, total float64, message string), done func()) {
	if progress == nil {
		return func(float64, float64, string) {}, func() {}
	}
	next, over := make(chan func(), 1), make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case pass := <-next:
				select {
				case <-over:
					return
				default:
					pass()
				}
			}
		}
	}()
	report = func(done, total float64, message string) {
		select {
		case next <- func() { progress(done, total, message) }:
		default:
		}
	}
	return report, func() { close(over) }
}
