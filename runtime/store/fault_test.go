//go:build unix

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// large asks for approvals until that fails, and returns how it did.
func large(ctx context.Context, store *Store) error {
	for i := range maxPending {
		request := asked("large " + strconv.Itoa(i))
		request.Arguments = []byte(strings.Repeat("x", 100_000))
		if _, _, err := store.Ask(ctx, request, time.Hour); err != nil {
			return err
		}
	}
	return errors.New("everything was kept")
}

func TestINV4_AFullDiskIsANo(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	request := approved(t, store, "a")
	_, err := store.db.ExecContext(ctx, `PRAGMA max_page_count = 200`)
	require.NoError(t, err)
	requireReason(t, Full, large(ctx, store))
	found, err := store.List(ctx, Filter{})
	require.NoError(t, err)
	for _, kept := range found {
		require.NotEmpty(t, kept.Arguments, "whole requests are kept or none of it")
	}
	_, err = store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err, "what was there before goes on")
	_, err = store.db.ExecContext(ctx, `PRAGMA max_page_count = 100000`)
	require.NoError(t, err)
	pending(t, store, "b")
}

// The system lets the files of a process grow no further.
func TestINV4_AWriteThatTheSystemRefusesIsANo(t *testing.T) {
	folder := newFolder(t)
	request := approved(t, openStore(t, folder, nil), "a")
	said := run(t, folder, "limited", request.ID)
	require.Contains(t, []string{string(Full), string(Failing)}, said)
	store := openStore(t, folder, nil)
	got, err := store.Get(context.Background(), request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusApproved, got.Status)
	var verdict string
	require.NoError(t, store.db.QueryRowContext(context.Background(), `PRAGMA integrity_check`).Scan(&verdict))
	require.Equal(t, "ok", verdict)
}

// limited claims an approval when there is no more room for that, and says why
// it failed.
func limited(ctx context.Context, store *Store) error {
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
	return sayReason(func() error { _, err := store.Claim(ctx, argument(0), "binding a", "call"); return err }())
}

// set sets a number whose type is another on each system.
func set[N int64 | uint64](to *N, n int64) { *to = N(n) }

func sayReason(err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("it went well, or failed otherwise: %w", err)
	}
	fmt.Print(failed.Reason)
	return nil
}

// The file may be read and not written.
func TestINV4_AStoreThatCannotBeWrittenIsANo(t *testing.T) {
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	request := approved(t, store, "a")
	require.NoError(t, store.Close())
	require.NoError(t, os.Chmod(filepath.Join(folder.Path(), FileName), 0o400))
	require.Equal(t, string(ReadOnly), unprivileged(t, folder, "read only", request.ID))
	require.NoError(t, os.Chmod(filepath.Join(folder.Path(), FileName), 0o600))
	got, err := openStore(t, folder, nil).Get(context.Background(), request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusApproved, got.Status)
}

// unprivileged lets a process play a role that has no more rights than its
// user, also where the tests are run by one that has all.
func unprivileged(t *testing.T, folder *state.Folder, role string, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return run(t, folder, role, args...)
	}
	const nobody = 65534
	for path := folder.Path(); path != os.TempDir() && path != "/"; path = filepath.Dir(path) {
		if path != folder.Path() {
			require.NoError(t, os.Chmod(path, 0o755))
		}
	}
	own := func(id int) {
		require.NoError(t, filepath.Walk(folder.Path(), func(path string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Chown(path, id, id))
		}))
	}
	own(nobody)
	defer own(0)
	return run(t, folder, role, args...)
}

// dropRights makes a process that of the folder's owner.
func dropRights() error {
	info, err := os.Stat(stateOptions().Dir)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(owner), syscall.Setuid(owner))
}

func readOnly(ctx context.Context) error {
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
		_, err = store.Claim(ctx, argument(0), "binding a", "call")
		return errors.Join(err, store.Close())
	}())
}

// Whatever page of the file is overwritten: the store says so, or it gives the
// approval out once.
func TestINV4_ADamagedPageIsANoOrNoMatter(t *testing.T) {
	ctx := context.Background()
	refused := 0
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	request := approved(t, store, "a")
	for i := range 20 {
		pending(t, store, strconv.Itoa(i))
	}
	require.NoError(t, store.Close())
	path := filepath.Join(folder.Path(), FileName)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	const page = 4096
	for at := 0; at < len(sound); at += page {
		damaged := append([]byte(nil), sound...)
		copy(damaged[at:at+page], strings.Repeat("\xa5", page))
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_ = os.Remove(path + "-wal")
		_ = os.Remove(path + "-shm")
		store, err := Open(ctx, folder, Options{})
		if err == nil {
			_, err = store.Claim(ctx, request.ID, request.Binding, "call")
			if err == nil {
				_, again := store.Claim(ctx, request.ID, request.Binding, "call")
				require.Error(t, again)
			}
			_ = store.Close()
		}
		if err != nil {
			refused++
			var failed *Error
			require.Truef(t, errors.As(err, &failed) || errors.Is(err, approval.ErrUnknown) || errors.Is(err, approval.ErrNotApproved), "page %d: %v", at/page, err)
		}
	}
	require.Greater(t, refused, 3)
}

// Another process has the store for itself, and the caller gives up.
func TestACallerThatGivesUpLeavesTheStoreAsItWas(t *testing.T) {
	folder := newFolder(t)
	store, other := openStore(t, folder, nil), openStore(t, folder, nil)
	request := approved(t, store, "a")
	held, err := other.db.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = store.Claim(ctx, request.ID, request.Binding, "call")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, _, err = store.Ask(ctx, asked("b"), time.Hour)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, held.Rollback())
	_, err = store.Claim(context.Background(), request.ID, request.Binding, "call")
	require.NoError(t, err)
}

func TestINV4_AStoreThatOthersKeepIsANo(t *testing.T) {
	folder := newFolder(t)
	store, other := openStore(t, folder, nil), openStore(t, folder, nil)
	request := approved(t, store, "a")
	_, err := store.db.ExecContext(context.Background(), `PRAGMA busy_timeout = 30`)
	require.NoError(t, err)
	held, err := other.db.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	_, err = store.Claim(context.Background(), request.ID, request.Binding, "call")
	requireReason(t, Busy, err)
	require.NoError(t, held.Rollback())
}

// The context ends in the midst of a transaction, at each place of it in turn.
func TestACancelledTransactionIsDoneOrUndoneAsItSays(t *testing.T) {
	folder := newFolder(t)
	var cancel context.CancelFunc
	looks := 0
	store := openStore(t, folder, func() time.Time {
		if cancel != nil {
			cancel()
		}
		looks++
		return time.Now()
	})
	request := approved(t, store, "a")
	var ctx context.Context
	ctx, cancel = context.WithCancel(context.Background())
	_, err := store.Claim(ctx, request.ID, request.Binding, "call")
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithCancel(context.Background())
	_, _, err = store.Ask(ctx, asked("b"), time.Hour)
	require.ErrorIs(t, err, context.Canceled)
	cancel = nil
	got, err := store.Get(context.Background(), request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusApproved, got.Status)
	found, err := store.Pending(context.Background())
	require.NoError(t, err)
	require.Empty(t, found)
	require.Greater(t, looks, 3)
}
