package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
)

// A recorder opens connections that note what is asked of them.
type recorder struct {
	driver.Connector

	mu   sync.Mutex
	said map[string]int // statements, with the number of their arguments
}

func (r *recorder) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := r.Connector.Connect(ctx)
	return &recorded{Conn: conn, recorder: r}, err
}

func (r *recorder) note(query string, arguments int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said[query] = arguments
}

type recorded struct {
	driver.Conn

	recorder *recorder
}

func (r *recorded) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	return r.Conn.(driver.ConnBeginTx).BeginTx(ctx, options)
}

func (r *recorded) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	r.recorder.note(query, len(args))
	return r.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (r *recorded) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	r.recorder.note(query, len(args))
	return r.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// Every statement of a request's life, and of a plan's, finds its rows through an index, or walks
// through one that holds only what is live. What lists old requests on purpose
// is not asked here.
func TestNoStatementWalksThroughWhatIsOld(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	plain := store.db
	defer func() { store.db = plain }()
	record := &recorder{Connector: store.file, said: map[string]int{}}
	store.db = sql.OpenDB(record)
	defer store.db.Close()
	request := approved(t, store, "a")
	_, err := store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
	request = pending(t, store, "b")
	for _, do := range ways(store, request) {
		_ = do(ctx)
	}
	found, err := store.List(ctx, Filter{Status: []approval.Status{approval.StatusPending}, Since: time.Now(), Limit: 1})
	require.NoError(t, err)
	require.Empty(t, found)
	planLife(t, store)
	require.Greater(t, len(record.said), 25)
	for query, arguments := range record.said {
		if strings.Contains(query, "ORDER BY r.seq DESC") && strings.Contains(query, "status IN") {
			continue
		}
		for _, step := range queryPlan(t, plain, query, arguments) {
			walks := strings.HasPrefix(step, "SCAN")
			live := strings.Contains(step, "CONSTANT ROW") || strings.Contains(step, "SUBQUERY") || strings.Contains(step, "plans_due") ||
				strings.Contains(step, "plans_ready") || strings.Contains(step, "plans_open") || strings.Contains(step, "requests_due") || strings.Contains(step, "requests_pending") || strings.Contains(step, "requests_live")
			require.False(t, walks && !live, "%s: %s", step, query)
		}
	}
}

// planLife does with plans whatever a server does.
func planLife(t *testing.T, store *Store) {
	t.Helper()
	ctx := context.Background()
	c := begun(t, store, "k")
	require.NoError(t, store.Release(ctx, c))
	require.NoError(t, store.Hold(ctx, c, time.Now().Add(2*time.Hour)))
	require.NoError(t, store.Begin(ctx, c))
	_, err := store.Find(ctx, c)
	requireCode(t, gate.CommitInProgress, err)
	require.NoError(t, store.End(ctx, c, succeeded()))
	_, err = store.Find(ctx, c)
	require.NoError(t, err)
}

// queryPlan is what SQLite does for a statement.
func queryPlan(t *testing.T, db *sql.DB, query string, arguments int) (steps []string) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, make([]any, arguments)...)
	require.NoError(t, err, query)
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	require.NoError(t, rows.Err())
	return steps
}
