package tracker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/runtime/gate"
)

func TestReadDocument(t *testing.T) {
	folder, ctx := scratch(t), t.Context()
	write(t, folder, "docs/lines.txt", "one\r\ntwo\n\nfour")
	write(t, folder, "docs/empty.txt", "")
	var text strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&text, "line %05d\n", i+1)
	}
	write(t, folder, "docs/long.txt", text.String())
	write(t, folder, "docs/wide.txt", "first\n"+strings.Repeat("x", 70_000)+"\nlast\n")
	reporter := newKit(t, folder).Reporter(t)
	read := func(document string, from, lines int64) (tracker.ReadDocumentOutput, error) {
		in := tracker.ReadDocumentInput{Document: document}
		if from > 0 {
			in.FromLine = &from
		}
		if lines > 0 {
			in.Lines = &lines
		}
		return reporter.ReadDocument(ctx, in)
	}
	for _, c := range []struct {
		document          string
		from, lines       int64
		text              string
		first, got, total int64
	}{
		{"docs/lines.txt", 0, 0, "one\r\ntwo\n\nfour", 1, 4, 4},
		{"docs/lines.txt", 2, 2, "two\n\n", 2, 2, 4},
		{"docs/lines.txt", 4, 9, "four", 4, 1, 4},
		{"docs/empty.txt", 0, 0, "", 1, 0, 0},
		{"docs/long.txt", 9000, 0, "line 09000\n", 9000, 1, 9000},
		{"docs/wide.txt", 1, 0, "first\n", 1, 1, 3},
		{"docs/wide.txt", 3, 0, "last\n", 3, 1, 3},
	} {
		out, err := read(c.document, c.from, c.lines)
		require.NoError(t, err)
		require.Equal(t, []any{c.document, c.text, c.first, c.got, c.total}, []any{out.Document, out.Text, out.FromLine, out.Lines, out.TotalLines})
		require.Len(t, out.Sha256, 64)
	}
	long, err := read("docs/long.txt", 0, 0)
	require.NoError(t, err)
	require.EqualValues(t, (64<<10)/11, long.Lines)
	require.EqualValues(t, 9000*11, long.Size)
	for _, c := range []struct {
		document string
		from     int64
		code     gate.Code
	}{
		{"docs/lines.txt", 5, "NO_SUCH_LINE"}, {"docs/empty.txt", 2, "NO_SUCH_LINE"}, {"docs/wide.txt", 2, "LINE_TOO_LONG"}, {"docs/none.txt", 1, "DOCUMENT_NOT_FOUND"},
		{"docs/lines.txt", 1 << 40, gate.ArgumentsInvalid}, {"../docs/lines.txt", 1, "PATH_INVALID"},
	} {
		_, err := read(c.document, c.from, 0)
		refused(t, err, c.code)
	}
	require.NoError(t, os.Symlink("lines.txt", filepath.Join(folder, "docs", "link.txt")))
	_, err = read("docs/link.txt", 1, 0)
	refused(t, err, "PATH_IS_LINK")
}
