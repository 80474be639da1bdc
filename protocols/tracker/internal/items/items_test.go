package items

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

func writer(t *testing.T, workspace string) *Writer {
	t.Helper()
	opened, err := OpenWriter(t.Context(), workspace)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return opened
}

func reader(t *testing.T, workspace string) *Reader {
	t.Helper()
	opened, err := OpenReader(t.Context(), workspace)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return opened
}

func draft(title string) Draft {
	sum := sha256.Sum256([]byte(title))
	return Draft{Key: hex.EncodeToString(sum[:16]), Document: "docs/plan.md", Line: 3, Title: title}
}

func drafts(titles ...string) (all []Draft) {
	for _, title := range titles {
		all = append(all, draft(title))
	}
	return all
}

func titles(t *testing.T, workspace string) (all []string) {
	t.Helper()
	found, more, err := reader(t, workspace).List(t.Context(), Filter{Limit: 10_000})
	require.NoError(t, err)
	require.False(t, more)
	for _, item := range found {
		all = append(all, item.Title)
	}
	return all
}

func TestItemsAreKeptAsTheyAre(t *testing.T) {
	at := t.TempDir()
	full := Draft{
		Key: strings.Repeat("a", 32), Document: "docs/é.md", Line: 7, Title: "'); DROP TABLE items; -- \x00\x1b[31m \u202e", Estimate: 1000,
		Description: "one\r\n\ttwo\x00three\n  \u2028 名前 🌱 \"quoted\" $1 ?1 :a @b %s\n",
	}
	w := writer(t, at)
	created, existing, err := w.Insert(t.Context(), By{"ada \x00 é", "call-1"}, []Draft{full, draft("b")})
	require.NoError(t, err)
	require.Empty(t, existing)
	require.Equal(t, []Placed{{full, 1}, {draft("b"), 2}}, created)
	revision, err := w.Report(t.Context(), By{"bob", "call-2"}, Change{Item: 1, Revision: 1, Before: Open, After: Doing, Note: "no\x00te\r\n"})
	require.NoError(t, err)
	require.EqualValues(t, 2, revision)

	item, reports, err := reader(t, at).Show(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Equal(t, full, item.Draft)
	require.Equal(t, Item{Draft: full, ID: 1, State: Doing, Revision: 2, By: By{"ada \x00 é", "call-1"}, At: item.At}, item)
	require.Equal(t, []Report{{Change{Item: 1, Revision: 2, Before: Open, After: Doing, Note: "no\x00te\r\n"}, By{"bob", "call-2"}, reports[0].At}}, reports)
}

func TestReadingMakesNothing(t *testing.T) {
	at := t.TempDir()
	require.Empty(t, titles(t, at))
	stored, err := reader(t, at).Stored(t.Context(), []string{"x"})
	require.NoError(t, err)
	require.Empty(t, stored)
	_, _, err = reader(t, at).Show(t.Context(), 1, 1)
	require.True(t, refusal.Is(err, refusal.ItemNotFound), "%v", err)
	made, err := os.ReadDir(at)
	require.NoError(t, err)
	require.Empty(t, made)
}

// The connection of a reader refuses to write, whatever it is asked.
func TestINV6_AReaderCannotWrite(t *testing.T) {
	at := t.TempDir()
	_, _, err := writer(t, at).Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	r := reader(t, at)
	for _, statement := range []string{
		`INSERT INTO reports VALUES (1, 2, 'open', 'done', '', '', '', 0)`, `UPDATE items SET state = 'done', revision = 2`, `PRAGMA user_version = 7`,
		`CREATE TABLE more (a)`, `PRAGMA query_only = 0; UPDATE items SET state = 'done', revision = 2`,
	} {
		_, err := r.db.ExecContext(t.Context(), statement)
		require.Error(t, err, statement)
	}
	item, _, err := r.Show(t.Context(), 1, 1)
	require.NoError(t, err)
	require.Equal(t, Open, item.State)
}

func TestListing(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	other := draft("d")
	other.Document = "docs/other.md"
	_, _, err := w.Insert(t.Context(), By{}, append(drafts("a", "b", "c"), other))
	require.NoError(t, err)
	_, err = w.Report(t.Context(), By{}, Change{Item: 2, Revision: 1, Before: Open, After: Done})
	require.NoError(t, err)
	for _, c := range []struct {
		filter Filter
		want   string
		more   bool
	}{
		{Filter{Limit: 9}, "abcd", false},
		{Filter{Limit: 4}, "abcd", false},
		{Filter{Limit: 3}, "abc", true},
		{Filter{Limit: 2, After: 1}, "bc", true},
		{Filter{Limit: 9, After: 4}, "", false},
		{Filter{Limit: 9, State: Open}, "acd", false},
		{Filter{Limit: 9, State: Done}, "b", false},
		{Filter{Limit: 9, State: Blocked}, "", false},
		{Filter{Limit: 9, Document: "docs/other.md"}, "d", false},
		{Filter{Limit: 9, Document: "docs/plan.md", State: Open, After: 1}, "c", false},
	} {
		found, more, err := reader(t, at).List(t.Context(), c.filter)
		require.NoError(t, err)
		got := ""
		for _, item := range found {
			got += item.Title
		}
		require.Equal(t, c.want, got, "%+v", c.filter)
		require.Equal(t, c.more, more, "%+v", c.filter)
	}
}

// What is there already stays as it is, and the rest is inserted.
func TestInsertLeavesWhatIsThere(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{"first", ""}, drafts("a", "b"))
	require.NoError(t, err)
	changed := draft("b")
	changed.Description = "other words"
	created, existing, err := w.Insert(t.Context(), By{"second", ""}, []Draft{draft("c"), changed, draft("d"), draft("c")})
	require.NoError(t, err)
	require.Equal(t, []Placed{{draft("c"), 3}, {draft("d"), 4}}, created)
	require.Equal(t, []Placed{{changed, 2}, {draft("c"), 3}}, existing)
	item, _, err := reader(t, at).Show(t.Context(), 2, 1)
	require.NoError(t, err)
	require.Empty(t, item.Description)
	require.Equal(t, "first", item.By.Actor)

	_, _, err = w.Insert(t.Context(), By{}, drafts("a", "b"))
	require.True(t, refusal.Is(err, refusal.ItemsExist), "%v", err)
	require.Equal(t, []string{"a", "b", "c", "d"}, titles(t, at))
}

// An insert that fails on the way inserts nothing.
func TestInsertIsWholeOrNot(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	bad := draft("bad")
	bad.Key = "short"
	_, _, err := w.Insert(t.Context(), By{}, append(drafts("a", "b"), bad))
	require.ErrorContains(t, err, "CHECK constraint failed")
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err = w.Insert(ended, By{}, drafts("a"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, titles(t, at))
}

func TestReportsOnlyOnWhatThePlanSaw(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	step := Change{Item: 1, Revision: 1, Before: Open, After: Blocked, Note: "waits"}
	_, err = w.Report(t.Context(), By{}, step)
	require.NoError(t, err)
	for _, stale := range []Change{step, {Item: 1, Revision: 2, Before: Open, After: Done}, {Item: 1, Revision: 1, Before: Blocked, After: Done}, {Item: 1, Revision: 3, Before: Blocked, After: Done}} {
		_, err = w.Report(t.Context(), By{}, stale)
		require.True(t, refusal.Is(err, refusal.ItemChanged), "%+v: %v", stale, err)
	}
	_, err = w.Report(t.Context(), By{}, Change{Item: 2, Revision: 1, Before: Open, After: Done})
	require.True(t, refusal.Is(err, refusal.ItemNotFound), "%v", err)
	_, err = w.Report(t.Context(), By{}, Change{Item: 1, Revision: 2, Before: Blocked, After: "finished"})
	require.ErrorContains(t, err, "CHECK constraint failed")
	for i := range 60 {
		_, err = w.Report(t.Context(), By{}, Change{Item: 1, Revision: int64(i + 2), Before: Blocked, After: Blocked, Note: fmt.Sprint(i)})
		require.NoError(t, err)
	}
	item, reports, err := reader(t, at).Show(t.Context(), 1, 50)
	require.NoError(t, err)
	require.EqualValues(t, 62, item.Revision)
	require.Len(t, reports, 50)
	require.Equal(t, "59", reports[0].Note)
}

// What was written stays, also for a statement that this program does not have.
func TestTriggersHoldWhatStays(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	_, err = w.Report(t.Context(), By{}, Change{Item: 1, Revision: 1, Before: Open, After: Done})
	require.NoError(t, err)
	for _, statement := range []string{
		`DELETE FROM items`, `DELETE FROM reports`, `UPDATE items SET title = 'b'`, `UPDATE items SET id = 2`, `UPDATE reports SET note = 'x'`,
		`UPDATE items SET state = 'open'`, `UPDATE items SET revision = 9`, `UPDATE items SET at = 0`,
	} {
		_, err := w.db.ExecContext(t.Context(), statement)
		require.Error(t, err, statement)
	}
}

// However many writers import at the same time, in whatever order, each key is
// created once, and every writer is told which were its own.
func TestWritersAtTheSameTime(t *testing.T) {
	at := t.TempDir()
	const writers, each = 6, 40
	var all sync.WaitGroup
	var mu sync.Mutex
	owner := map[string]string{}
	for i := range writers {
		all.Go(func() {
			w, err := OpenWriter(t.Context(), at) // all of them find no tracker at first
			if !requireNoError(t, err) {
				return
			}
			defer w.Close()
			for j := range each {
				who := fmt.Sprintf("%d", i)
				created, _, err := w.Insert(t.Context(), By{who, ""}, drafts(fmt.Sprint("item ", j), fmt.Sprint("item ", j+1)))
				if !refusal.Is(err, refusal.ItemsExist) && !requireNoError(t, err) {
					return
				}
				mu.Lock()
				for _, placed := range created {
					if owner[placed.Draft.Key] != "" {
						t.Errorf("%s was created twice", placed.Draft.Title)
					}
					owner[placed.Draft.Key] = who
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	found, _, err := reader(t, at).List(t.Context(), Filter{Limit: 1000})
	require.NoError(t, err)
	require.Len(t, found, each+1)
	for _, item := range found {
		require.Equal(t, owner[item.Key], item.By.Actor)
	}
	left, err := filepath.Glob(filepath.Join(at, FolderName, "new-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func requireNoError(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
