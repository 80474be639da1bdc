//go:build unix

package store

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// commitment is the one that a test passed on to another process.
func commitment() gate.Commitment {
	return gate.Commitment{Handle: argument(0), Tool: "import", Digest: "sha256:a", Mode: "m", Call: "other"}
}

// changes are all the methods that change a plan, in a state in which each of
// them would be done.
func changes(store *Store) map[string]func(context.Context, gate.Commitment) error {
	return map[string]func(context.Context, gate.Commitment) error{
		"keep": func(ctx context.Context, _ gate.Commitment) error {
			_, err := store.Keep(ctx, planned(strings.Repeat("x", 100_000)))
			return err
		},
		"hold": func(ctx context.Context, c gate.Commitment) error {
			return store.Hold(ctx, c, time.Now().Add(2*time.Hour))
		},
		"begin": store.Begin,
	}
}

func TestINV6_AFullDiskLosesNoPlan(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	c, running := kept(t, store, "{}"), begun(t, store, "k")
	pages := func(most string) {
		_, err := store.db.ExecContext(ctx, `PRAGMA max_page_count = `+most)
		require.NoError(t, err)
	}
	pages("200")
	var err error
	for range maxReady {
		if _, err = store.Keep(ctx, planned(strings.Repeat("x", 100_000))); err != nil {
			break
		}
	}
	requireReason(t, Full, err)
	large := gate.Ending{Output: []byte(strings.Repeat("y", 2<<20))}
	requireReason(t, Full, store.End(ctx, running, large))
	refusedEverywhere(t, store, running, gate.CommitInProgress)
	stored, err := store.Find(ctx, c)
	require.NoError(t, err)
	require.Equal(t, "{}", string(stored.Body))
	pages("100000")
	require.NoError(t, store.End(ctx, running, large))
	require.NoError(t, store.Begin(ctx, c))
	require.NoError(t, store.Release(ctx, c))
	var whole int
	require.NoError(t, store.db.QueryRowContext(ctx, `SELECT count(*) FROM plans WHERE status = 'ready' AND seq NOT IN (SELECT plan FROM bodies)`).Scan(&whole))
	require.Zero(t, whole, "whole plans are kept or none of it")
}

// The system lets the files of a process grow no further.
func TestINV6_AWriteThatTheSystemRefusesLosesNoPlan(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	for name := range changes(nil) {
		c := kept(t, openStore(t, folder, nil), "{}")
		said := run(t, folder, "limited plans", c.Handle, name)
		require.Contains(t, []string{string(Full), string(Failing)}, said, name)
		store := openStore(t, folder, nil)
		stored, err := store.Find(ctx, c)
		require.NoError(t, err, name)
		require.Equal(t, "{}", string(stored.Body))
		require.NoError(t, store.Begin(ctx, c), name)
		var verdict string
		require.NoError(t, store.db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&verdict))
		require.Equal(t, "ok", verdict)
	}
}

func limitedPlans(ctx context.Context, store *Store) error {
	if _, err := store.owner.enter(ctx); err != nil { // it needs no room, and makes a file
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	log, err := os.Stat(store.file.path + "-wal")
	if err != nil {
		return err
	}
	var room syscall.Rlimit
	set(&room.Cur, log.Size())
	set(&room.Max, log.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	return sayReason(changes(store)[argument(1)](ctx, commitment()))
}

// The file may be read and not written.
func TestINV6_AStoreThatCannotBeWrittenLosesNoPlan(t *testing.T) {
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	c := kept(t, store, "{}")
	require.NoError(t, store.Close())
	path := filepath.Join(folder.Path(), FileName)
	for name := range changes(nil) {
		require.NoError(t, os.Chmod(path, 0o400))
		require.Equal(t, string(ReadOnly), unprivileged(t, folder, "read only plans", c.Handle, name))
		require.NoError(t, os.Chmod(path, 0o600))
	}
	require.NoError(t, openStore(t, folder, nil).Begin(context.Background(), c))
}

func readOnlyPlans(ctx context.Context) error {
	if err := dropRights(); err != nil {
		return err
	}
	folder, err := state.Open(stateOptions())
	if err != nil {
		return err
	}
	return sayReason(func() error {
		store, err := Open(ctx, folder, Options{})
		if err != nil {
			return err
		}
		return errors.Join(changes(store)[argument(1)](ctx, commitment()), store.Close())
	}())
}

// Whatever page of the file is overwritten: the store says so, or the plan is
// begun once, and is the one that was kept.
func TestINV6_ADamagedPageIsANoOrNoMatter(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	c := kept(t, store, strings.Repeat("x", 10_000))
	for range 20 {
		kept(t, store, "{}")
	}
	require.NoError(t, store.Close())
	path := filepath.Join(folder.Path(), FileName)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	const page = 4096
	refused := 0
	for at := 0; at < len(sound); at += page {
		damaged := append([]byte(nil), sound...)
		copy(damaged[at:at+page], strings.Repeat("\xa5", page))
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_ = os.Remove(path + "-wal")
		_ = os.Remove(path + "-shm")
		store, err := Open(ctx, folder, Options{})
		if err == nil {
			var stored gate.Stored
			if stored, err = store.Find(ctx, c); err == nil {
				require.Equal(t, strings.Repeat("x", 10_000), string(stored.Body), "page %d", at/page)
				if err = store.Begin(ctx, c); err == nil {
					require.Error(t, store.Begin(ctx, c))
				}
			}
			_ = store.Close()
		}
		if err != nil {
			refused++
			var failed *Error
			require.Truef(t, errors.As(err, &failed) || refuses(err), "page %d: %v", at/page, err)
		}
	}
	require.Greater(t, refused, 3)
}

// A change within a plan that SQLite takes no notice of.
func TestINV5_APlanThatWasChangedIsNotCarriedOut(t *testing.T) {
	ctx := context.Background()
	for _, change := range []string{
		`UPDATE bodies SET body = CAST('{"a":2}' AS BLOB)`, `UPDATE bodies SET recorded = CAST('{}' AS BLOB)`, `DELETE FROM bodies`,
	} {
		store := openStore(t, newFolder(t), nil)
		c := kept(t, store, `{"a":1}`)
		_, err := store.db.ExecContext(ctx, `DROP TRIGGER bodies_bound; DROP TRIGGER bodies_kept; `+change)
		require.NoError(t, err)
		_, err = store.Find(ctx, c)
		requireReason(t, Damaged, err)
	}
}

// Another process has the store for itself, and the caller gives up.
func TestACommitThatGivesUpLeavesItsPlanAsItWas(t *testing.T) {
	folder := newFolder(t)
	store, other := openStore(t, folder, nil), openStore(t, folder, nil)
	c := kept(t, store, "{}")
	held, err := other.db.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, store.Begin(ctx, c), context.DeadlineExceeded)
	_, err = store.Keep(ctx, planned("{}"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, held.Rollback())
	require.NoError(t, store.Begin(context.Background(), c))
}

func TestAClosedStoreIsANoForPlans(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	c := kept(t, store, "{}")
	require.NoError(t, store.Close())
	_, err := store.Find(ctx, c)
	requireReason(t, Closed, err)
	requireReason(t, Closed, store.Begin(ctx, c))
	_, err = store.Commits(ctx, CommitFilter{})
	requireReason(t, Closed, err)
}
