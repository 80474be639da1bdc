package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAKeptTextIsReadBackAndNeverBelievedUnchecked(t *testing.T) {
	folder, err := Open(Options{Dir: filepath.Join(realTemp(t), "state"), Protocol: "sample", Workspace: realTemp(t)})
	require.NoError(t, err)
	defer folder.Close()
	text := `{"a":1}`
	digest := digestOf([]byte(text))
	require.NoError(t, folder.Keep(digest, text))
	require.NoError(t, folder.Keep(digest, text))
	got, err := folder.Text(digest)
	require.NoError(t, err)
	require.Equal(t, text, string(got))

	requireReason(t, Damaged, folder.Keep(digest, `{"a":2}`))
	name, err := textName(digest)
	require.NoError(t, err)
	path := filepath.Join(folder.Path(), name)
	require.NoError(t, os.WriteFile(path, []byte(`{"a":2}`), 0o600))
	_, err = folder.Text(digest)
	requireReason(t, Damaged, err)

	require.NoError(t, os.WriteFile(path, []byte(`{"a":`), 0o600))
	require.NoError(t, folder.Keep(digest, text), "a torn file is written anew")
	_, err = folder.Text(digest)
	require.NoError(t, err)

	require.NoError(t, os.Remove(path))
	_, err = folder.Text(digest)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.Symlink("elsewhere", path))
	_, err = folder.Text(digest)
	requireReason(t, IsLink, err)
	for _, bad := range []string{"", "sha256:", "sha256:../x", "md5:00", digest + "0", "sha256:" + digest[7:9] + "GG" + digest[11:]} {
		_, err := folder.Text(bad)
		require.ErrorIs(t, err, fs.ErrNotExist, bad)
	}
}

func TestAFolderThatHasToExistIsNotMade(t *testing.T) {
	dir := filepath.Join(realTemp(t), "state")
	_, err := Open(Options{Dir: dir, Protocol: "sample", Workspace: realTemp(t), Existing: true})
	requireReason(t, Missing, err)
	require.NoDirExists(t, dir)
}
