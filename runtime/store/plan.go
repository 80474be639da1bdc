package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// A plan is one row, without what it holds.
type plan struct {
	seq                       int64
	hash, sum                 []byte
	tool, digest, mode, actor string
	call                      string // of the preview
	madeAt, expiresAt         int64
	status                    preview.Status
	key, begunBy, begunIn     string
	owner                     string
	begunAt, endedAt          int64
	outcome, note, resolver   string
}

const planSelection = `SELECT seq, hash, sum, tool, digest, mode, actor, call, made_at, expires_at, status, key, begun_by, begun_in, owner,
	begun_at, ended_at, outcome, note, resolver FROM plans `

// hashed is what is kept of a handle.
func hashed(handle string) []byte {
	sum := sha256.Sum256([]byte(handle))
	return sum[:]
}

// plans reads the rows that a condition picks.
func (t *transaction) plans(condition string, args ...any) (found []plan, err error) {
	rows, err := t.tx.QueryContext(t.ctx, planSelection+condition, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p plan
		err := rows.Scan(&p.seq, &p.hash, &p.sum, &p.tool, &p.digest, &p.mode, &p.actor, &p.call, &p.madeAt, &p.expiresAt, &p.status, &p.key, &p.begunBy,
			&p.begunIn, &p.owner, &p.begunAt, &p.endedAt, &p.outcome, &p.note, &p.resolver)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, rows.Err()
}

// summed is the sum of what a plan holds.
func summed(body, recorded []byte) []byte {
	inner := sha256.Sum256(body)
	sum := sha256.Sum256(append(inner[:], recorded...))
	return sum[:]
}

// body reads what a plan holds. One that has not ended and does not hold what it
// did is damage: what runs is what was previewed.
func (t *transaction) body(p plan) (body []byte, recorded map[string]string, err error) {
	var fields []byte
	err = t.tx.QueryRowContext(t.ctx, `SELECT body, recorded FROM bodies WHERE plan = ?`, p.seq).Scan(&body, &fields)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil, damage(fmt.Sprintf("the plan of call %.40q has lost what it holds", p.call))
	case err != nil:
		return nil, nil, err
	case !bytes.Equal(summed(body, fields), p.sum):
		return nil, nil, damage(fmt.Sprintf("the plan of call %.40q does not hold what it did", p.call))
	}
	if err := json.Unmarshal(fields, &recorded); err != nil {
		return nil, nil, damage(fmt.Sprintf("the plan of call %.40q does not say what it is about", p.call))
	}
	return body, recorded, nil
}

// errDoubtful is that a plan was begun by somebody who seems to be gone, which
// only a transaction that writes can tell for good.
const errDoubtful storeError = "whether a plan is being carried out has to be found out"

type storeError string

func (e storeError) Error() string { return string(e) }

// settle marks a plan as interrupted that was begun by somebody who is gone.
// From then on it stays so.
func (t *transaction) settle(o *owner, p *plan) error {
	if p.status != preview.Begun || o.is(p.owner) {
		return nil
	}
	if !ownerName(p.owner) {
		return damage(fmt.Sprintf("the plan of call %.40q does not say who carries it out", p.call))
	}
	lives, err := alive(o.folder, p.owner)
	switch {
	case err != nil || lives:
		return err
	case !t.writes:
		return errDoubtful
	}
	_, err = t.exec(`UPDATE plans SET status = 'interrupted' WHERE seq = ? AND status = 'begun'`, p.seq)
	p.status = preview.Interrupted
	return err
}

// looking does something that may have to write down that a plan was
// interrupted.
func (s *Store) looking(ctx context.Context, doing string, do func(*transaction) error) error {
	err := s.read(ctx, doing, do)
	if errors.Is(err, errDoubtful) {
		err = s.write(ctx, doing, do)
	}
	return err
}

// at is a moment in words.
func at(nanoseconds int64) string { return moment(nanoseconds).Format(time.RFC3339) }

// refuses reports whether an error is an answer of the plans.
func refuses(err error) bool {
	refusal := new(gate.Refusal)
	return errors.As(err, &refusal) || errors.Is(err, preview.ErrUnknown) || errors.Is(err, preview.ErrNotInterrupted)
}
