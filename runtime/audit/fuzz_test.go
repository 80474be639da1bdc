package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Whatever is read, what Verify accepts is exactly what would be written, and
// what it reports of a damaged log is the part before the damage.
func FuzzVerify(f *testing.F) {
	first := Entry{V: 1, Seq: 1, Event: ProtocolPinned, Prev: noEntry}
	text := seal(nil, &first)
	second := Entry{V: 1, Seq: 2, Event: gate.ToolCall, Tool: "é", Recorded: map[string]string{"a": "b"}, Approval: &gate.Approval{}, Prev: first.Hash}
	text = seal(text, &second)
	f.Add([]byte{}, false)
	f.Add(text, false)
	f.Add(text[:len(text)-1], false)
	f.Add(append(bytes.Clone(text), text...), false)
	f.Add([]byte(`{"v":1,"seq":1,"time":"0001-01-01T00:00:00Z","event":"","protocol":"","digest":"","mode":"","prev":"`+noEntry+`"`), true)
	f.Add(appendOpen(nil, &second), true)
	f.Fuzz(func(t *testing.T, text []byte, hashed bool) {
		if hashed { // what could never be guessed
			open, hash := hashOf(bytes.Clone(text), 0)
			text = append(open, hashMember+hash+"\"}\n"...)
		}
		report, err := Verify(bytes.NewReader(text))
		require.LessOrEqual(t, report.Bytes, int64(len(text)))
		if err == nil {
			require.EqualValues(t, len(text), report.Bytes)
		} else {
			damage := new(DamageError)
			require.ErrorAs(t, err, &damage)
			require.Equal(t, report.Bytes, damage.Offset)
			require.Equal(t, report.Entries+1, damage.Line)
		}
		whole := text[:report.Bytes]
		again, err := Verify(bytes.NewReader(whole))
		require.NoError(t, err)
		require.Equal(t, report, again)

		var written []byte
		for w := newWalker(bytes.NewReader(whole)); ; {
			entry, err := w.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			written = seal(written, &entry)
		}
		require.Equal(t, string(whole), string(written))
	})
}

// Any text is written in printable ASCII, within its bound, and read again as
// what was kept of it.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain", "\"\\", "\n\r\t\x00", "é€😀", "\xff\xc3", "\u2028\u2029\u202e\ufeff", "\xed\xa0\x80"} {
		f.Add(text, 40)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(16, min(limit, maxText))
		kept := bound(text, limit)
		require.True(t, utf8.ValidString(kept))
		require.Equal(t, kept, bound(kept, limit))
		line := appendText(nil, kept)
		require.LessOrEqual(t, len(line), limit+2)
		for _, b := range line {
			require.True(t, b >= ' ' && b <= '~')
		}
		var read string
		require.NoError(t, json.Unmarshal(line, &read))
		require.Equal(t, kept, read)
	})
}
