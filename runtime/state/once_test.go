package state

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func opened(t *testing.T) *Folder {
	t.Helper()
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	return folder
}

func TestAFileIsMadeOnce(t *testing.T) {
	folder := opened(t)
	made := func() []byte {
		key := make([]byte, 32)
		_, _ = rand.Read(key)
		return key
	}
	got := make([][]byte, 16)
	var running sync.WaitGroup
	for i := range got {
		running.Go(func() {
			var err error
			got[i], err = folder.Once("some.key", made)
			require.NoError(t, err)
		})
	}
	running.Wait()
	for _, key := range got {
		require.Equal(t, got[0], key)
		require.Len(t, key, 32)
	}
	left, err := os.ReadDir(folder.Path())
	require.NoError(t, err)
	require.Len(t, left, 1, "what the others made is gone")
	info, err := left[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAFileOfAnotherSizeOrKindIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"empty": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"short": func(path string) error { return os.WriteFile(path, make([]byte, 31), 0o600) },
		"long":  func(path string) error { return os.WriteFile(path, make([]byte, 33), 0o600) },
		"open":  func(path string) error { return os.WriteFile(path, make([]byte, 32), 0o644) },
		"link":  func(path string) error { return os.Symlink("/etc/hostname", path) },
		"dir":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		folder := opened(t)
		require.NoError(t, spoil(filepath.Join(folder.Path(), "some.key")))
		_, err := folder.Once("some.key", func() []byte { return make([]byte, 32) })
		var refused *Error
		require.ErrorAs(t, err, &refused, name)
	}
}
