package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// many is how many old requests a store of the benchmarks holds.
const many = 10_000

// aged is a folder whose store holds n requests that have ended.
func aged(t testing.TB, n int, ended time.Duration) *state.Folder {
	t.Helper()
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	at := time.Now().Add(-ended).UnixNano()
	_, err := store.db.ExecContext(context.Background(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
		INSERT INTO requests (id, binding, subject, protocol, digest, mode, tool, actor, session, workspace, call, why, asked_of, asked_at, expires_at,
			status, decided_at, used_at, ended_at, told)
		SELECT CAST('old ' || i AS BLOB), CAST('binding ' || (i % 100) AS BLOB), CAST('subject ' || (i % 100) AS BLOB), x'', x'', x'', x'', x'', x'', x'', x'', x'',
			CAST('["queue"]' AS BLOB), ?2, ?2, CASE i % 2 WHEN 0 THEN 'used' ELSE 'denied' END, ?2, CASE i % 2 WHEN 0 THEN ?2 ELSE 0 END, ?2, 1
		FROM n WHERE ?1 > 0`, n, at)
	require.NoError(t, err)
	_, err = store.db.ExecContext(context.Background(), `INSERT INTO details SELECT seq, zeroblob(500), zeroblob(500) FROM requests`)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	return folder
}

// sideBySide does the same in turn with an empty store and with one that holds
// many old requests, and reports what each of them took.
func sideBySide(b *testing.B, do func(old int)) {
	b.Helper()
	var took [2]time.Duration
	for b.Loop() {
		for i, old := range []int{0, many} {
			start := time.Now()
			do(old)
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(b.N), "ns/empty")
	b.ReportMetric(float64(took[1].Nanoseconds())/float64(b.N), "ns/old")
}

func BenchmarkSideBySide(b *testing.B) {
	ctx := context.Background()
	folders := map[int]*state.Folder{0: aged(b, 0, time.Hour), many: aged(b, many, time.Hour)}
	b.Run("open, ask and close", func(b *testing.B) {
		sideBySide(b, func(old int) {
			store, err := Open(ctx, folders[old], Options{})
			require.NoError(b, err)
			_, _, err = store.Ask(ctx, asked("first"), time.Hour)
			require.NoError(b, err)
			require.NoError(b, store.Close())
		})
	})
	stores := map[int]*Store{}
	for old, folder := range folders {
		stores[old] = openStore(b, folder, nil)
	}
	b.Run("ask, decide and claim", func(b *testing.B) {
		sideBySide(b, func(old int) {
			request := approved(b, stores[old], "7")
			_, err := stores[old].Claim(ctx, request.ID, request.Binding, "call")
			require.NoError(b, err)
		})
	})
	request := map[int]approval.Request{}
	for old, store := range stores {
		request[old] = pending(b, store, "8")
	}
	b.Run("get", func(b *testing.B) {
		sideBySide(b, func(old int) {
			_, err := stores[old].Get(ctx, request[old].ID)
			require.NoError(b, err)
		})
	})
	b.Run("pending", func(b *testing.B) {
		sideBySide(b, func(old int) {
			_, err := stores[old].Pending(ctx)
			require.NoError(b, err)
		})
	})
	b.Run("recent", func(b *testing.B) {
		sideBySide(b, func(old int) {
			_, err := stores[old].Recent(ctx, "subject 8", request[old].ID, time.Now().Add(-time.Minute))
			require.NoError(b, err)
		})
	})
}

// Requests that are to be forgotten cost what forgetting a few of them costs.
func BenchmarkAskAmongForgotten(b *testing.B) {
	store := openStore(b, aged(b, many, keep+time.Hour), nil)
	for b.Loop() {
		request := pending(b, store, "7")
		_, err := store.Decide(b.Context(), request.ID, approval.Ruling{Status: approval.StatusFailed})
		require.NoError(b, err)
		require.NoError(b, store.Told(b.Context(), request.ID))
	}
}
