package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

const whole = `# a protocol with everything in it
protocol_id: everything
version: 1.10
description: >-
  One text
  over lines.
initial_mode: plan
exclusive_tools: [release, "approve"]
strict: true
go: {package: ./handlers, deps: Deps}
tools:
  list:
    description: List files.
    effect: read
    input: {properties: {path: {type: string, maxLength: 9007199254740993}, "größe": {type: number, minimum: 1.50}}, required: [path]}
    output: {properties: {files: {type: array, items: {type: string}}}}
    run: {go: ListFiles}
  release:
    input:
      type: object
      properties:
        commit: {type: string, enum: ["a", 'b', c, null, true, 12]}
    record: [/commit]
    waive: {SD1: one person works alone}
modes:
  plan:
    description: Think.
    tools:
      - list
    transitions: {complete: {to: publish}, stuck: plan}
  publish: {tools: [release], waive: {SD1: see above}}
sequenced: false
`

func load(t *testing.T, text string) *protocol.Protocol {
	t.Helper()
	p, found := protocol.Load("protocol.yaml", []byte(text))
	require.Empty(t, found)
	require.NotNil(t, p)
	return p
}

func TestLoadReadsEverything(t *testing.T) {
	p := load(t, whole)
	require.Equal(t, "everything", p.ID.Value)
	require.Equal(t, "1.10", p.Version.Value)
	require.Equal(t, "One text over lines.", p.Description.Value)
	require.True(t, p.Strict)
	require.Equal(t, "./handlers", p.Go.Package.Value)
	require.Equal(t, "Deps", p.Go.Deps.Value)
	require.Equal(t, []string{"approve", "merge", "release"}, p.Exclusive())
	require.True(t, p.IsExclusive("merge"))
	require.False(t, p.IsExclusive("list"))
	list := p.Tool("list")
	require.Equal(t, protocol.Read, list.Effect)
	require.Equal(t, "ListFiles", list.Run.Value)
	require.JSONEq(t, `{"type":"object","properties":{"path":{"type":"string","maxLength":9007199254740993},"größe":{"type":"number","minimum":1.50}},"required":["path"]}`, string(list.Input.JSON()))
	require.Contains(t, string(list.Input.JSON()), `"maxLength":9007199254740993},"größe":{"type":"number","minimum":1.50`)
	release := p.Tool("release")
	require.Equal(t, protocol.Write, release.Effect)
	require.Equal(t, "Release", release.Run.Value)
	require.Zero(t, release.Run.Span)
	require.JSONEq(t, `{"type":"object","properties":{"commit":{"type":"string","enum":["a","b","c",null,true,12]}}}`, string(release.Input.JSON()))
	require.Equal(t, "/commit", release.Record[0].Value)
	require.Equal(t, "one person works alone", release.Waiver("SD1").Why.Value)
	require.Equal(t, []*protocol.Mode{p.Mode("publish")}, p.Holders("release"))
	require.Equal(t, "publish", p.Mode("plan").Transitions[0].To.Value)
	require.Nil(t, p.Tool("nothing"))
	require.Nil(t, p.Mode("nothing"))
}

func TestLoadFillsDefaults(t *testing.T) {
	p := load(t, "protocol_id: a\ninitial_mode: m\ntools: {list_files: }\nmodes: {m: {tools: [list_files]}}\n")
	require.Equal(t, "0.0.0", p.Version.Value)
	require.Equal(t, "./", p.Go.Package.Value)
	require.Equal(t, "ListFiles", p.Tools[0].Run.Value)
	require.Equal(t, protocol.Write, p.Tools[0].Effect)
	require.Nil(t, p.Tools[0].Input)
	require.Nil(t, p.Tools[0].Output)
}

// What stands in the file at a span is what the protocol says is there.
func TestSpansCoverExactlyTheScalar(t *testing.T) {
	for _, newline := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll(whole, "\n", newline)
		p := load(t, text)
		source := diag.NewSource("protocol.yaml", []byte(text))
		at := func(span diag.Span) string {
			return text[source.Offset(span.Line, span.Column):source.Offset(span.EndLine, span.EndColumn)]
		}
		for want, got := range map[string]protocol.Text{
			"everything": p.ID, "1.10": p.Version, `"approve"`: p.Declared[1], "ListFiles": p.Tools[0].Run, "/commit": p.Tools[1].Record[0],
			"publish": p.Modes[0].Transitions[0].To, "stuck": p.Modes[0].Transitions[1].Event, "see above": p.Modes[1].Waive[0].Why,
			">-" + newline + "  One text" + newline + "  over lines.": p.Description,
		} {
			require.Equal(t, want, at(got.Span))
		}
		require.Equal(t, "protocol_id", at(p.Span))
		require.Equal(t, `"größe"`, at(p.Tools[0].Input.Member("properties").Members[1].Key.Span))
		require.Equal(t, "{type: number, minimum: 1.50}", at(p.Tools[0].Input.Member("properties").Members[1].Value.Span))
		require.Equal(t, `["a", 'b', c, null, true, 12]`, at(p.Tools[1].Input.Member("properties").Member("commit").Member("enum").Span))
	}
}

func TestLoadRefusesWhatIsTooLarge(t *testing.T) {
	for name, text := range map[string]string{
		"bytes":       "description: " + strings.Repeat("x", 5<<20),
		"parts":       "description: [" + strings.Repeat("x,", 700_000) + "]",
		"depth, flow": "description: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"depth, open": strings.Repeat("[", 100_000),
		"depth, maps": strings.Repeat("{a: ", 20_000),
		"depth, list": strings.Repeat("- ", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, found := protocol.Load("protocol.yaml", []byte(text))
			var rules []string
			for _, d := range found {
				rules = append(rules, d.Rule)
			}
			require.Contains(t, rules, "yaml-size")
		})
	}
}

// Reading goes on behind a mistake: each of these is told of both.
func TestEveryErrorIsReported(t *testing.T) {
	_, found := protocol.Load("protocol.yaml", []byte("protocol_id: A\nstrict: 1\nnothing: 2\ntools: {a: {effect: x, b: 1}, a: {}}\nmodes: {m: &m {tools: 1}}\n"))
	var rules []string
	for _, d := range found {
		rules = append(rules, d.Rule)
		require.Equal(t, diag.Error, d.Level)
		require.NotZero(t, d.Span)
	}
	require.Equal(t, []string{
		"key-missing", "name-shape", "value-kind", "key-unknown", "value-set", "key-unknown", "key-duplicate", "yaml-alias", "value-kind",
	}, rules, fmt.Sprint(found))
}
