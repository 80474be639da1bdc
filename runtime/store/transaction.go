package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

// latest is the last moment that a store keeps: its end and a request's time
// to live beyond it still fit.
const latest = 1 << 62 // nanoseconds since 1970, in the year 2116

// A transaction is one change of the store, or one look at it.
type transaction struct {
	ctx context.Context
	tx  compiling
	now int64 // when it began, or rather when it had the store for itself

	writes bool // what it finds can be written down
}

func (t *transaction) exec(query string, args ...any) (int64, error) {
	result, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// write does something in a transaction of its own, after ending what is over.
// An answer of the book is no failure: what came before it is kept.
func (s *Store) write(ctx context.Context, doing string, do func(*transaction) error) error {
	var answer error
	err := s.transact(ctx, func(t *transaction) error {
		t.writes = true
		err := t.clock(s)
		if err == nil {
			err = t.sweep()
		}
		if err == nil {
			err = do(t)
		}
		if answers(err) {
			answer, err = err, nil
		}
		return err
	})
	if err == nil {
		err = answer
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, told(ctx, s.file.path, err))
	}
	return nil
}

// read looks at the store. Where something is over that the store does not say
// is over, that is written first.
func (s *Store) read(ctx context.Context, doing string, do func(*transaction) error) error {
	due := false
	err := s.begin(ctx, &sql.TxOptions{ReadOnly: true}, func(t *transaction) error {
		err := t.clock(s)
		if err == nil {
			due, err = t.due()
		}
		if err != nil || due {
			return err
		}
		return do(t)
	})
	if err == nil && due {
		return s.write(ctx, doing, do)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, told(ctx, s.file.path, err))
	}
	return nil
}

func answers(err error) bool {
	return errors.Is(err, approval.ErrUnknown) || errors.Is(err, approval.ErrNotPending) ||
		errors.Is(err, approval.ErrNotApproved) || errors.Is(err, approval.ErrFull) || errors.Is(err, approval.ErrAnswered) || refuses(err)
}

func (s *Store) transact(ctx context.Context, do func(*transaction) error) error {
	return s.begin(ctx, nil, do)
}

// begin does something in a transaction that is kept if it goes well. A context
// that ends counts until then, but not for the keeping itself: what was kept is
// not to be reported as undone.
func (s *Store) begin(ctx context.Context, options *sql.TxOptions, do func(*transaction) error) error {
	switch {
	case s.closed.Load():
		return &Error{Reason: Closed, Path: s.file.path, Message: "it is closed"}
	case !s.file.same():
		return s.file.replaced()
	}
	within, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	release := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer release()
	tooLate := &Error{Reason: Busy, Path: s.file.path, Message: "others held it for too long", Next: nextBusy}
	late := time.AfterFunc(2*patience, func() { cancel(tooLate) })
	defer late.Stop()
	s.statements.compile(within, s.db)
	tx, err := s.db.BeginTx(within, options)
	if err == nil {
		err = do(&transaction{ctx: within, tx: compiling{tx, &s.statements}})
		if err == nil && release() && late.Stop() {
			return tx.Commit()
		}
		_ = tx.Rollback() // which also happens by itself where the context has ended
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case context.Cause(within) != nil || err == nil:
		return tooLate
	}
	return err
}

// clock reads the time, now that the transaction has the store.
func (t *transaction) clock(s *Store) error {
	now := s.now()
	t.now = now.UnixNano()
	if now.Before(time.Unix(1, 0)) || now.After(time.Unix(0, latest)) {
		return &Error{Reason: BadClock, Path: s.file.path, Message: "the clock says " + now.UTC().Format(time.RFC3339), Next: "set the clock"}
	}
	return nil
}
