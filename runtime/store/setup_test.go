//go:build unix

package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"modernc.org/sqlite"

	"github.com/gatewright/gatewright/runtime/state"
)

// altered opens the file of a closed store without any of this package's care
// and changes it.
func altered(t *testing.T, folder *state.Folder, statements string) {
	t.Helper()
	connector, err := sqlite.NewConnector(filepath.Join(folder.Path(), FileName))
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	_, err = db.ExecContext(context.Background(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// named is an empty state folder whose path SQLite takes as it is.
func named(t *testing.T) *state.Folder {
	t.Helper()
	folder, err := state.Open(state.Options{Dir: filepath.Join(t.TempDir(), "state"), Protocol: "sample", Workspace: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func TestEverySettingHoldsOnTheConnection(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	pending(t, store, "a")
	check := func() {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "trusted_schema": "0", "busy_timeout": "5000", "cell_size_check": "1",
			"temp_store": "2", "application_id": fmt.Sprint(applicationID), "user_version": fmt.Sprint(version), "writable_schema": "0", "encoding": "UTF-8",
		} {
			var got string
			require.NoError(t, store.db.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&got))
			require.Equal(t, want, got, pragma)
		}
		_, err := store.db.ExecContext(ctx, `PRAGMA writable_schema = 1; DELETE FROM sqlite_schema`)
		require.ErrorContains(t, err, "may not be modified", "the connection is defensive")
		_, err = store.db.ExecContext(ctx, `SELECT "no such column"`)
		require.Error(t, err)
	}
	check()
	conn, err := store.db.Conn(ctx)
	require.NoError(t, err)
	require.Error(t, conn.Raw(func(any) error { return driver.ErrBadConn }))
	_ = conn.Close()
	check() // on the next one as well
	require.Equal(t, 1, store.db.Stats().MaxOpenConnections)
}

func TestNobodyElseMayReadTheFiles(t *testing.T) {
	before := unix.Umask(0)
	defer unix.Umask(before)
	folder := newFolder(t)
	pending(t, openStore(t, folder, nil), "a")
	for _, name := range []string{FileName, FileName + "-wal", FileName + "-shm", lockName} {
		info, err := os.Stat(filepath.Join(folder.Path(), name))
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode(), name)
	}
}

func TestAStoreThatHasToExistIsNotMade(t *testing.T) {
	folder := newFolder(t)
	_, err := Open(context.Background(), folder, Options{Existing: true})
	require.ErrorIs(t, err, fs.ErrNotExist)
	requireReason(t, Missing, err)
	left, err := os.ReadDir(folder.Path())
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, openStore(t, folder, nil).Close())
	store, err := Open(context.Background(), folder, Options{Existing: true})
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

// A process was killed after it had made the file and before it had made the
// tables.
func TestAnEmptyFileIsSetUp(t *testing.T) {
	folder := newFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), nil, 0o600))
	pending(t, openStore(t, folder, nil), "a")
}

func TestINV4_AnotherKindOfFileIsRefused(t *testing.T) {
	for _, name := range append(beside()[:2:2], FileName, lockName) {
		for kind, put := range map[string]func(path string) error{
			"link":    func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere"), path) },
			"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
			"pipe":    func(path string) error { return unix.Mkfifo(path, 0o600) },
			"open":    func(path string) error { return os.WriteFile(path, nil, 0o644) },
			"anyones": func(path string) error { return os.WriteFile(path, nil, 0o602) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				folder := newFolder(t)
				require.NoError(t, openStore(t, folder, nil).Close())
				path := filepath.Join(folder.Path(), name)
				_ = os.Remove(path)
				require.NoError(t, put(path))
				require.NoError(t, os.Chmod(folder.Path(), 0o700))
				if kind == "anyones" {
					require.NoError(t, os.Chmod(path, 0o602))
				}
				_, err := OpenBook(context.Background(), folder)
				var refused *state.Error
				require.ErrorAs(t, err, &refused)
				require.NoFileExists(t, filepath.Join(folder.Path(), "elsewhere"))
			})
		}
	}
}

func TestINV4_WhatIsNoStoreIsRefusedAndLeftAlone(t *testing.T) {
	for name, content := range map[string]string{
		"text":    "not a store",
		"zeroes":  strings.Repeat("\x00", 8192),
		"garbage": strings.Repeat("garbage \xff", 1000),
		"header":  "SQLite format 3\x00" + strings.Repeat("\xff", 4096),
	} {
		folder := newFolder(t)
		path := filepath.Join(folder.Path(), FileName)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := OpenBook(context.Background(), folder)
		requireReason(t, NotStore, err)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(left), name)
	}
}

func TestINV4_ADoubtfulStoreIsRefused(t *testing.T) {
	for statements, reason := range map[string]Reason{
		`PRAGMA application_id = 1`:                       NotStore,
		`PRAGMA application_id = 0`:                       NotStore,
		`PRAGMA user_version = 3`:                         Newer,
		`PRAGMA user_version = 1`:                         Damaged,
		`PRAGMA user_version = 0`:                         Damaged,
		`PRAGMA user_version = -1`:                        Damaged,
		`CREATE TABLE more (a)`:                           Damaged,
		`CREATE VIEW more AS SELECT 1`:                    Damaged,
		`ALTER TABLE requests ADD COLUMN more BLOB`:       Damaged,
		`DROP INDEX requests_live`:                        Damaged,
		`DROP TRIGGER requests_one_way`:                   Damaged,
		`DROP TABLE details`:                              Damaged,
		`DROP TABLE details; DROP TABLE requests`:         Damaged,
		`PRAGMA user_version = 3; CREATE TABLE more (a)`:  Newer,
		`DROP TRIGGER plans_one_way`:                      Damaged,
		`DROP TRIGGER plans_over`:                         Damaged,
		`DROP INDEX plans_key`:                            Damaged,
		`DROP TABLE details; CREATE TABLE details (a, b)`: Damaged,
		`CREATE TRIGGER more AFTER UPDATE ON details BEGIN UPDATE requests SET told = 0; END`: Damaged,
	} {
		t.Run(statements, func(t *testing.T) {
			folder := named(t)
			require.NoError(t, openStore(t, folder, nil).Close())
			altered(t, folder, statements)
			before, err := os.ReadFile(filepath.Join(folder.Path(), FileName))
			require.NoError(t, err)
			_, err = OpenBook(context.Background(), folder)
			requireReason(t, reason, err)
			after, err := os.ReadFile(filepath.Join(folder.Path(), FileName))
			require.NoError(t, err)
			require.Equal(t, before, after, "it is left as it was")
		})
	}
}

func TestADatabaseOfAnotherProgramIsLeftAsItIs(t *testing.T) {
	folder := named(t)
	path := filepath.Join(folder.Path(), FileName)
	altered(t, folder, `CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)`)
	require.NoError(t, os.Chmod(path, 0o600))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = OpenBook(context.Background(), folder)
	requireReason(t, NotStore, err)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestINV4_AStoreThatWasReplacedIsUsedNoLonger(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	request := approved(t, store, "a")
	path := filepath.Join(folder.Path(), FileName)
	require.NoError(t, os.Rename(path, path+".old"))
	_, err := store.Claim(ctx, request.ID, request.Binding, "call")
	requireReason(t, Replaced, err)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = store.Get(ctx, request.ID)
	requireReason(t, Replaced, err)
	require.NoError(t, os.Rename(path+".old", path))
	_, err = store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
}

// Somebody holds the lock of the set-up and does not let go.
func TestOpeningWaitsAsLongAsItsCallerDoes(t *testing.T) {
	folder := newFolder(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	err := alone(context.Background(), folder, func() error {
		_, err := OpenBook(ctx, folder)
		return err
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
