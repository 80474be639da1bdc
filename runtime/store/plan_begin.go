package store

import (
	"context"
	"fmt"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Begin implements [gate.Plans]. Where it fails otherwise than by a refusal, the
// plan may be found begun later: it is then in progress while this process
// lives, and interrupted after that, and was not carried out.
func (s *Store) Begin(ctx context.Context, commitment gate.Commitment) error {
	const doing = "begin to carry a plan out"
	if err := s.commitmentFits(commitment); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	owner, err := s.owner.enter(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, told(ctx, s.file.path, err))
	}
	err = s.write(ctx, doing, func(t *transaction) error {
		p, err := t.ready(&s.owner, commitment)
		if err != nil {
			return err
		}
		_, err = t.exec(`UPDATE plans SET status = 'begun', key = ?, begun_by = ?, begun_in = ?, owner = ?, begun_at = ? WHERE seq = ? AND status = 'ready'`,
			blob(commitment.Key), blob(commitment.Call), blob(commitment.Mode), blob(owner), t.now, p.seq)
		return err
	})
	if refuses(err) {
		s.owner.leave()
	}
	return err
}

func (s *Store) commitmentFits(c gate.Commitment) error {
	if c.Call == "" {
		return &Error{Reason: BadRequest, Path: s.file.path, Message: "a commit needs a call"}
	}
	return s.named(map[string]string{"idempotency key": c.Key, "call": c.Call, "mode": c.Mode})
}

// Release implements [gate.Plans]. Only the call that began a plan can give it
// back.
func (s *Store) Release(ctx context.Context, commitment gate.Commitment) error {
	err := s.write(ctx, "give a plan back", func(t *transaction) error {
		given, err := t.exec(`UPDATE plans SET status = 'ready', key = x'', begun_by = x'', begun_in = x'', owner = x'', begun_at = 0
			WHERE hash = ? AND tool = ? AND status = 'begun' AND begun_by = ?`, hashed(commitment.Handle), blob(commitment.Tool), blob(commitment.Call))
		if err == nil && given != 1 {
			err = s.notBegun(commitment)
		}
		return err
	})
	if err == nil {
		s.owner.leave()
	}
	return err
}

func (s *Store) notBegun(c gate.Commitment) error {
	return &Error{Reason: BadRequest, Path: s.file.path, Message: fmt.Sprintf("call %.40q carries no plan of %.40q out under this handle", c.Call, c.Tool)}
}
