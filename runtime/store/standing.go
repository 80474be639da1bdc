package store

import "context"

// Stands implements [approval.Book].
func (s *Store) Stands(ctx context.Context, binding, subject string) (stands bool, err error) {
	err = s.read(ctx, "look for a request for approval", func(t *transaction) error {
		return t.tx.QueryRowContext(t.ctx, `SELECT EXISTS (SELECT 1 FROM requests WHERE binding = ?1 AND status IN ('pending', 'approved'))
			OR EXISTS (SELECT 1 FROM requests WHERE binding = ?1 AND told = 0 AND ended_at <> 0)
			OR EXISTS (SELECT 1 FROM requests WHERE subject = ?2 AND told = 0 AND status = 'stale')`, blob(binding), blob(subject)).Scan(&stands)
	})
	return stands && err == nil, err
}
