package items

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

// both opens a tracker to read and to write, and returns the errors.
func both(t *testing.T, workspace string) (read, write error) {
	t.Helper()
	r, read := OpenReader(t.Context(), workspace)
	if read == nil {
		require.NoError(t, r.Close())
	}
	w, write := OpenWriter(t.Context(), workspace)
	if write == nil {
		require.NoError(t, w.Close())
	}
	return read, write
}

func refused(t *testing.T, workspace string, code gate.Code) {
	t.Helper()
	read, write := both(t, workspace)
	require.True(t, refusal.Is(read, code), "read: %v", read)
	require.True(t, refusal.Is(write, code), "write: %v", write)
}

// made makes a tracker with one item and returns the workspace and the file.
func made(t *testing.T) (workspace, file string) {
	t.Helper()
	workspace = t.TempDir()
	w, err := OpenWriter(t.Context(), workspace)
	require.NoError(t, err)
	_, _, err = w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return workspace, filepath.Join(workspace, FolderName, FileName)
}

func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	at := t.TempDir()
	w := writer(t, at)
	_, _, err := w.Insert(t.Context(), By{}, drafts("a"))
	require.NoError(t, err)
	r := reader(t, at)
	_, _, err = r.List(t.Context(), Filter{Limit: 1})
	require.NoError(t, err)
	modes := map[string]fs.FileMode{}
	require.NoError(t, filepath.WalkDir(filepath.Join(at, FolderName), func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		modes[entry.Name()] = info.Mode()
		return nil
	}))
	require.Equal(t, map[string]fs.FileMode{
		FolderName: 0o700 | fs.ModeDir, ".gitignore": 0o600, FileName: 0o600, FileName + "-wal": 0o600, FileName + "-shm": 0o600,
	}, modes)
}

func TestLinksAreRefused(t *testing.T) {
	elsewhere, file := made(t)
	for name, link := range map[string]func(at string) error{
		"folder": func(at string) error { return os.Symlink(filepath.Dir(file), filepath.Join(at, FolderName)) },
		"file": func(at string) error {
			return os.Symlink(file, filepath.Join(at, FolderName, FileName))
		},
		"file to nothing": func(at string) error {
			return os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(at, FolderName, FileName))
		},
		"beside": func(at string) error {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(at, FolderName, FileName), data, 0o600))
			return os.Symlink(filepath.Join(elsewhere, "wal"), filepath.Join(at, FolderName, FileName+"-wal"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := t.TempDir()
			if name != "folder" {
				require.NoError(t, os.Mkdir(filepath.Join(at, FolderName), 0o700))
			}
			require.NoError(t, link(at))
			refused(t, at, refusal.TrackerUnusable)
			read, write := both(t, at)
			require.ErrorContains(t, read, "is a link")
			require.ErrorContains(t, write, "is a link")
			require.NoFileExists(t, filepath.Join(elsewhere, "none"))
			require.NoFileExists(t, filepath.Join(elsewhere, "wal"))
		})
	}
}

func TestWhatOthersCouldReachIsRefused(t *testing.T) {
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o666} {
		at, file := made(t)
		require.NoError(t, os.Chmod(file, mode))
		refused(t, at, refusal.TrackerUnusable)
	}
	at, file := made(t)
	require.NoError(t, os.Chmod(filepath.Dir(file), 0o755))
	refused(t, at, refusal.TrackerUnusable)
}

func TestWhatIsNoTrackerIsRefusedAndStaysAsItIs(t *testing.T) {
	change := func(statement string) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			t.Helper()
			db, err := sql.Open("sqlite", file)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), statement)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}
	}
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		}
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, file string)
		code   gate.Code
	}{
		"empty":             {write(""), refusal.TrackerUnusable},
		"text":              {write(strings.Repeat("no database\n", 1000)), refusal.TrackerDamaged},
		"other program":     {change(`PRAGMA application_id = 7`), refusal.TrackerUnusable},
		"newer":             {change(`PRAGMA user_version = 2`), refusal.TrackerNewer},
		"no version":        {change(`PRAGMA user_version = 0`), refusal.TrackerDamaged},
		"another table":     {change(`CREATE TABLE more (a)`), refusal.TrackerDamaged},
		"another trigger":   {change(`CREATE TRIGGER t AFTER INSERT ON items BEGIN UPDATE items SET state = 'done', revision = revision + 1; END`), refusal.TrackerDamaged},
		"a trigger less":    {change(`DROP TRIGGER items_stay`), refusal.TrackerDamaged},
		"a view in between": {change(`ALTER TABLE reports RENAME TO r; CREATE VIEW reports AS SELECT item, revision FROM r`), refusal.TrackerDamaged},
		"journal beside": {func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, os.WriteFile(file+"-journal", []byte("x"), 0o600))
		}, refusal.TrackerUnusable},
		"cut": {func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, os.Truncate(file, 4096))
		}, refusal.TrackerDamaged},
		"folder": {func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Mkdir(file, 0o700))
		}, refusal.TrackerUnusable},
	} {
		t.Run(name, func(t *testing.T) {
			at, file := made(t)
			c.damage(t, file)
			before, _ := os.ReadFile(file)
			refused(t, at, c.code)
			after, _ := os.ReadFile(file)
			require.Equal(t, before, after)
		})
	}
}

// Rows that somebody put there past the checks are not passed on.
func TestRowsThatNoServerWrites(t *testing.T) {
	for name, row := range map[string]string{
		"state":       `INSERT INTO items VALUES (2, 'k', 'd', 1, 't', '', 0, 'finished', 1, '', '', 0)`,
		"text":        `INSERT INTO items VALUES (2, 'k', 'd', 1, CAST(x'ff' AS TEXT), '', 0, 'open', 1, '', '', 0)`,
		"large":       `INSERT INTO items VALUES (2, 'k', 'd', 1, 't', CAST(zeroblob(2000000) AS TEXT), 0, 'open', 1, '', '', 0)`,
		"report":      `INSERT INTO reports VALUES (1, 2, 'open', 'x', '', '', '', 0)`,
		"report text": `INSERT INTO reports VALUES (1, 2, 'open', 'done', CAST(x'c080' AS TEXT), '', '', 0)`,
	} {
		t.Run(name, func(t *testing.T) {
			at, file := made(t)
			db, err := sql.Open("sqlite", file+"?_pragma=ignore_check_constraints(1)")
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), row)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			r := reader(t, at)
			_, _, list := r.List(t.Context(), Filter{Limit: 9})
			_, _, show := r.Show(t.Context(), 1, 9)
			if strings.HasPrefix(name, "report") {
				list, show = show, list
			}
			require.True(t, refusal.Is(list, refusal.TrackerDamaged), "%v", list)
			require.NoError(t, show)
		})
	}
}

// The log of a database that is gone is not taken for that of a new one.
func TestALogWithoutItsDatabaseIsRefused(t *testing.T) {
	at, file := made(t)
	require.NoError(t, os.Rename(file, file+"-wal"))
	w, err := OpenWriter(t.Context(), at)
	require.Nil(t, w)
	require.True(t, refusal.Is(err, refusal.TrackerUnusable), "%v", err)
	require.NoFileExists(t, file)
}

// A file that takes the place of the one that was looked at is not used.
func TestAReplacedFileIsNotUsed(t *testing.T) {
	at, file := made(t)
	place, err := findPlace(at)
	require.NoError(t, err)
	defer place.close()
	info, err := place.look(FileName)
	require.NoError(t, err)
	db, err := place.connect(FileName, info, readWrite)
	require.NoError(t, err)
	defer db.Close()
	_, other := made(t)
	require.NoError(t, os.Rename(other, file))
	require.True(t, refusal.Is(db.PingContext(t.Context()), refusal.TrackerUnusable))
	require.NoError(t, os.Rename(filepath.Dir(file), filepath.Dir(file)+"-moved"))
	require.NoError(t, os.Symlink(filepath.Base(filepath.Dir(file))+"-moved", filepath.Dir(file)))
	require.False(t, place.same(FileName, info))
}
