package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// Find implements [gate.Plans]. A handle belongs to a tool, a protocol digest
// and a state folder: whoever has it may carry its plan out, in every mode that
// has the tool, whatever actor previewed it. What became of a plan is told to
// servers of another protocol too, so that nobody does again what was done.
//
// Its refusals, in the order in which they are looked for: HANDLE_UNKNOWN;
// HANDLE_WRONG_KIND; IDEMPOTENCY_KEY_REUSED; then COMMIT_IN_PROGRESS,
// COMMIT_INTERRUPTED, HANDLE_USED, HANDLE_EXPIRED or HANDLE_STALE.
func (s *Store) Find(ctx context.Context, commitment gate.Commitment) (stored gate.Stored, err error) {
	err = s.looking(ctx, "find a plan", func(t *transaction) error {
		stored, err = t.stored(&s.owner, commitment)
		return err
	})
	if err != nil {
		return gate.Stored{}, err
	}
	return stored, nil
}

// stored is what a commit stands before.
func (t *transaction) stored(o *owner, c gate.Commitment) (stored gate.Stored, err error) {
	p, err := t.found(o, c)
	if err != nil {
		return stored, err
	}
	if p.replays(c) {
		ending, kept, err := t.ending(p)
		if err != nil || kept {
			return gate.Stored{Ending: ending}, err
		}
	}
	if err := t.judge(p, c); err != nil {
		return stored, err
	}
	stored.Body, stored.Recorded, err = t.body(p)
	return stored, err
}

// ready is the plan of a commitment, which must be ready to be carried out.
func (t *transaction) ready(o *owner, c gate.Commitment) (plan, error) {
	p, err := t.found(o, c)
	if err == nil {
		err = t.judge(p, c)
	}
	return p, err
}

// found is the plan of a handle, whatever became of it.
func (t *transaction) found(o *owner, c gate.Commitment) (plan, error) {
	rows, err := t.plans(`WHERE hash = ?`, hashed(c.Handle))
	switch {
	case err != nil:
		return plan{}, err
	case len(rows) == 0:
		return plan{}, gate.Refuse(gate.HandleUnknown, "there is no plan of %q under this handle", c.Tool)
	}
	p := rows[0]
	if p.tool != c.Tool {
		return p, gate.Refuse(gate.HandleWrongKind, "this handle is one of %q, not of %q", p.tool, c.Tool)
	}
	if err := t.settle(o, &p); err != nil || c.Key == "" || c.Key == p.key {
		return p, err
	}
	other, err := t.plans(`WHERE tool = ? AND key = ? AND key <> x''`, blob(c.Tool), blob(c.Key))
	if err == nil && len(other) > 0 {
		err = gate.Refuse(gate.KeyReused, "this idempotency key was used for another handle of %q, at %s by call %s", c.Tool, at(other[0].begunAt), other[0].begunBy)
	}
	return p, err
}

// replays reports whether a commitment asks for how the plan ended: it has the
// key with which that was begun, and speaks the same protocol.
func (p *plan) replays(c gate.Commitment) bool {
	ended := p.status == preview.Committed || p.status == preview.Failed || p.status == preview.Partial
	return ended && c.Key != "" && c.Key == p.key && c.Digest == p.digest
}

// judge refuses a plan that is not ready to be carried out.
func (t *transaction) judge(p plan, c gate.Commitment) error {
	switch p.status {
	case preview.Ready:
		if p.digest == c.Digest {
			return nil
		}
		return gate.Refuse(gate.HandleStale, "the plan of this handle was made under another protocol (%s), and this server has %s", p.digest, c.Digest)
	case preview.Begun:
		return gate.Refuse(gate.CommitInProgress, "the plan of this handle is being carried out, since %s by call %s", at(p.begunAt), p.begunBy)
	case preview.Interrupted:
		return gate.Refuse(gate.CommitInterrupted, "call %s began to carry the plan of this handle out at %s, and its process ended before that was over", p.begunBy, at(p.begunAt))
	case preview.Expired:
		return gate.Refuse(gate.HandleExpired, "the plan of this handle could be carried out until %s", at(p.expiresAt))
	case preview.Stale:
		return gate.Refuse(gate.HandleStale, "another protocol than that of the preview was put in force at %s", at(p.endedAt))
	case preview.Resolved:
		return p.found()
	case preview.Committed, preview.Failed, preview.Partial:
		return t.used(p)
	}
	return damage(fmt.Sprintf("the plan of call %.40q has no status that there is", p.call))
}

// used says when, by which call and how a plan was carried out.
func (t *transaction) used(p plan) error {
	ending, kept, err := t.ending(p)
	if err != nil {
		return err
	}
	how := map[preview.Status]string{preview.Committed: "succeeded", preview.Failed: "failed", preview.Partial: "got only so far"}[p.status]
	refusal := gate.Refuse(gate.HandleUsed, "the plan of this handle was carried out at %s by call %s, and %s", at(p.endedAt), p.begunBy, how)
	if kept && ending.Refusal != nil {
		refusal.Message += ": " + cut(ending.Refusal.Error())
	}
	return refusal
}

// cut keeps what is quoted from taking over.
func cut(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// found says what a person found of a plan that was interrupted.
func (p *plan) found() error {
	how, next := "that nothing of it was done", ""
	switch preview.Outcome(p.outcome) {
	case preview.Done:
		how, next = "that all of it was done", "Do not preview it again: a person found that it was done."
	case preview.Partly:
		how, next = "that some of it was done", "Read what was found, and preview what is left."
	case preview.NotDone:
	}
	refusal := gate.Refuse(gate.HandleUsed, "call %s was interrupted while it carried the plan of this handle out, and a person found at %s %s",
		p.begunBy, at(p.endedAt), how)
	if next != "" {
		refusal.Next = next
	}
	if p.note != "" {
		refusal.Message += ": " + p.note
	}
	return refusal
}
