package store

import "time"

const (
	// backwards is how far before the asking of a request the clock may be set
	// back: further than that, nobody can tell how long the request has lived.
	backwards = time.Minute
	keep      = 30 * 24 * time.Hour // for which an ended request is kept
	step      = 4                   // requests deleted at a time

	// What is kept of the arguments of ended requests, and of what was shown, is
	// the product of these.
	keptEnded = 1000     // of the newest
	keptSize  = 64 << 10 // bytes
	dropStep  = 64       // dropped at a time
)

const (
	isDue     = `status IN ('pending', 'approved') AND (expires_at <= ?1 OR asked_at > ?1 + ?2)`
	isPlanDue = `status = 'ready' AND (expires_at <= ?1 OR made_at > ?1 + ?2)`
)

// due reports whether a live request or a plan is over.
func (t *transaction) due() (due bool, err error) {
	err = t.tx.QueryRowContext(t.ctx, `SELECT EXISTS (SELECT 1 FROM requests WHERE `+isDue+`) OR EXISTS (SELECT 1 FROM plans WHERE `+isPlanDue+`)`,
		t.now, int64(backwards)).Scan(&due)
	return due, err
}

// sweep ends every live request and every plan whose time has come.
func (t *transaction) sweep() error {
	due, err := t.due() // mostly nothing is, and to look takes less than to change nothing
	if err != nil || !due {
		return err
	}
	_, err = t.exec(`UPDATE requests SET
		status = CASE status WHEN 'pending' THEN 'timed_out' ELSE 'expired' END,
		decided_at = CASE status WHEN 'pending' THEN min(expires_at, ?1) ELSE decided_at END,
		ended_at = min(expires_at, ?1)
		WHERE `+isDue, t.now, int64(backwards))
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE plans SET status = 'expired', ended_at = min(expires_at, ?1) WHERE `+isPlanDue, t.now, int64(backwards))
	return err
}

// forget deletes a few requests that ended long ago.
func (t *transaction) forget() error {
	_, err := t.exec(`DELETE FROM requests WHERE seq IN
		(SELECT seq FROM requests WHERE ended_at <> 0 AND ended_at < ? ORDER BY ended_at LIMIT ?)`, t.now-int64(keep), step)
	return err
}

// drop deletes what is kept no longer of requests that have ended: their
// arguments and what was shown, not that they were made and how they ended.
func (t *transaction) drop() error {
	const ended = `SELECT d.request FROM details AS d JOIN requests AS r ON r.seq = d.request WHERE r.ended_at <> 0 AND d.request `
	_, err := t.exec(`DELETE FROM details WHERE request IN (`+
		ended+`<= (SELECT max(seq) FROM requests) - ?1 UNION ALL `+
		ended+`> (SELECT max(seq) FROM requests) - ?1 AND length(d.arguments) + length(d.shown) > ?2 LIMIT ?3)`, keptEnded, keptSize, dropStep)
	return err
}
