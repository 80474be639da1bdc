package store

import "time"

const (
	keepEnding    = 30 * 24 * time.Hour  // for which it is kept how a plan ended
	keepTombstone = 400 * 24 * time.Hour // for which it is kept that there was a plan
)

// prune deletes a few endings and a few tombstones that are old. Commits that
// were interrupted stay until a person has said what was done.
func (t *transaction) prune() error {
	_, err := t.exec(`DELETE FROM endings WHERE plan IN
		(SELECT plan FROM endings WHERE ended_at < ? ORDER BY ended_at LIMIT ?)`, t.now-int64(keepEnding), step)
	if err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM plans WHERE seq IN
		(SELECT seq FROM plans WHERE ended_at <> 0 AND ended_at < ? ORDER BY ended_at LIMIT ?)`, t.now-int64(keepTombstone), step)
	return err
}
