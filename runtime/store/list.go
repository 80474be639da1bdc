package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

// A Filter says which requests to list.
type Filter struct {
	Status []approval.Status // none is all of them
	Since  time.Time         // asked then or later; zero is always
	Limit  int               // at most so many; 0 is all
	Brief  bool              // without arguments and what is shown
}

// maxRecent bounds how many identical calls are told of.
const maxRecent = 100

// List returns requests: the pending ones first, which
// have waited longest in front, then the others, the newest in front.
func (s *Store) List(ctx context.Context, filter Filter) (found []approval.Request, err error) {
	const doing = "list requests for approval"
	pending, others, err := filter.split()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, &Error{Reason: BadRequest, Path: s.file.path, Message: err.Error()})
	}
	limit := filter.Limit
	if limit <= 0 {
		limit = -1 // as SQLite has it
	}
	as := whole
	if filter.Brief {
		as = brief
	}
	err = s.read(ctx, doing, func(t *transaction) error {
		found = nil
		if pending {
			found, err = t.all(as, `WHERE r.status = 'pending' AND r.asked_at >= ? ORDER BY r.seq LIMIT ?`, since(filter.Since), limit)
			if err != nil {
				return err
			}
		}
		left := limit
		if limit > 0 {
			left = limit - len(found)
		}
		if others == "" || left == 0 {
			return nil
		}
		more, err := t.all(as, `WHERE r.status IN (`+others+`) AND r.asked_at >= ? ORDER BY r.seq DESC LIMIT ?`, since(filter.Since), left)
		found = append(found, more...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// split tells whether pending requests are wanted, and which others, as SQL.
func (f Filter) split() (pending bool, others string, err error) {
	wanted := f.Status
	if len(wanted) == 0 {
		wanted = statuses()
	}
	var quoted []string
	for _, status := range wanted {
		switch {
		case !slices.Contains(statuses(), status):
			return false, "", fmt.Errorf("there is no status %.40q", string(status))
		case status == approval.StatusPending:
			pending = true
		default:
			quoted = append(quoted, "'"+string(status)+"'")
		}
	}
	return pending, strings.Join(quoted, ", "), nil
}

// since is a moment as it is kept, in the bounds of what is kept.
func since(at time.Time) int64 {
	switch {
	case at.Before(time.Unix(0, 0)):
		return 0
	case at.After(time.Unix(0, latest)):
		return latest
	}
	return at.UnixNano()
}

// Recent implements [approval.Book]. It returns a hundred requests at
// the most, and nothing of what they were about: they are as the one of this
// subject.
func (s *Store) Recent(ctx context.Context, subject, but string, from time.Time) (found []approval.Request, err error) {
	err = s.read(ctx, "look for identical calls", func(t *transaction) error {
		found, err = t.all(brief, `WHERE r.subject = ?1 AND r.id <> ?2 AND (r.asked_at >= ?3 OR r.ended_at >= ?3) ORDER BY r.seq DESC LIMIT ?4`,
			blob(subject), blob(but), since(from), maxRecent)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Voided is how much of another protocol was taken back.
type Voided struct {
	Requests int // for approval, pending or approved
	Plans    int // that nobody had begun to carry out
}

// Void makes every live request of another protocol than the one with this
// digest stale, and every plan that nobody has begun; with an empty digest, of
// every protocol.
func (s *Store) Void(ctx context.Context, digest string) (voided Voided, err error) {
	err = s.write(ctx, "void what another protocol left", func(t *transaction) error {
		requests, err := t.exec(`UPDATE requests SET status = 'stale', told = 0, ended_at = ?1, decided_at = CASE decided_at WHEN 0 THEN ?1 ELSE decided_at END
			WHERE status IN ('pending', 'approved') AND digest <> ?2`, t.now, blob(digest))
		if err != nil {
			return err
		}
		plans, err := t.exec(`UPDATE plans SET status = 'stale', ended_at = ?1 WHERE status = 'ready' AND digest <> ?2`, t.now, blob(digest))
		voided = Voided{Requests: int(requests), Plans: int(plans)}
		return err
	})
	if err != nil {
		return Voided{}, err
	}
	return voided, nil
}

// Pending implements [approval.Book].
func (s *Store) Pending(ctx context.Context) ([]approval.Request, error) {
	return s.List(ctx, Filter{Status: []approval.Status{approval.StatusPending}})
}
