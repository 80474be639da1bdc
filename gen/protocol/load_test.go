package protocol_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
    approval: {by: [queue, {command: [/bin/ask, 1], env: [A, B], timeout: 90s}, elicit], ttl: 1h, hold: 0s, reason: Ask., show: list}
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
	asked := release.Approval
	require.False(t, asked.Unclear)
	require.Equal(t, []string{"queue", "command /bin/ask 1", "elicit"}, []string{asked.By[0].String(), asked.By[1].String(), asked.By[2].String()})
	require.Equal(t, "1", asked.By[1].Command[1].Value)
	require.Equal(t, "B", asked.By[1].Env[1].Value)
	require.Equal(t, 90*time.Second, asked.By[1].Timeout)
	require.Equal(t, time.Hour, asked.TTL)
	require.Zero(t, asked.Hold)
	require.Equal(t, "Ask.", asked.Reason.Value)
	require.Equal(t, "list", asked.Show.Value)
	require.Nil(t, list.Approval)
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

func TestLoadFillsDefaultsOfAnApproval(t *testing.T) {
	for _, form := range []string{"[queue, {command: [ask]}]", "{by: [queue, {command: [ask]}]}"} {
		asked := load(t, "protocol_id: a\ninitial_mode: m\ntools: {t: {approval: "+form+"}}\nmodes: {m: {tools: [t]}}\n").Tools[0].Approval
		require.Equal(t, protocol.DefaultTTL, asked.TTL)
		require.Equal(t, protocol.DefaultHold, asked.Hold)
		require.Equal(t, protocol.DefaultTimeout, asked.By[1].Timeout)
		require.Zero(t, asked.By[0].Timeout)
		require.True(t, asked.Reason.IsZero() && asked.Show.IsZero())
	}
}

func TestShortenLeavesNoZeros(t *testing.T) {
	for want, length := range map[string]time.Duration{
		"0s": 0, "30s": 30 * time.Second, "10s": 10 * time.Second, "30m": 30 * time.Minute, "1m30s": 90 * time.Second, "1h": time.Hour, "1h30m": 90 * time.Minute,
		"1h0m10s": time.Hour + 10*time.Second, "1.5s": 1500 * time.Millisecond, "24h": 24 * time.Hour, "10h": 10 * time.Hour, "1h10m": 70 * time.Minute,
	} {
		require.Equal(t, want, protocol.Shorten(length))
	}
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

func TestLoadReadsPhases(t *testing.T) {
	text := "protocol_id: a\ninitial_mode: m\ntools:\n  import: {plan: {properties: {x: {type: string}}}, run: {preview: Look, commit: Leap, ttl: 2h}}\n  list: {effect: read}\n  load: {plan: {}, run: {preview: LoadPreview, commit: Load}}\nmodes: {m: {tools: [import, list, load]}}\n"
	p := load(t, text)
	tool := p.Tool("import")
	require.Equal(t, protocol.Write, tool.Effect)
	require.Equal(t, "Leap", tool.Run.Value)
	require.Equal(t, "Look", tool.Phases.Preview.Value)
	require.Equal(t, 2*time.Hour, tool.Phases.TTL)
	require.JSONEq(t, `{"type":"object","properties":{"x":{"type":"string"}}}`, string(tool.Plan.JSON()))
	require.Equal(t, []string{"import_preview", "import_commit"}, tool.Served())
	require.Equal(t, protocol.DefaultTTL, p.Tool("load").Phases.TTL)
	require.Nil(t, p.Tool("list").Phases)
	require.Nil(t, p.Tool("list").Plan)
	require.Equal(t, []string{"list"}, p.Tool("list").Served())
	source := diag.NewSource("protocol.yaml", []byte(text))
	for want, span := range map[string]diag.Span{"run": tool.Phases.Span, "Look": tool.Phases.Preview.Span, "Leap": tool.Run.Span} {
		require.Equal(t, want, text[source.Offset(span.Line, span.Column):source.Offset(span.EndLine, span.EndColumn)])
	}
}
