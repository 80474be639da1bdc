package store

import (
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gatewright/gatewright/runtime/approval"
)

// maxText bounds every text of a request, in bytes.
const maxText = 1 << 20

// whole and brief read requests with and without their details; a condition on r
// follows.
const (
	whole = before + `d.arguments, coalesce(d.shown, x''), d.request` + after + `LEFT JOIN details AS d ON d.request = r.seq `
	brief = before + `x'', x'', r.seq` + after

	before = `SELECT r.seq, r.id, r.binding, r.subject, r.protocol, r.digest, r.mode, r.tool, r.actor, r.session, r.workspace, r.call, `
	after  = `, r.why, r.asked_of, r.asked_at, r.expires_at, r.status, r.round, r.decided_at, r.provider, r.approver, r.reason,
	r.used_at, r.used_by FROM requests AS r `
)

// one reads the first request that a condition picks; seq is 0 where there is
// none.
func (t *transaction) one(condition string, args ...any) (request approval.Request, seq int64, err error) {
	rows, err := t.tx.QueryContext(t.ctx, whole+condition, args...)
	if err != nil {
		return request, 0, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return request, 0, rows.Err()
	}
	return scan(rows)
}

// all reads every request that a condition picks, whole or brief.
func (t *transaction) all(as, condition string, args ...any) ([]approval.Request, error) {
	rows, err := t.tx.QueryContext(t.ctx, as+condition, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []approval.Request
	for rows.Next() {
		request, _, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, request)
	}
	return found, rows.Err()
}

// scan reads one row. What it cannot make sense of is damage.
func scan(rows *sql.Rows) (r approval.Request, seq int64, err error) {
	var asked, expires, decided, used int64
	var by []byte
	var details sql.NullInt64
	err = rows.Scan(&seq, &r.ID, &r.Binding, &r.Subject, &r.Protocol, &r.Digest, &r.Mode, &r.Tool, &r.Actor, &r.Session, &r.Workspace, &r.Call,
		&r.Arguments, &r.Shown, &details, &r.Why, &by, &asked, &expires, &r.Status, &r.Round, &decided, &r.Provider, &r.Approver, &r.Reason,
		&used, &r.UsedBy)
	if err != nil {
		return r, 0, err
	}
	if live := r.Status == approval.StatusPending || r.Status == approval.StatusApproved; live && !details.Valid {
		return r, 0, damage(fmt.Sprintf("request %.40q has lost its arguments", r.ID))
	}
	if !slices.Contains(statuses(), r.Status) {
		return r, 0, damage(fmt.Sprintf("request %.40q has no status that there is", r.ID))
	}
	if err := json.Unmarshal(by, &r.By); err != nil {
		return r, 0, damage(fmt.Sprintf("request %.40q does not say whom it asks", r.ID))
	}
	if len(r.By) == 0 {
		r.By = nil
	}
	r.AskedAt, r.ExpiresAt, r.DecidedAt, r.UsedAt = moment(asked), moment(expires), moment(decided), moment(used)
	return r, seq, nil
}

func statuses() []approval.Status {
	return []approval.Status{
		approval.StatusPending, approval.StatusApproved, approval.StatusDenied, approval.StatusFailed,
		approval.StatusTimedOut, approval.StatusExpired, approval.StatusStale, approval.StatusUsed,
	}
}

func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(0, at).UTC()
}

// blob is a text as it is kept: its bytes, and never null.
func blob(text string) []byte { return append(make([]byte, 0, len(text)), text...) }
