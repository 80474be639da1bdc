package protocol_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// Whatever a file holds, there is an answer, with a place in the file; what is
// read can be written as JSON and has a digest; and every form of the findings
// shows no character that steers a terminal.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(small))
	for _, text := range []string{
		"", "\ufeff", "\x00", "\xff\xfe", "a: &a [*a]", "a: *a", "<<: {}", "!!binary x", "---\n---\n", "%YAML 1.2\n---\na: 1",
		"a: |2\n   b\n  c", "a: >\n\n\n", "? a\n: b", "a: 'it''s", "a: \"\\", "\r\ra: b", "- - - -", "{a: [b, {c: d}]}", "a: b: c", "\ta: b",
		"a:\n  - b\n # c\n  - d", "a: [ # c ]\n ]", "k: \u2028", "é: 名前", "a: \"\\ud800\"", "a: !<tag:x> b", "&a : b", "[a]: b", "a:\n b:\n  c\n",
	} {
		f.Add([]byte(text))
	}
	paths, err := filepath.Glob("../check/testdata/*/*.txtar")
	require.NoError(f, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(f, err)
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".yaml") {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, found := protocol.Load("protocol.yaml", text)
		source := diag.NewSource("protocol.yaml", text)
		for _, d := range found {
			within(t, source, d.Span)
			require.NotEmpty(t, d.Message)
			for _, related := range d.Related {
				within(t, source, related.Span)
			}
		}
		if p != nil {
			p.Digest()
			for _, tool := range p.Tools {
				within(t, source, tool.Name.Span)
				if tool.Input != nil {
					require.True(t, json.Valid(tool.Input.JSON()), "%s", tool.Input.JSON())
				}
			}
		} else {
			require.NotEmpty(t, found)
		}
		var shown strings.Builder
		require.NoError(t, diag.Text(&shown, found, diag.Files{"protocol.yaml": source}, false))
		require.True(t, utf8.ValidString(shown.String()))
		require.NotContains(t, strings.Map(steers, shown.String()), "\x00")
		require.NoError(t, diag.JSON(io.Discard, found))
		require.NoError(t, diag.SARIF(io.Discard, found, "", nil))
		require.NoError(t, diag.GitHub(io.Discard, found))
	})
}

func steers(r rune) rune {
	if diag.Invisible(r) {
		return 0
	}
	return r
}

func within(t *testing.T, source *diag.Source, span diag.Span) {
	t.Helper()
	require.GreaterOrEqual(t, span.Line, 1)
	require.LessOrEqual(t, span.EndLine, source.Lines())
	require.GreaterOrEqual(t, span.Column, 1)
	require.True(t, span.Line < span.EndLine || span.Line == span.EndLine && span.Column <= span.EndColumn, "%+v", span)
	require.LessOrEqual(t, span.Column, utf8.RuneCount(source.Line(span.Line))+1, "%+v", span)
	require.LessOrEqual(t, span.EndColumn, utf8.RuneCount(source.Line(span.EndLine))+1, "%+v", span)
}
