package store

import (
	"context"
	"fmt"

	"github.com/gatewright/gatewright/runtime/approval"
)

// Get implements [approval.Book].
func (s *Store) Get(ctx context.Context, id string) (request approval.Request, err error) {
	err = s.read(ctx, "look at a request for approval", func(t *transaction) error {
		request, err = t.get(id)
		return err
	})
	return asItIs(request, err)
}

// Put implements [approval.Book].
func (s *Store) Put(ctx context.Context, id string) (round int, err error) {
	err = s.write(ctx, "count a question about a request for approval", func(t *transaction) error {
		request, err := t.pending(id)
		if err != nil {
			return err
		}
		round = (request.Round+1)/2*2 + 1
		_, err = t.exec(`UPDATE requests SET round = ? WHERE id = ?`, round, blob(id))
		return err
	})
	if err != nil {
		return 0, err
	}
	return round, nil
}

// Take implements [approval.Book].
func (s *Store) Take(ctx context.Context, id string, round int) error {
	return s.write(ctx, "take an answer about a request for approval", func(t *transaction) error {
		if _, err := t.pending(id); err != nil {
			return err
		}
		taken, err := t.exec(`UPDATE requests SET round = round + 1 WHERE id = ?1 AND status = 'pending' AND round = ?2 AND ?2 % 2 = 1`, blob(id), round)
		if err == nil && taken != 1 {
			err = fmt.Errorf("request %.40q, round %d: %w", id, round, approval.ErrAnswered)
		}
		return err
	})
}

// Decide implements [approval.Book].
func (s *Store) Decide(ctx context.Context, id string, ruling approval.Ruling) (request approval.Request, err error) {
	const doing = "decide a request for approval"
	if err := s.possible(ruling); err != nil {
		return approval.Request{}, fmt.Errorf("%s: %w", doing, err)
	}
	err = s.write(ctx, doing, func(t *transaction) error {
		if request, err = t.pending(id); err != nil {
			return err
		}
		ended := t.now
		if ruling.Status == approval.StatusApproved {
			ended = 0
		}
		_, err := t.exec(`UPDATE requests SET status = ?, decided_at = ?, provider = ?, approver = ?, reason = ?, ended_at = ? WHERE id = ? AND status = 'pending'`,
			string(ruling.Status), t.now, blob(ruling.Provider), blob(ruling.Approver), blob(ruling.Reason), ended, blob(id))
		if err != nil {
			return err
		}
		request, err = t.get(id)
		return err
	})
	return asItIs(request, err)
}

// possible refuses a ruling that nobody can make.
func (s *Store) possible(ruling approval.Ruling) error {
	switch ruling.Status {
	case approval.StatusApproved, approval.StatusDenied, approval.StatusFailed:
	default:
		return &Error{Reason: BadRequest, Path: s.file.path, Message: fmt.Sprintf("nobody decides that a request is %.40q", string(ruling.Status))}
	}
	return s.bounded(map[string]int{
		"the provider": len(ruling.Provider), "the approver": len(ruling.Approver), "the reason for the decision": len(ruling.Reason),
	})
}

// Told implements [approval.Book]. A request that is still live has not ended,
// and nothing is noted of it.
func (s *Store) Told(ctx context.Context, id string) error {
	return s.write(ctx, "note that a call was told of its request for approval", func(t *transaction) error {
		if _, err := t.get(id); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE requests SET told = 1 WHERE id = ? AND ended_at <> 0 AND told = 0`, blob(id))
		return err
	})
}

// Claim implements [approval.Book].
func (s *Store) Claim(ctx context.Context, id, binding, call string) (request approval.Request, err error) {
	const doing = "use an approval"
	if err := s.bounded(map[string]int{"the call": len(call)}); err != nil {
		return approval.Request{}, fmt.Errorf("%s: %w", doing, err)
	}
	err = s.write(ctx, doing, func(t *transaction) error {
		claimed, err := t.exec(`UPDATE requests SET status = 'used', used_at = ?1, used_by = ?2, ended_at = ?1, told = 1
			WHERE id = ?3 AND binding = ?4 AND status = 'approved' AND expires_at > ?1`, t.now, blob(call), blob(id), blob(binding))
		if err != nil {
			return err
		}
		if request, err = t.get(id); err == nil && claimed != 1 {
			err = fmt.Errorf("request %.40q: %w", id, approval.ErrNotApproved)
		}
		return err
	})
	return asItIs(request, err)
}

// asItIs hands a request out with an answer of the book, and never with a
// failure: what was read of it then may not have been kept.
func asItIs(request approval.Request, err error) (approval.Request, error) {
	if err != nil && !answers(err) {
		return approval.Request{}, err
	}
	return request, err
}

// get reads the request with an id.
func (t *transaction) get(id string) (approval.Request, error) {
	request, seq, err := t.one(`WHERE r.id = ?`, blob(id))
	if err == nil && seq == 0 {
		err = fmt.Errorf("request %.40q: %w", id, approval.ErrUnknown)
	}
	return request, err
}

// pending reads the request with an id, which must be pending.
func (t *transaction) pending(id string) (approval.Request, error) {
	request, err := t.get(id)
	if err == nil && request.Status != approval.StatusPending {
		err = fmt.Errorf("request %.40q: %w", id, approval.ErrNotPending)
	}
	return request, err
}
