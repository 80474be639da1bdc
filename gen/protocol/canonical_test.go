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
