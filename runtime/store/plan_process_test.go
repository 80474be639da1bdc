//go:build unix

package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// planRoles are those of processes that have to do with plans.
func planRoles() map[string]func(context.Context, *Store) error {
	return map[string]func(context.Context, *Store) error{
		"walk":          walk,
		"begin":         beginAll,
		"limited plans": limitedPlans,
		"find": func(ctx context.Context, store *Store) error {
			_, err := store.Find(ctx, gate.Commitment{Handle: argument(0), Tool: "import", Digest: "sha256:a"})
			fmt.Print(err)
			return unlessRefused(err)
		},
	}
}

// beginAll begins each plan whose handle comes in, and says what came of it.
// What it has begun stays begun.
func beginAll(ctx context.Context, store *Store) error {
	if _, err := store.db.ExecContext(ctx, `PRAGMA synchronous = OFF`); err != nil {
		return err
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		c := gate.Commitment{Handle: lines.Text(), Tool: "import", Digest: "sha256:a", Mode: "m", Call: argument(0)}
		err := store.Begin(ctx, c)
		if unlessRefused(err) != nil {
			return err
		}
		fmt.Println(err == nil)
	}
	return nil
}

// Eight processes want to begin every one of 200 plans, each as soon as they
// hear of it.
func TestINV6_APlanIsBegunOnceAmongProcesses(t *testing.T) {
	folder := newFolder(t)
	store := unsynced(t, openStore(t, folder, nil))
	var all []*claimer
	for i := range 8 {
		all = append(all, startClaimer(t, child(folder, "begin", fmt.Sprint("process ", i))))
	}
	wins := make([]int, len(all))
	for range 200 {
		c := kept(t, store, "{}")
		for _, each := range all {
			_, err := fmt.Fprintln(each.in, c.Handle)
			require.NoError(t, err)
		}
		won := -1
		for i, each := range all {
			require.True(t, each.out.Scan())
			if each.out.Text() != "true" {
				continue
			}
			require.Negative(t, won, "two began the same plan")
			won = i
			wins[i]++
		}
		require.GreaterOrEqual(t, won, 0, "nobody began")
		_, err := store.Find(context.Background(), c)
		require.Contains(t, requireCode(t, gate.CommitInProgress, err).Message, fmt.Sprint("by call process ", won))
	}
	for _, each := range all {
		require.NoError(t, each.in.Close())
		require.NoError(t, each.command.Wait())
	}
	t.Log(wins)
	commits, err := store.Commits(context.Background(), CommitFilter{Status: []preview.Status{preview.Interrupted}})
	require.NoError(t, err)
	require.Len(t, commits, 200, "their processes are gone")
}

// What another process has begun is in progress for as long as that lives, and
// interrupted from then on, also once a process of the same id lives.
func TestINV6_ACommitIsInProgressForAsLongAsItsProcessLives(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	c := kept(t, store, "{}")
	other := startClaimer(t, child(folder, "begin", "other"))
	_, err := fmt.Fprintln(other.in, c.Handle)
	require.NoError(t, err)
	require.True(t, other.out.Scan())
	require.Equal(t, "true", other.out.Text())
	for range 20 {
		refusedEverywhere(t, store, c, gate.CommitInProgress)
	}
	require.Contains(t, run(t, folder, "find", c.Handle), string(gate.CommitInProgress))

	// A process that was stopped still lives.
	require.NoError(t, other.command.Process.Signal(syscall.SIGSTOP))
	refusedEverywhere(t, store, c, gate.CommitInProgress)
	require.NoError(t, other.command.Process.Kill())
	require.Error(t, other.command.Wait())
	refusedEverywhere(t, store, c, gate.CommitInterrupted)
	require.Contains(t, run(t, folder, "find", c.Handle), string(gate.CommitInterrupted))
	requireReason(t, BadRequest, store.End(ctx, c, succeeded()))
	requireReason(t, BadRequest, store.Release(ctx, gate.Commitment{Handle: c.Handle, Tool: "import", Call: "other"}))
}

// owners are the files of those that carry plans out.
func owners(t testing.TB, folder interface{ Path() string }) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder.Path())
	require.NoError(t, err)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ownerPrefix) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// The locks of a process that was killed are given back, and its file is
// removed by whoever looks.
func TestFilesOfOwnersDoNotPileUp(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	require.Empty(t, owners(t, folder), "who only looks needs none")
	for range 5 {
		other := startClaimer(t, child(folder, "begin", "other"))
		c := kept(t, store, "{}")
		_, err := fmt.Fprintln(other.in, c.Handle)
		require.NoError(t, err)
		require.True(t, other.out.Scan())
		require.NoError(t, other.command.Process.Kill())
		require.Error(t, other.command.Wait())
	}
	require.Len(t, owners(t, folder), 1, "who begins removes what died left")
	_, err := store.Commits(ctx, CommitFilter{})
	require.NoError(t, err)
	require.Empty(t, owners(t, folder))
	c := begun(t, store, "")
	require.Len(t, owners(t, folder), 1)
	require.NoError(t, store.End(ctx, c, succeeded()))
	require.NoError(t, store.Close())
	require.Empty(t, owners(t, folder))
}

// A handler that does not stop is at work while its server closes the store.
func TestINV6_WhatHasNotEndedStaysInProgressWhenTheStoreIsClosed(t *testing.T) {
	folder := newFolder(t)
	c := func() gate.Commitment {
		store, err := Open(context.Background(), folder, Options{})
		require.NoError(t, err)
		c := begun(t, store, "k")
		require.NoError(t, store.Close())
		require.NoError(t, store.Close())
		return c
	}()
	for range 5 {
		runtime.GC()
		require.Contains(t, run(t, folder, "find", c.Handle), string(gate.CommitInProgress))
		refusedEverywhere(t, openStore(t, folder, nil), c, gate.CommitInProgress)
	}
}

// Somebody takes the file of an owner away while its process lives. What cannot
// be known is not run again, and the process itself goes on knowing.
func TestINV6_AnOwnerWhoseFileIsGoneRunsNothingTwice(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store, other := openStore(t, folder, nil), openStore(t, folder, nil)
	c := begun(t, store, "k")
	require.NoError(t, os.Remove(filepath.Join(folder.Path(), owners(t, folder)[0])))
	refusedEverywhere(t, store, c, gate.CommitInProgress)
	second := begun(t, store, "")
	require.Len(t, owners(t, folder), 1, "it makes another")
	refusedEverywhere(t, other, second, gate.CommitInProgress)
	refusedEverywhere(t, other, c, gate.CommitInterrupted)
	require.NoError(t, store.End(ctx, second, succeeded()))
	requireReason(t, BadRequest, store.End(ctx, c, succeeded()))
}

func TestINV4_ADoubtfulOwnerIsANo(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	c := begun(t, store, "")
	other := openStore(t, folder, nil)
	path := filepath.Join(folder.Path(), owners(t, folder)[0])
	require.NoError(t, os.Rename(path, path+".old"))
	require.NoError(t, os.Symlink(path+".old", path))
	_, err := other.Find(ctx, c)
	require.Error(t, err)
	require.False(t, refuses(err), "%v", err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Rename(path+".old", path))
	refusedEverywhere(t, other, c, gate.CommitInProgress)

	_, err = other.db.ExecContext(ctx, `DROP TRIGGER plans_begun; UPDATE plans SET owner = CAST('../state.json' AS BLOB)`)
	require.NoError(t, err)
	_, err = other.Find(ctx, c)
	requireReason(t, Damaged, err)
}

// Many look at an owner at once: a look is never taken for an owner.
func TestALookIsNoOwner(t *testing.T) {
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	other := startClaimer(t, child(folder, "begin", "other"))
	c := kept(t, store, "{}")
	_, err := fmt.Fprintln(other.in, c.Handle)
	require.NoError(t, err)
	require.True(t, other.out.Scan())
	require.NoError(t, other.command.Process.Kill())
	require.Error(t, other.command.Wait())
	name := owners(t, folder)[0]
	content := filepath.Join(folder.Path(), name)
	lives := make(chan bool, 400)
	for range cap(lives) {
		go func() {
			_ = os.WriteFile(content, nil, 0o600) // it comes back as soon as it was removed
			got, err := alive(folder, name)
			lives <- got && err == nil
		}()
	}
	for range cap(lives) {
		select {
		case got := <-lives:
			require.False(t, got)
		case <-time.After(time.Minute):
			t.Fatal("a look did not come back")
		}
	}
}

// Many begin for the first time at once, while what died is removed: none of
// them loses its file to another.
func TestManyOwnersArriveAtOnce(t *testing.T) {
	folder := newFolder(t)
	for range 20 {
		all := make([]*owner, 12)
		failed := make(chan error, len(all))
		for i := range all {
			all[i] = &owner{folder: folder}
			go func() {
				_, err := all[i].enter(context.Background())
				failed <- err
			}()
		}
		for range all {
			require.NoError(t, <-failed)
		}
		for _, each := range all {
			lives, err := alive(folder, each.names[0])
			require.NoError(t, err)
			require.True(t, lives)
			each.leave()
			require.NoError(t, each.close())
		}
	}
	require.Empty(t, owners(t, folder))
}
