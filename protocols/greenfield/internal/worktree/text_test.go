package worktree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		text, old, new string
		all            bool
		want           string
		count, line    int
	}{
		{"a\nb\nc\n", "b", "x", false, "a\nx\nc\n", 1, 2},
		{"a\r\nb\r\n", "a\r\nb", "x", false, "x\r\n", 1, 1},
		{"b a b", "b", "", true, " a ", 2, 1},
		{"\ufeffa", "a", "ä", false, "\ufeffä", 1, 1},
		{"aaa", "aa", "b", true, "ba", 1, 1},
		{"$1 a.b", "a.b", "$1", false, "$1 $1", 1, 1},
	} {
		done, err := Substitution{Old: c.old, New: c.new, All: c.all}.Apply("f", []byte(c.text))
		require.NoError(t, err, c)
		require.Equal(t, c.want, string(done.Text))
		require.Equal(t, c.count, done.Count)
		require.Equal(t, c.line, done.Line)
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct {
		text, old, new string
		all            bool
		code           gate.Code
		says           string
	}{
		{"a b a", "a", "x", false, refusal.TextAmbiguous, "2 times"},
		{"aaa", "aa", "x", false, refusal.TextAmbiguous, "overlapping"},
		{"a", "b", "x", false, refusal.TextNotFound, "does not stand"},
		{"a", "b", "x", true, refusal.TextNotFound, "does not stand"},
		{"a\r\nb\r\n", "a\nb", "x", false, refusal.TextNotFound, `the file uses \r\n`},
		{"a\nb\n", "a\r\nb", "x", false, refusal.TextNotFound, `the file uses \n`},
		{"a", "a", "a", false, refusal.TextUnchanged, ""},
		{"a", "", "x", true, refusal.TextUnchanged, ""},
		{"a\x00", "a", "x", false, refusal.FileBinary, "NUL"},
		{"a\xff", "a", "x", false, refusal.FileBinary, "UTF-8"},
		{"a", "a", "\x00", false, refusal.FileBinary, "NUL"},
	} {
		_, err := Substitution{Old: c.old, New: c.new, All: c.all}.Apply("f", []byte(c.text))
		require.True(t, refusal.Is(err, c.code), "%q: %v", c, err)
		require.ErrorContains(t, err, c.says)
	}
}
