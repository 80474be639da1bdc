package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const small = `protocol_id: a
initial_mode: m
tools:
  list: {effect: read, input: {properties: {n: {type: integer, maximum: 9007199254740993}}}, record: [/n]}
  edit: {description: Change it.}
modes:
  m: {tools: [list, edit], transitions: {done: m}}
`

func TestDigestIgnoresHowItIsWritten(t *testing.T) {
	digest := load(t, small).Digest()
	require.Regexp(t, `^sha256:[0-9a-f]{64}$`, digest)
	for name, text := range map[string]string{
		"comments":        "# hello\n" + strings.ReplaceAll(small, "tools:\n", "tools: # these\n"),
		"CRLF":            strings.ReplaceAll(small, "\n", "\r\n"),
		"byte order mark": "\ufeff" + small,
		"order of keys":   "modes:\n  m: {transitions: {done: m}, tools: [list, edit]}\ntools:\n  edit: {description: Change it.}\n  list: {record: [/n], input: {properties: {n: {maximum: 9007199254740993, type: integer}}}, effect: read}\ninitial_mode: m\nprotocol_id: a\n",
		"order of a set":  strings.Replace(small, "[list, edit]", "[edit, list]", 1),
		"quotes":          strings.Replace(small, "Change it.", `"Change\x20it."`, 1),
		"block style":     strings.Replace(small, "  edit: {description: Change it.}\n", "  edit:\n    description: >\n      Change\n      it.\n", 1),
		"long transition": strings.Replace(small, "done: m", "done: {to: m}", 1),
		"defaults": strings.NewReplacer(
			"protocol_id: a\n", "protocol_id: a\nversion: 0.0.0\nstrict: false\nsequenced: false\ngo: {package: .}\n",
			"{description: Change it.}", "{description: Change it., effect: write, run: {go: Edit}, record: [], waive: {}, input: {}}",
			"input: {properties", "input: {type: object, additionalProperties: false, properties",
		).Replace(small),
		"approve and merge": "exclusive_tools: [merge, approve]\n" + small,
	} {
		require.Equal(t, digest, load(t, text).Digest(), name)
	}
}

func TestDigestSeesWhatItSays(t *testing.T) {
	seen := map[string]string{load(t, small).Digest(): "small"}
	for name, text := range map[string]string{
		"id":               strings.Replace(small, "protocol_id: a", "protocol_id: b", 1),
		"version":          "version: 1.0.0\n" + small,
		"version, as text": "version: 1.0\n" + small,
		"description":      strings.Replace(small, "Change it.", "Change it!", 1),
		"effect":           strings.Replace(small, "effect: read", "effect: write", 1),
		"a large integer":  strings.Replace(small, "9007199254740993", "9007199254740992", 1),
		"a type":           strings.Replace(small, "type: integer", "type: number", 1),
		"a text":           strings.Replace(small, "maximum: 9007199254740993", "maximum: \"9007199254740993\"", 1),
		"record":           strings.Replace(small, "record: [/n]", "record: []", 1),
		"output":           strings.Replace(small, "{description: Change it.}", "{description: Change it., output: {}}", 1),
		"run":              strings.Replace(small, "{description: Change it.}", "{description: Change it., run: Other}", 1),
		"waiver":           strings.Replace(small, "{description: Change it.}", "{description: Change it., waive: {SD4: why}}", 1),
		"a tool less":      strings.Replace(small, "[list, edit]", "[list]", 1),
		"a transition":     strings.Replace(small, "done: m", "gone: m", 1),
		"exclusive":        "exclusive_tools: [edit]\n" + small,
		"strict":           "strict: true\n" + small,
		"package":          "go: {package: ./h}\n" + small,
		"deps":             "go: {deps: Deps}\n" + small,
		"a mode":           small + "  n: {tools: [list]}\n",
	} {
		digest := load(t, text).Digest()
		require.Empty(t, seen[digest], "%s has the digest of %s", name, seen[digest])
		seen[digest] = name
	}
}

// Where more than one schema looks at an object, closing it by hand can change
// what it takes, so there it counts.
func TestDigestSeesWhatIsClosedByHand(t *testing.T) {
	for name, pair := range map[string][2]string{
		"under allOf":   {"{allOf: [{type: object}]}", "{allOf: [{type: object, additionalProperties: false}]}"},
		"beside a $ref": {"{properties: {a: {$ref: \"#/$defs/a\"}}, $defs: {a: {type: object}}}", "{properties: {a: {$ref: \"#/$defs/a\"}}, $defs: {a: {type: object, additionalProperties: false}}}"},
		"opened":        {"{properties: {a: {type: object}}}", "{properties: {a: {type: object, additionalProperties: true}}}"},
		"in data":       {"{properties: {a: {const: {type: object}}}}", "{properties: {a: {const: {type: object, additionalProperties: false}}}}"},
		"a property":    {"{properties: {b: {type: string}}}", "{properties: {b: {type: string}, additionalProperties: {type: string}}}"},
	} {
		frame := func(schema string) string {
			return strings.Replace(small, "{description: Change it.}", "{input: "+schema+"}", 1)
		}
		require.NotEqual(t, load(t, frame(pair[0])).Digest(), load(t, frame(pair[1])).Digest(), name)
	}
	frame := func(schema string) string {
		return strings.Replace(small, "{description: Change it.}", "{input: "+schema+"}", 1)
	}
	require.Equal(t,
		load(t, frame("{properties: {a: {type: array, items: {type: object, properties: {b: {type: object}}}}}}")).Digest(),
		load(t, frame("{properties: {a: {type: array, items: {type: object, additionalProperties: false, properties: {b: {type: object, additionalProperties: false}}}}}}")).Digest())
}

// The form that the digest is taken over does not change by accident: digests
// are pinned in state folders.
func TestCanonicalForm(t *testing.T) {
	require.JSONEq(t, `{"description":"","exclusive_tools":["approve","merge"],"go":{"deps":"","package":"."},"initial_mode":"m",`+
		`"modes":{"m":{"description":"","tools":["edit","list"],"transitions":{"done":"m"},"waive":{}}},"protocol_id":"a","strict":false,`+
		`"tools":{"edit":{"description":"Change it.","effect":"write","input":{"type":"object"},"record":[],"run":{"go":"Edit"},"waive":{}},`+
		`"list":{"description":"","effect":"read","input":{"properties":{"n":{"maximum":9007199254740993,"type":"integer"}},"type":"object"},"record":["/n"],"run":{"go":"List"},"waive":{}}},`+
		`"version":"0.0.0"}`, string(load(t, small).Canonical()))
}

// consenting is small with an approval of edit.
func consenting(approval string) string {
	return strings.Replace(small, "{description: Change it.}", "{description: Change it., approval: "+approval+"}", 1)
}

func TestDigestIgnoresHowAnApprovalIsWritten(t *testing.T) {
	const whole = "{by: [queue, {command: [ask, a], env: [A, B], timeout: 90s}], ttl: 1h30m, hold: 0s, reason: why, show: list}"
	for name, pair := range map[string][2]string{
		"defaults":            {"[queue, {command: [ask]}]", "{by: [queue, {command: [ask], env: [], timeout: 60s}], ttl: 30m, hold: 30s, reason: \"\"}"},
		"order of keys":       {whole, "{show: list, reason: why, hold: 0s, ttl: 1h30m, by: [queue, {timeout: 90s, env: [A, B], command: [ask, a]}]}"},
		"order of a set":      {whole, strings.Replace(whole, "[A, B]", "[B, A]", 1)},
		"spelling of lengths": {whole, strings.NewReplacer("90s", "1.5m", "1h30m", "90m", "0s", "0h").Replace(whole)},
		"quotes":              {whole, strings.Replace(whole, "[ask, a]", "[\"ask\", 'a']", 1)},
	} {
		require.Equal(t, load(t, consenting(pair[0])).Digest(), load(t, consenting(pair[1])).Digest(), name)
	}
}

func TestDigestSeesWhatAnApprovalSays(t *testing.T) {
	const whole = "{by: [queue, elicit, {command: [ask, a], env: [A], timeout: 90s}], ttl: 1h, hold: 5s, reason: why, show: list}"
	seen := map[string]string{load(t, small).Digest(): "no approval", load(t, consenting(whole)).Digest(): "whole"}
	for _, change := range [][2]string{
		{"queue, elicit", "elicit, queue"}, {"queue, elicit", "queue"}, {"[ask, a]", "[ask, b]"}, {"[ask, a]", "[/ask a]"}, {"[ask, a]", "[ask]"}, {"[ask, a]", "[/ask, a]"},
		{"[A]", "[B]"}, {"[A]", "[]"}, {"90s", "91s"}, {"1h", "2h"}, {"5s", "0s"}, {"5s", "5001ms"}, {"why", "Why"}, {", reason: why", ""}, {"list", "edit"}, {", show: list", ""},
	} {
		changed := strings.Replace(whole, change[0], change[1], 1)
		require.NotEqual(t, whole, changed)
		digest := load(t, consenting(changed)).Digest()
		require.Empty(t, seen[digest], "%v has the digest of %s", change, seen[digest])
		seen[digest] = change[1]
	}
}

func TestCanonicalFormOfAnApproval(t *testing.T) {
	require.Contains(t, string(load(t, consenting("{by: [queue, {command: [ask, \"\u00e9 \\\"\"]}], hold: 1500ms}")).Canonical()),
		`"approval":{"by":["queue",{"command":["ask","é \""],"env":[],"timeout":"1m0s"}],"hold":"1.5s","ttl":"30m0s"}`)
}

// phased is small with edit in two phases.
func phased(keys string) string {
	return strings.Replace(small, "{description: Change it.}", "{description: Change it., "+keys+"}", 1)
}

func TestDigestIgnoresHowPhasesAreWritten(t *testing.T) {
	const whole = "plan: {properties: {x: {type: object}}}, run: {preview: A, commit: B, ttl: 1h30m}"
	for name, pair := range map[string][2]string{
		"defaults":            {"plan: {}, run: {preview: A, commit: B}", "effect: write, plan: {type: object, additionalProperties: false}, run: {preview: A, commit: B, ttl: 30m}"},
		"order of keys":       {whole, "run: {ttl: 1h30m, commit: B, preview: A}, plan: {properties: {x: {type: object}}}"},
		"spelling of lengths": {whole, strings.Replace(whole, "1h30m", "90m", 1)},
		"quotes":              {whole, strings.Replace(whole, "preview: A", "\"preview\": 'A'", 1)},
		"closed by hand":      {whole, strings.Replace(whole, "{type: object}", "{type: object, additionalProperties: false}", 1)},
	} {
		require.Equal(t, load(t, phased(pair[0])).Digest(), load(t, phased(pair[1])).Digest(), name)
	}
}

func TestDigestSeesWhatPhasesSay(t *testing.T) {
	const whole = "plan: {properties: {x: {type: string}}}, run: {preview: A, commit: B, ttl: 1h}"
	seen := map[string]string{load(t, small).Digest(): "one phase", load(t, phased("run: B")).Digest(): "one function", load(t, phased(whole)).Digest(): "whole"}
	for _, change := range [][2]string{
		{"preview: A", "preview: C"}, {"commit: B", "commit: C"}, {"preview: A, commit: B", "preview: B, commit: A"}, {"1h", "2h"}, {"type: string", "type: integer"},
		{"{x: {type: string}}", "{}"}, {"plan: {", "output: {}, plan: {"},
	} {
		changed := strings.Replace(whole, change[0], change[1], 1)
		require.NotEqual(t, whole, changed)
		digest := load(t, phased(changed)).Digest()
		require.Empty(t, seen[digest], "%v has the digest of %s", change, seen[digest])
		seen[digest] = change[1]
	}
}

func TestCanonicalFormOfPhases(t *testing.T) {
	canonical := string(load(t, phased("plan: {}, run: {preview: A, commit: B, ttl: 90m}")).Canonical())
	require.Contains(t, canonical, `"plan":{"type":"object"},"record":[],"run":{"commit":"B","preview":"A","ttl":"1h30m0s"}`)
}
