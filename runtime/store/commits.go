package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/preview"
)

// A CommitFilter says which commits to list.
type CommitFilter struct {
	Status []preview.Status // none is all of them
	Since  time.Time        // begun then or later; zero is always
	Limit  int              // at most so many; 0 is all
}

// idSize is how much of the hash of a handle is the id of its commit, in bytes.
const idSize = 16

// Commits returns the plans that were begun, those last begun in front. One
// whose process is gone is found to be interrupted by this as well.
func (s *Store) Commits(ctx context.Context, filter CommitFilter) (found []preview.Commit, err error) {
	const doing = "list commits"
	wanted, err := filter.wanted()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, &Error{Reason: BadRequest, Path: s.file.path, Message: err.Error()})
	}
	limit := filter.Limit
	if limit <= 0 {
		limit = -1 // as SQLite has it
	}
	err = s.looking(ctx, doing, func(t *transaction) error {
		if err := t.settleAll(&s.owner); err != nil {
			return err
		}
		rows, err := t.plans(`WHERE status IN (`+wanted+`) AND begun_at >= ? ORDER BY begun_at DESC, seq DESC LIMIT ?`, since(filter.Since), limit)
		if err != nil {
			return err
		}
		found = nil
		for _, p := range rows {
			commit, err := t.commit(p)
			if err != nil {
				return err
			}
			found = append(found, commit)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// begunStatuses are those that a plan has from when it is begun.
func begunStatuses() []preview.Status {
	return []preview.Status{preview.Begun, preview.Interrupted, preview.Committed, preview.Failed, preview.Partial, preview.Resolved}
}

// wanted are the statuses, as SQL.
func (f CommitFilter) wanted() (string, error) {
	wanted := f.Status
	if len(wanted) == 0 {
		wanted = begunStatuses()
	}
	var quoted []string
	for _, status := range wanted {
		if !slices.Contains(begunStatuses(), status) {
			return "", fmt.Errorf("no commit has the status %.40q", string(status))
		}
		quoted = append(quoted, "'"+string(status)+"'")
	}
	return strings.Join(quoted, ", "), nil
}

// settleAll finds out which of the plans that were begun were interrupted.
func (t *transaction) settleAll(o *owner) error {
	begun, err := t.plans(`WHERE status IN ('begun', 'interrupted')`)
	for i := range begun {
		if err == nil {
			err = t.settle(o, &begun[i])
		}
	}
	return err
}

// commit is what is told of a plan that was begun.
func (t *transaction) commit(p plan) (c preview.Commit, err error) {
	c = preview.Commit{
		ID: hex.EncodeToString(p.hash[:idSize]), Status: p.status, Tool: p.tool, Digest: p.digest, Actor: p.actor, Preview: p.call,
		Call: p.begunBy, Mode: p.begunIn, Key: p.key, MadeAt: moment(p.madeAt), ExpiresAt: moment(p.expiresAt), BegunAt: moment(p.begunAt),
		EndedAt: moment(p.endedAt), Resolution: preview.Resolution{Outcome: preview.Outcome(p.outcome), Note: p.note, By: p.resolver},
	}
	if p.endedAt == 0 {
		c.Body, c.Recorded, err = t.body(p)
	} else {
		c.Ending, _, err = t.ending(p)
	}
	return c, err
}

// Resolve keeps what a person found of a commit that was interrupted. It is not
// run again. One that is not interrupted is returned as it is with an error that
// matches [preview.ErrNotInterrupted].
func (s *Store) Resolve(ctx context.Context, id string, resolution preview.Resolution) (commit preview.Commit, err error) {
	const doing = "resolve a commit"
	if err := s.resolutionFits(resolution); err != nil {
		return preview.Commit{}, fmt.Errorf("%s: %w", doing, err)
	}
	err = s.write(ctx, doing, func(t *transaction) error {
		p, err := t.named(&s.owner, id)
		if err != nil {
			return err
		}
		if p.status != preview.Interrupted {
			commit, err = t.commit(p)
			if err == nil {
				err = fmt.Errorf("commit %.40q: %w", id, preview.ErrNotInterrupted)
			}
			return err
		}
		_, err = t.exec(`UPDATE plans SET status = 'resolved', outcome = ?, note = ?, resolver = ?, ended_at = ? WHERE seq = ? AND status = 'interrupted'`,
			string(resolution.Outcome), blob(resolution.Note), blob(resolution.By), t.now, p.seq)
		if err != nil {
			return err
		}
		if p, err = t.named(&s.owner, id); err == nil {
			commit, err = t.commit(p)
		}
		return err
	})
	if err != nil && !answers(err) {
		return preview.Commit{}, err
	}
	return commit, err
}

// named is the plan that was begun whose commit has an id.
func (t *transaction) named(o *owner, id string) (plan, error) {
	unknown := fmt.Errorf("commit %.40q: %w", id, preview.ErrUnknown)
	from, err := hex.DecodeString(id)
	if err != nil || len(from) != idSize {
		return plan{}, unknown
	}
	to := append(slices.Clone(from), slices.Repeat([]byte{0xff}, idSize)...)
	rows, err := t.plans(`WHERE hash >= ? AND hash <= ? AND begun_at <> 0`, from, to)
	switch {
	case err != nil:
		return plan{}, err
	case len(rows) != 1:
		return plan{}, unknown
	}
	err = t.settle(o, &rows[0])
	return rows[0], err
}

func (s *Store) resolutionFits(r preview.Resolution) error {
	switch r.Outcome {
	case preview.Done, preview.NotDone, preview.Partly:
	default:
		return &Error{Reason: BadRequest, Path: s.file.path, Message: fmt.Sprintf("nobody finds that a commit was %.40q", string(r.Outcome))}
	}
	return s.named(map[string]string{"note about the outcome": r.Note, "name of who found it": r.By})
}
