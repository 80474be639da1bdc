//go:build unix

package state

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestAStateComesBackAsItWasWritten(t *testing.T) {
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	written := State{V: 1, Protocol: "sample", Digest: "sha256:x", CurrentMode: "review", SetBy: SetBy{Seq: 1<<63 + 1, Offset: 1 << 60, Hash: hash}}
	content, err := folder.Write(written)
	require.NoError(t, err)
	read, err := folder.Read()
	require.NoError(t, err)
	require.Equal(t, content, read)
	parsed, err := folder.Parse(read)
	require.NoError(t, err)
	require.Equal(t, written, parsed)
}

func TestINV4_ADoubtfulStateIsRefused(t *testing.T) {
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	good := `{"v":1,"protocol":"sample","digest":"sha256:x","set_by":{"seq":1,"offset":0,"hash":"` + hash + `"}}`
	_, err = folder.Parse([]byte(good))
	require.NoError(t, err)
	replace := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for text, reason := range map[string]Reason{
		"":                                      Damaged,
		"null":                                  Damaged,
		"[]":                                    Damaged,
		"{}":                                    Damaged,
		good[:len(good)-1]:                      Damaged,
		good + "{}":                             Damaged,
		good + "\x00":                           Damaged,
		strings.Repeat(" ", maxFile) + good:     Damaged,
		replace(`"v":1`, `"v":0`):               Damaged,
		replace(`"v":1`, `"v":"1"`):             Damaged,
		replace(`"v":1`, `"V":1`):               Damaged,
		replace(`"v":1`, `"v":1,"v":1`):         Damaged,
		replace(`"v":1`, `"v":1,"x":1`):         Damaged,
		replace(`"v":1`, `"v":2`):               Newer,
		replace(`"v":1`, `"v":2,"x":1`):         Newer,
		replace(`"sample"`, `"other"`):          AnotherProtocol,
		replace(`"sample"`, `""`):               Damaged,
		replace(`"sha256:x"`, `""`):             Damaged,
		replace(`"sha256:x"`, `null`):           Damaged,
		replace(`"seq":1`, `"seq":0`):           Damaged,
		replace(`"seq":1`, `"seq":-1`):          Damaged,
		replace(`"seq":1`, `"seq":1.5`):         Damaged,
		replace(`"offset":0`, `"offset":-1`):    Damaged,
		replace(hash, hash[1:]):                 Damaged,
		replace(`"hash"`, `"x":1,"hash"`):       Damaged,
		replace("sha256:x", "sha256:\xff"):      Damaged,
		replace(`"protocol"`, `"digest"`):       Damaged,
		"\xef\xbb\xbf" + good:                   Damaged,
		replace(`{"seq"`, `{"Seq":1,"seq"`):     Damaged,
		replace(`"digest":"sha256:x"`, `"x":1`): Damaged,
	} {
		_, err := folder.Parse([]byte(text))
		requireReason(t, reason, err)
	}
}
