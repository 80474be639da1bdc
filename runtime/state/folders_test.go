package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var written = State{Protocol: "notes", Digest: "sha256:1", SetBy: SetBy{Seq: 1, Hash: strings.Repeat("a", 64)}}

func TestPlacesAreFoundAndOpened(t *testing.T) {
	home, suffix := t.TempDir(), strings.Repeat("0a", 16)
	steps := []string{".local", "state", "gatewright"}
	places, err := placesIn(home, steps)
	require.NoError(t, err)
	require.Empty(t, places)

	base := filepath.Join(append([]string{home}, steps...)...)
	for _, name := range []string{"notes-" + suffix, "notes-new-" + suffix, "open-" + suffix, "stray", "other-" + suffix, "damaged-" + suffix} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, name), 0o700))
	}
	require.NoError(t, os.Chmod(filepath.Join(base, "open-"+suffix), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(base, "notes-"+suffix), filepath.Join(base, "linked-"+suffix)))
	require.NoError(t, os.WriteFile(filepath.Join(base, "a file"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "damaged-"+suffix, FileName), []byte("{"), 0o600))
	for _, name := range []string{"notes-", "other-"} {
		folder, err := Place{base: base, steps: []string{name + suffix}, standard: true}.Open()
		require.NoError(t, err)
		folder.protocol = "notes"
		_, err = folder.Write(written)
		require.NoError(t, err)
		require.NoError(t, folder.Close())
	}

	places, err = placesIn(home, steps)
	require.NoError(t, err)
	got := map[string]string{}
	for _, place := range places {
		folder, err := place.Open()
		if err != nil {
			refused := new(Error)
			require.ErrorAs(t, err, &refused)
			got[filepath.Base(place.Path())] = "! " + string(refused.Reason)
			continue
		}
		require.Equal(t, place.Path(), folder.Path())
		got[filepath.Base(place.Path())] = folder.Protocol()
		require.NoError(t, folder.Close())
	}
	require.Equal(t, map[string]string{
		"notes-" + suffix: "notes", "notes-new-" + suffix: "notes-new", "open-" + suffix: "! too_open", "stray": "! damaged",
		"other-" + suffix: "! another_protocol", "damaged-" + suffix: "! damaged", "linked-" + suffix: "! is_link", "a file": "! not_a_folder",
	}, got)
}

func TestPlacesAreNotLookedForBehindALink(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(home, ".local")))
	_, err := placesIn(home, []string{".local", "state"})
	refused := new(Error)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, IsLink, refused.Reason)
}

func TestPlaceThatIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	reason := func() Reason {
		place, err := PlaceAt(dir)
		require.NoError(t, err)
		folder, err := place.Open()
		if err == nil {
			require.Equal(t, "notes", folder.Protocol())
			require.NoError(t, folder.Close())
			return ""
		}
		refused := new(Error)
		require.ErrorAs(t, err, &refused)
		return refused.Reason
	}
	require.Equal(t, Missing, reason())
	folder, err := Open(Options{Dir: dir, Protocol: "notes", Workspace: t.TempDir()})
	require.NoError(t, err)
	require.Equal(t, Missing, reason())
	_, err = folder.Write(written)
	require.NoError(t, err)
	require.NoError(t, folder.Close())
	require.Empty(t, reason())
}
