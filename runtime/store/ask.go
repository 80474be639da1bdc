package store

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gatewright/gatewright/runtime/approval"
)

// Bounds of what waits.
const (
	maxPending     = 500      // requests: beyond that, nobody reads what they decide
	maxLive        = 64 << 20 // bytes of the arguments of live requests, and of what is shown
	maxPendingEach = 50       // of one tool, mode and actor, so that they leave room for others
)

// Ask implements [approval.Book].
func (s *Store) Ask(ctx context.Context, fresh approval.Request, ttl time.Duration) (request approval.Request, made bool, err error) {
	by, err := s.fit(fresh, ttl)
	if err != nil {
		return approval.Request{}, false, fmt.Errorf("ask for an approval: %w", err)
	}
	err = s.write(ctx, "ask for an approval", func(t *transaction) error {
		made = false
		request, err = t.standing(fresh)
		if err != nil || request.ID != "" {
			return err
		}
		request, made, err = t.add(fresh, by, min(ttl, approval.MaxTTL))
		return err
	})
	if err != nil {
		return approval.Request{}, false, err
	}
	return request, made, nil
}

// fit refuses a request that cannot be kept, before the store is touched.
func (s *Store) fit(fresh approval.Request, ttl time.Duration) (by []byte, err error) {
	if fresh.ID == "" || fresh.Binding == "" || fresh.Subject == "" || ttl <= 0 {
		return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "a request needs an id, a binding, a subject and a time to live"}
	}
	if by, err = json.Marshal(fresh.By); err != nil {
		return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "the names of providers are no text", Err: err}
	}
	return by, s.bounded(map[string]int{
		"the arguments": len(fresh.Arguments), "what is shown": len(fresh.Shown), "the id": len(fresh.ID), "the binding": len(fresh.Binding),
		"the subject": len(fresh.Subject), "the protocol": len(fresh.Protocol), "the digest": len(fresh.Digest), "the mode": len(fresh.Mode),
		"the tool": len(fresh.Tool), "the actor": len(fresh.Actor), "the session": len(fresh.Session), "the workspace": len(fresh.Workspace),
		"the call": len(fresh.Call), "the reason to ask": len(fresh.Why), "whom to ask": len(by),
	})
}

// bounded refuses texts that are too long.
func (s *Store) bounded(sizes map[string]int) error {
	for what, size := range sizes {
		if size > maxText {
			return &Error{Reason: TooLarge, Path: s.file.path, Next: "make it smaller",
				Message: fmt.Sprintf("%s of a request may have %d bytes, and this has %d", what, maxText, size)}
		}
	}
	return nil
}

// standing is the request that a call stands before already, with an empty id
// where there is none: the live one, or the newest that ended untold.
func (t *transaction) standing(fresh approval.Request) (approval.Request, error) {
	request, seq, err := t.one(`WHERE r.binding = ? AND r.status IN ('pending', 'approved')`, blob(fresh.Binding))
	if err != nil || seq != 0 {
		return request, err
	}
	request, seq, err = t.one(`WHERE r.seq = (SELECT max(seq) FROM (
		SELECT seq FROM requests WHERE binding = ? AND told = 0 AND ended_at <> 0
		UNION ALL SELECT seq FROM requests WHERE subject = ? AND told = 0 AND status = 'stale'))`, blob(fresh.Binding), blob(fresh.Subject))
	if err != nil || seq == 0 {
		return request, err
	}
	_, err = t.exec(`UPDATE requests SET told = 1 WHERE seq = ?`, seq)
	return request, err
}

// add keeps a fresh request, unless too many wait.
func (t *transaction) add(fresh approval.Request, by []byte, ttl time.Duration) (approval.Request, bool, error) {
	if err := t.fewWait(fresh); err != nil {
		return fresh, false, err
	}
	if err := t.forget(); err != nil {
		return fresh, false, err
	}
	if err := t.drop(); err != nil {
		return fresh, false, err
	}
	_, err := t.exec(`INSERT INTO requests
		(id, binding, subject, protocol, digest, mode, tool, actor, session, workspace, call, why, asked_of, asked_at, expires_at, status)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
		blob(fresh.ID), blob(fresh.Binding), blob(fresh.Subject), blob(fresh.Protocol), blob(fresh.Digest), blob(fresh.Mode), blob(fresh.Tool),
		blob(fresh.Actor), blob(fresh.Session), blob(fresh.Workspace), blob(fresh.Call), blob(fresh.Why), by, t.now, t.now+int64(ttl))
	if err != nil {
		return fresh, false, err
	}
	_, err = t.exec(`INSERT INTO details (request, arguments, shown) SELECT seq, ?, ? FROM requests WHERE id = ?`,
		blob(string(fresh.Arguments)), blob(fresh.Shown), blob(fresh.ID))
	if err != nil {
		return fresh, false, err
	}
	request, _, err := t.one(`WHERE r.id = ?`, blob(fresh.ID))
	return request, true, err
}

// fewWait refuses where too many requests wait.
func (t *transaction) fewWait(fresh approval.Request) error {
	var pending, like int
	err := t.tx.QueryRowContext(t.ctx, `SELECT count(*), coalesce(sum(tool = ? AND mode = ? AND actor = ?), 0) FROM requests WHERE status = 'pending'`,
		blob(fresh.Tool), blob(fresh.Mode), blob(fresh.Actor)).Scan(&pending, &like)
	switch {
	case err != nil:
		return err
	case pending >= maxPending:
		return fmt.Errorf("%w: %d of at most %d", approval.ErrFull, pending, maxPending)
	case like >= maxPendingEach:
		return fmt.Errorf("%w: %d of at most %d of this tool", approval.ErrFull, like, maxPendingEach)
	}
	return t.littleLive(len(fresh.Arguments) + len(fresh.Shown))
}

// littleLive refuses where live requests have too many bytes with so many more.
func (t *transaction) littleLive(more int) error {
	var live int
	err := t.tx.QueryRowContext(t.ctx, `SELECT coalesce(sum(length(d.arguments) + length(d.shown)), 0) FROM requests AS r JOIN details AS d ON d.request = r.seq
		WHERE r.status IN ('pending', 'approved')`).Scan(&live)
	if err == nil && live+more > maxLive {
		err = fmt.Errorf("%w: %d bytes of at most %d", approval.ErrFull, live+more, maxLive)
	}
	return err
}
