package items

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// inserting makes this test binary a process that inserts without end.
const inserting = "TRACKER_TEST_INSERT_INTO"

// batch is how many items such a process inserts at once.
const batch = 500

func TestMain(m *testing.M) {
	if workspace := os.Getenv(inserting); workspace != "" {
		insert(workspace)
	}
	os.Exit(m.Run())
}

// insert says before each batch which it is, and after it that it is kept.
func insert(workspace string) {
	for i := 0; ; i++ {
		var all []Draft
		for j := range batch {
			all = append(all, draft(fmt.Sprintf("%d of %d in %d", j, i, os.Getpid())))
		}
		w, err := OpenWriter(context.Background(), workspace)
		if err == nil {
			fmt.Println("begun")
			if _, _, err = w.Insert(context.Background(), By{Call: fmt.Sprintf("%d-%d", os.Getpid(), i)}, all); err == nil {
				fmt.Println("kept")
				err = w.Close()
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// A process that is killed while it inserts leaves whole batches: all that it
// said were kept, and at most one more. Another process then goes on.
func TestKilledWhileInserting(t *testing.T) {
	at := t.TempDir()
	kept, begun := 0, 0
	for round := range 12 {
		process := exec.Command(os.Args[0])
		process.Env = append(os.Environ(), inserting+"="+at)
		process.Stderr = os.Stderr
		out, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		lines := bufio.NewScanner(out)
		for range 2*(round%4) + 1 { // up to the beginning of a batch
			require.True(t, lines.Scan())
			count(lines.Text(), &begun, &kept)
		}
		if round%2 == 1 { // and until something of it is written
			for deadline := time.Now().Add(10 * time.Second); ; { // a timer would come too late
				info, err := os.Stat(filepath.Join(at, FolderName, FileName+"-wal"))
				if err == nil && info.Size() > 8192 { // more than its header
					break
				}
				require.True(t, time.Now().Before(deadline))
			}
		}
		require.NoError(t, process.Process.Kill())
		for lines.Scan() {
			count(lines.Text(), &begun, &kept)
		}
		_ = process.Wait()

		r, err := OpenReader(t.Context(), at) // not open in the next round, or the log would stay
		require.NoError(t, err)
		found, _, err := r.List(t.Context(), Filter{Limit: maxItems})
		require.NoError(t, err)
		require.NoError(t, r.Close())
		sizes := map[string]int{}
		for _, item := range found {
			sizes[item.By.Call]++
		}
		for call, size := range sizes {
			require.Equal(t, batch, size, "call %s is kept in part", call)
		}
		require.GreaterOrEqual(t, len(sizes), kept, "what was said to be kept is kept")
		require.LessOrEqual(t, len(sizes), begun)
	}
	w := writer(t, at)
	created, _, err := w.Insert(t.Context(), By{}, drafts("after"))
	require.NoError(t, err)
	require.Len(t, created, 1)
	var said string
	require.NoError(t, w.db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&said))
	require.Equal(t, "ok", said)
}

func count(line string, begun, kept *int) {
	switch line {
	case "begun":
		*begun++
	case "kept":
		*kept++
	}
}

// Somebody who holds the tracker for too long is not waited for without end,
// and a reader does not wait at all.
func TestBusy(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	tx, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	require.Equal(t, []string{"a"}, titles(t, at))
	_, err = OpenWriter(t.Context(), at)
	require.True(t, refusal.Is(err, refusal.TrackerBusy), "%v", err)
}

// A disk that takes no more keeps what there is.
func TestFull(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	_, err = w.db.ExecContext(t.Context(), `PRAGMA max_page_count = 1`) // the least that SQLite takes: as many as there are
	require.NoError(t, err)
	var many []Draft
	for i := range 2000 {
		many = append(many, draft(fmt.Sprint("more ", i)))
	}
	_, _, err = w.Insert(t.Context(), By{}, many)
	require.True(t, refusal.Is(err, refusal.TrackerUnwritable), "%v", err)
	require.Equal(t, []string{"a"}, titles(t, at))
}

func TestTooManyItems(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, err := w.db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO items (key, document, line, title, description, estimate, actor, call, at) SELECT printf('k%031d', i), 'd', 1, 't', '', 0, '', '', 0 FROM n`, maxItems-1)
	require.NoError(t, err)
	_, _, err = w.Insert(t.Context(), By{}, drafts("a", "b"))
	require.True(t, refusal.Is(err, refusal.TrackerFull), "%v", err)
	_, _, err = w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
}
