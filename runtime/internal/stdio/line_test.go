package stdio

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	const limit = 100 << 10
	long := strings.Repeat("x", limit)
	for name, test := range map[string]struct {
		input string
		want  []string // "!" stands for a line that was too long
	}{
		"plain":               {"a\nb\n", []string{"a", "b"}},
		"no ending":           {"a\nb", []string{"a", "b"}},
		"carriage return":     {"a\r\nb\r\n", []string{"a", "b"}},
		"blank":               {"\n \n\r\n\t\na\n\n", []string{"a"}},
		"nothing":             {"", nil},
		"as long as can be":   {long + "\n" + long, []string{long, long}},
		"too long":            {long + "x\na\n", []string{"!", "a"}},
		"much too long":       {strings.Repeat(long, 10) + "\na\n", []string{"!", "a"}},
		"too long, no ending": {strings.Repeat(long, 10), []string{"!"}},
		"twice":               {long + "xx\n" + long + "yy\na", []string{"!", "!", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reader := range []io.Reader{strings.NewReader(test.input), iotest.HalfReader(strings.NewReader(test.input))} {
				require.Equal(t, test.want, all(t, newLines(reader, limit)))
			}
		})
	}
}

func all(t require.TestingT, l *lines) []string {
	var got []string
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, errTooLong):
			got = append(got, "!")
		case errors.Is(err, io.EOF):
			return got
		default:
			require.NoError(t, err)
			got = append(got, string(line))
		}
	}
}

// The reader keeps no more of a line than the limit, however long it is.
func TestLinesMemoryIsBounded(t *testing.T) {
	endless := io.MultiReader(io.LimitReader(zeros{}, 1<<30), strings.NewReader("\na\n"))
	l := newLines(endless, 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, []string{"!", "a"}, all(t, l))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLinesPassAnErrorOn(t *testing.T) {
	broken := errors.New("broken")
	l := newLines(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 10)
	line, err := l.next()
	require.NoError(t, err)
	require.Equal(t, "a", string(line))
	_, err = l.next()
	require.ErrorIs(t, err, broken)
}

// Lines agree with a plain split, at every limit.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\nccc"), 2)
	f.Add([]byte("\r\r\n"), 1)
	f.Fuzz(func(t *testing.T, input []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		var want []string
		for part := range bytes.SplitAfterSeq(input, []byte("\n")) {
			text := bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r"))
			switch {
			case len(part) > limit+1:
				want = append(want, "!")
			case len(bytes.TrimSpace(text)) > 0:
				want = append(want, string(text))
			}
		}
		require.Equal(t, want, all(t, newLines(bytes.NewReader(input), limit)))
	})
}

// Whatever a line holds, it is one message or one fault.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":1,"a":2}}}`,
		`{"jsonrpc":"2.0","id":"a","result":{}}`, `[1]`, `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `{"a":{"b":}}`, "\xef\xbb\xbf{}",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		message, bad := parse(line)
		require.NotEqual(t, (message == nil), (bad == nil))
		if bad != nil {
			require.Less(t, len(bad.message), 700)
			require.Contains(t, []int64{-32700, -32600, -32602}, bad.code)
		}
	})
}
