package protocol_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		"a:\n  - b\n # c\n  - d", "a: [ # c ]\n ]", "k: \u2028", "é: 名前", "a: \"\\ud800\"", "a: !<tag:x> b", "&a : b", "tools: {a: {approval: [queue, {command: [ask], env: [A], timeout: 1.5m}, elicit]}}",
		"tools: {a: {approval: {by: [{command: [/a, \"\\0\"]}], ttl: 1h0m0.001s, hold: 0s, reason: 'x', show: a}}}", "tools: {a: {approval: {by: [[]], ttl: 1e9s, hold: -0s}}}", "[a]: b", "a:\n b:\n  c\n",
		"tools: {a: {plan: {properties: {x: {}}}, run: {preview: A, commit: B, ttl: 1h0m0.5s}}}", "tools: {a: {plan: , run: {preview: , commit: [], ttl: 1e9s, go: X}}, b: {plan: 1, run: {}}}",
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
				if tool.Approval != nil {
					approvalWithin(t, source, tool.Approval)
				}
				if tool.Phases != nil {
					within(t, source, tool.Phases.Span)
					require.True(t, tool.Phases.TTL >= protocol.MinTTL && tool.Phases.TTL <= protocol.MaxTTL)
				}
				for _, schema := range []*protocol.Value{tool.Input, tool.Plan} {
					if schema != nil {
						require.True(t, json.Valid(schema.JSON()), "%s", schema.JSON())
					}
				}
				if len(found) == 0 {
					require.Equal(t, tool.Phases != nil, tool.Plan != nil)
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

// approvalWithin holds an approval that could be read in part to what any may be.
func approvalWithin(t *testing.T, source *diag.Source, a *protocol.Approval) {
	t.Helper()
	within(t, source, a.Span)
	require.True(t, a.Unclear || len(a.By) > 0)
	require.True(t, a.TTL >= protocol.MinTTL && a.TTL <= protocol.MaxTTL && a.Hold >= 0 && a.Hold <= protocol.MaxHold)
	for _, by := range a.By {
		within(t, source, by.Span)
		require.Equal(t, by.Provider == protocol.Command, len(by.Command) > 0)
		require.Zero(t, by.Timeout%time.Millisecond)
	}
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
