package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// worn is a folder whose store holds n commits that ended, with their endings,
// and as many tombstones.
func worn(t testing.TB, n int) *state.Folder {
	t.Helper()
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	at := time.Now().Add(-time.Hour).UnixNano()
	for _, statement := range []string{
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2 * ?1)
		INSERT INTO plans (hash, tool, digest, mode, actor, call, size, sum, made_at, expires_at, status, key, begun_by, begun_in, owner, begun_at, ended_at)
		SELECT randomblob(32), CAST('import' AS BLOB), CAST('sha256:a' AS BLOB), x'', x'', CAST('p' || i AS BLOB), 500, randomblob(32), ?2, ?2 + 1,
			CASE i % 2 WHEN 0 THEN 'committed' ELSE 'expired' END, CASE i % 2 WHEN 0 THEN CAST('key ' || i AS BLOB) ELSE x'' END,
			CASE i % 2 WHEN 0 THEN CAST('c' || i AS BLOB) ELSE x'' END, x'', x'', CASE i % 2 WHEN 0 THEN ?2 ELSE 0 END, ?2
		FROM n WHERE ?1 > 0`,
		`INSERT INTO endings SELECT seq, ended_at, zeroblob(500), x'' FROM plans WHERE status = 'committed' AND ?1 > 0 AND ?2 > 0`,
	} {
		_, err := store.db.ExecContext(ctx, statement, n, at)
		require.NoError(t, err)
	}
	require.NoError(t, store.Close())
	return folder
}

// A preview and its commit, with nothing in the store and with 10,000 commits
// that ended and 10,000 plans that nobody carried out.
func BenchmarkPlansSideBySide(b *testing.B) {
	ctx := context.Background()
	folders := map[int]*state.Folder{0: worn(b, 0), many: worn(b, many)}
	b.Run("open, keep and close", func(b *testing.B) {
		sideBySide(b, func(old int) {
			store, err := Open(ctx, folders[old], Options{})
			require.NoError(b, err)
			_, err = store.db.ExecContext(ctx, `UPDATE plans SET status = 'expired', ended_at = ? WHERE status = 'ready'`, time.Now().UnixNano())
			require.NoError(b, err)
			kept(b, store, "{}")
			require.NoError(b, store.Close())
		})
	})
	stores := map[int]*Store{}
	for old, folder := range folders {
		stores[old] = openStore(b, folder, nil)
	}
	b.Run("keep, find, begin and end", func(b *testing.B) {
		sideBySide(b, func(old int) {
			c := kept(b, stores[old], `{"items":[1,2,3]}`)
			c.Key = "k" + c.Handle
			_, err := stores[old].Find(ctx, c)
			require.NoError(b, err)
			require.NoError(b, stores[old].Begin(ctx, c))
			require.NoError(b, stores[old].End(ctx, c, succeeded()))
		})
	})
	ended := map[int]gate.Commitment{}
	for old, store := range stores {
		ended[old] = begun(b, store, "ended")
		require.NoError(b, store.End(ctx, ended[old], succeeded()))
	}
	b.Run("replay", func(b *testing.B) {
		sideBySide(b, func(old int) {
			_, err := stores[old].Find(ctx, ended[old])
			require.NoError(b, err)
		})
	})
}
