package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// Bounds of what is kept of plans.
const (
	maxPlan      = maxText - 256 // bytes of a plan, and of the fields that the protocol records: with its handle it is what is approved
	maxName      = 4 << 10       // bytes of a name
	maxReady     = 1000          // plans that can be carried out at a time
	maxReadySize = 128 << 20     // bytes of all of them
)

// Keep implements [gate.Plans]. A plan that is too large is refused with
// gate.PlanTooLarge; so many that nobody carries them out are refused as well,
// so that they do not fill the disk.
func (s *Store) Keep(ctx context.Context, plan gate.Plan) (kept gate.Kept, err error) {
	const doing = "keep a plan"
	recorded, err := s.planFits(plan)
	if err != nil {
		return gate.Kept{}, fmt.Errorf("%s: %w", doing, err)
	}
	handle := rand.Text()
	err = s.write(ctx, doing, func(t *transaction) error {
		if err := t.room(len(plan.Body)); err != nil {
			return err
		}
		if err := t.prune(); err != nil {
			return err
		}
		expires := t.now + int64(min(plan.TTL, preview.MaxTTL))
		_, err := t.exec(`INSERT INTO plans (hash, tool, digest, mode, actor, call, size, sum, made_at, expires_at, status)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ready')`,
			hashed(handle), blob(plan.Tool), blob(plan.Digest), blob(plan.Mode), blob(plan.Actor), blob(plan.Call), len(plan.Body),
			summed(plan.Body, recorded), t.now, expires)
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO bodies (plan, body, recorded) SELECT seq, ?, ? FROM plans WHERE hash = ?`,
			blob(string(plan.Body)), recorded, hashed(handle))
		kept = gate.Kept{Handle: handle, ExpiresAt: moment(expires)}
		return err
	})
	if err != nil {
		return gate.Kept{}, err
	}
	return kept, nil
}

// planFits refuses a plan that cannot be kept, before the store is touched.
func (s *Store) planFits(plan gate.Plan) (recorded []byte, err error) {
	if plan.Tool == "" || plan.Digest == "" || plan.Call == "" || plan.TTL <= 0 {
		return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "a plan needs a tool, a digest, a call and a time to live"}
	}
	if recorded, err = json.Marshal(plan.Recorded); err != nil {
		return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "the recorded fields of a plan are no text", Err: err}
	}
	for _, each := range []struct {
		what string
		size int
	}{{"plan", len(plan.Body)}, {"recorded fields of the plan", len(recorded)}} {
		if each.size > maxPlan {
			return nil, gate.Refuse(gate.PlanTooLarge, "the %s of %q may have %d bytes, and this has %d", each.what, plan.Tool, maxPlan, each.size)
		}
	}
	return recorded, s.named(map[string]string{"tool": plan.Tool, "digest": plan.Digest, "mode": plan.Mode, "actor": plan.Actor, "call": plan.Call})
}

// named refuses names that are too long.
func (s *Store) named(names map[string]string) error {
	for what, name := range names {
		if len(name) > maxName {
			return &Error{Reason: TooLarge, Path: s.file.path, Next: "make it smaller",
				Message: fmt.Sprintf("the %s of a plan may have %d bytes, and this has %d", what, maxName, len(name))}
		}
	}
	return nil
}

// room refuses a plan where too many wait already.
func (t *transaction) room(size int) error {
	var count, total int
	err := t.tx.QueryRowContext(t.ctx, `SELECT count(*), coalesce(sum(size), 0) FROM plans WHERE status = 'ready'`).Scan(&count, &total)
	switch {
	case err != nil:
		return err
	case count >= maxReady || total+size > maxReadySize:
		refusal := gate.Refuse(gate.PlanStoreFailed, "%d plans with %d bytes wait to be carried out, and there is no room for another", count, total)
		refusal.Next = "Carry out what was previewed, or wait until it expires, and call again."
		return refusal
	}
	return nil
}

// Hold implements [gate.Plans]. It never shortens the time of a plan, and
// lengthens it up to [preview.MaxHeld] from the preview.
func (s *Store) Hold(ctx context.Context, commitment gate.Commitment, until time.Time) error {
	return s.write(ctx, "keep a plan for longer", func(t *transaction) error {
		p, err := t.ready(&s.owner, commitment)
		if err != nil {
			return err
		}
		expires := min(since(until), p.madeAt+int64(preview.MaxHeld))
		if expires <= p.expiresAt {
			return nil
		}
		_, err = t.exec(`UPDATE plans SET expires_at = ? WHERE seq = ? AND status = 'ready'`, expires, p.seq)
		return err
	})
}
