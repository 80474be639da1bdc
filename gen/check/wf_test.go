package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

func of(found []diag.Diagnostic, rule string) []diag.Diagnostic {
	var some []diag.Diagnostic
	for _, d := range found {
		if d.Rule == rule {
			some = append(some, d)
		}
	}
	return some
}

func checked(t *testing.T, part string) (*protocol.Protocol, []diag.Diagnostic) {
	t.Helper()
	return check.File("protocol.yaml", []byte(check.Example(part)), check.Options{})
}

// attempts to have an exclusive tool in two modes that some reader of the file
// might not notice. Each must be an error, whatever its rule.
func TestWF1_NoSpellingHidesASecondHolder(t *testing.T) {
	for name, part := range map[string]string{
		"plain":                 "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [approve]}\n",
		"quoted":                "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: ['approve']}\n",
		"escaped":               "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [\"\\x61pprove\"]}\n",
		"folded":                "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b:\n    tools:\n      - >-\n        approve\n",
		"literal":               "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b:\n    tools:\n      - |\n        approve\n",
		"alias":                 "tools: {approve: {}}\nmodes:\n  plan: {tools: &t [approve]}\n  b: {tools: *t}\n",
		"merge key":             "tools: {approve: {}}\nmodes:\n  plan: &m {tools: [approve]}\n  b: {<<: *m}\n",
		"merge key, quoted":     "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {\"<<\": {tools: [approve]}}\n",
		"duplicate mode":        "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [list]}\n  b: {tools: [approve]}\n",
		"duplicate tools":       "tools: {approve: {}, list: {effect: read}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [list], tools: [approve]}\n",
		"tag":                   "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [!!str approve]}\n",
		"second document":       "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\nprotocol_id: a\ninitial_mode: plan\n---\nmodes: {b: {tools: [approve]}}\n",
		"waived in a mode":      "tools: {approve: {}}\nmodes:\n  plan: {tools: [approve], waive: {WF1: fine}}\n  b: {tools: [approve], waive: {WF1: fine}}\n",
		"waived on the tool":    "tools: {approve: {waive: {WF1: fine}}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [approve]}\n",
		"taken off the list":    "exclusive_tools: []\ntools: {approve: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [approve]}\n",
		"another list":          "exclusive_tools: [list]\ntools: {approve: {}, list: {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [approve, list]}\n",
		"effect read":           "tools: {approve: {effect: read}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [approve]}\n",
		"capital":               "tools: {approve: {}, Approve: {run: Approve}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [Approve]}\n",
		"dash":                  "exclusive_tools: [sign_off]\ntools: {sign_off: {}, sign-off: {run: Other}}\nmodes:\n  plan: {tools: [sign_off]}\n  b: {tools: [sign-off]}\n",
		"look-alike":            "tools: {approve: {}, аpprove: {run: Approve}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [аpprove]}\n",
		"invisible":             "tools: {approve: {}, \"appro\u200bve\": {}}\nmodes:\n  plan: {tools: [approve]}\n  b: {tools: [\"appro\u200bve\"]}\n",
		"beside other mistakes": "descripton: x\ntools: {approve: {inptu: {}}}\nmodes:\n  plan: {tools: [approve, nothing]}\n  b: {tools: [approve]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, found := checked(t, part)
			require.True(t, diag.HasErrors(found), "%v", found)
		})
	}
}

func TestWF1_MistakesElsewhereDoNotHideIt(t *testing.T) {
	_, found := checked(t, "descripton: x\nstrict: no\ntools:\n  approve: {inptu: {}, effect: reed}\n  9: 7\nmodes:\n  plan: {tools: [approve, nothing], transitions: 3}\n  b: {tools: [approve]}\n  c: 1\n")
	require.Len(t, of(found, "WF1"), 1)
}

func TestWF1_NamesEveryHolderAtItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		modes := rapid.IntRange(1, 8).Draw(t, "modes")
		tools := []string{"approve", "merge", "release", "edit"}
		var text strings.Builder
		text.WriteString("exclusive_tools: [release]\ntools: {approve: {}, merge: {}, release: {}, edit: {}}\nmodes:\n")
		holders := map[string][]diag.Span{}
		for mode := range modes {
			fmt.Fprintf(&text, "  m%d:\n    tools: [", mode)
			column := len("    tools: [") + 1
			held := rapid.SliceOfDistinct(rapid.SampledFrom(tools), rapid.ID[string]).Draw(t, "held")
			for i, tool := range held {
				if i > 0 {
					text.WriteString(", ")
					column += 2
				}
				line := 5 + 2*mode
				holders[tool] = append(holders[tool], diag.Span{File: "protocol.yaml", Line: line, Column: column, EndLine: line, EndColumn: column + len(tool)})
				text.WriteString(tool)
				column += len(tool)
			}
			text.WriteString("]\n")
		}
		_, found := check.File("protocol.yaml", []byte(text.String()+"protocol_id: a\ninitial_mode: m0\n"), check.Options{})
		var expected [][]diag.Span
		for tool, spans := range holders {
			if tool != "edit" && len(spans) > 1 {
				expected = append(expected, spans)
			}
		}
		var got [][]diag.Span
		for _, d := range of(found, "WF1") {
			require.Equal(t, diag.Error, d.Level)
			spans := []diag.Span{d.Span}
			for _, related := range d.Related {
				if related.Span.Line > 1 {
					spans = append(spans, related.Span)
				}
			}
			slices.SortFunc(spans, diag.Span.Compare)
			got = append(got, spans)
		}
		require.ElementsMatch(t, expected, got)
	})
}

func TestWF1_SharingWhatIsNotExclusiveIsFine(t *testing.T) {
	_, found := checked(t, "tools: {edit: {}, list: {effect: read}}\nmodes:\n  plan: {tools: [edit, list]}\n  b: {tools: [edit, list]}\n")
	require.Empty(t, found)
}

// Every way to name one function twice, and the function's default name.
func TestWF2_NoNameHidesACapability(t *testing.T) {
	for name, tools := range map[string]string{
		"both written":      "{merge: {run: Land}, finish: {run: Land}}",
		"default":           "{merge: {}, finish: {run: Merge}}",
		"other default":     "{merge: {run: Finish}, finish: {}}",
		"long form":         "{merge: {run: {go: Land}}, finish: {run: Land}}",
		"quoted":            "{merge: {run: \"L\\x61nd\"}, finish: {run: 'Land'}}",
		"read":              "{merge: {run: Land}, finish: {run: Land, effect: read}}",
		"waived":            "{merge: {run: Land}, finish: {run: Land, waive: {WF2: fine, SD4: fine}}}",
		"third in between":  "{merge: {run: Land}, other: {}, finish: {run: Land}}",
		"declared later":    "{finish: {run: Land}, merge: {run: Land}}",
		"other input":       "{merge: {run: Land}, finish: {run: Land, input: {properties: {n: {type: string}}}}}",
		"commit":            "{merge: {run: Land}, finish: {plan: {}, run: {preview: Look, commit: Land}}}",
		"commit of merge":   "{merge: {plan: {}, run: {preview: Look, commit: Land}}, finish: {run: Land}}",
		"both commits":      "{merge: {plan: {}, run: {preview: A, commit: Land}}, finish: {plan: {}, run: {preview: B, commit: Land, ttl: 1h}}}",
		"a preview":         "{merge: {run: Land}, finish: {plan: {}, run: {preview: Land, commit: Other}}}",
		"without a plan":    "{merge: {run: Land}, finish: {run: {preview: Look, commit: Land}}}",
		"and go":            "{merge: {run: Land}, finish: {plan: {}, run: {go: Other, preview: Look, commit: Land}}}",
		"no preview":        "{merge: {run: Land}, finish: {plan: {}, run: {commit: Land}}}",
		"beside a bad tool": "{merge: {run: Land, bad: 1}, finish: {run: Land, input: 7}}",
	} {
		t.Run(name, func(t *testing.T) {
			_, found := checked(t, "tools: "+tools+"\nmodes:\n  plan: {tools: [finish]}\n  integrate: {tools: [merge]}\n")
			wf2 := of(found, "WF2")
			require.Len(t, wf2, 1, "%v", found)
			require.Equal(t, diag.Error, wf2[0].Level)
			lines := []int{wf2[0].Span.Line}
			for _, related := range wf2[0].Related {
				lines = append(lines, related.Span.Line)
			}
			require.Subset(t, lines, []int{3, 4}, "both holders are shown")
		})
	}
}

// A preview is no capability of its own: what shows a merge may be shown.
func TestWF2_ThePreviewOfAnExclusiveToolIsNot(t *testing.T) {
	_, found := checked(t, "tools: {merge: {plan: {}, run: {preview: Look, commit: Land}}, finish: {plan: {}, run: {preview: Look, commit: Finish}}}\nmodes:\n  plan: {tools: [finish]}\n  b: {tools: [merge]}\n")
	require.Empty(t, of(found, "WF2"))
}

func TestWF2_OneModeMayHoldBothNames(t *testing.T) {
	_, found := checked(t, "tools: {merge: {run: Land}, finish: {run: Land}}\nmodes:\n  plan: {tools: [finish, merge]}\n")
	require.Empty(t, of(found, "WF2"))
}

func TestWF2_AnExclusiveNameThatNobodyHoldsStillCounts(t *testing.T) {
	_, found := checked(t, "tools: {merge: {run: Land}, finish: {run: Land}, close: {run: Land}}\nmodes:\n  plan: {tools: [finish]}\n  b: {tools: [close]}\n")
	require.Len(t, of(found, "WF2"), 1)
}

// Against a model: WF2 holds exactly where all names of an exclusive capability
// together are in one mode's hands, but for what WF1 says.
func TestWF2_AgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"approve", "merge", "edit", "list"}
		runs := map[string]string{}
		var tools strings.Builder
		for _, name := range names {
			runs[name] = rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, name)
			fmt.Fprintf(&tools, "  %s: {run: %s}\n", name, runs[name])
		}
		held := map[string][]string{}
		var modes strings.Builder
		for _, mode := range []string{"plan", "b", "c"} {
			held[mode] = rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, mode)
			fmt.Fprintf(&modes, "  %s: {tools: [%s]}\n", mode, strings.Join(held[mode], ", "))
		}
		_, found := check.File("p", []byte("protocol_id: a\ninitial_mode: plan\ntools:\n"+tools.String()+"modes:\n"+modes.String()), check.Options{})
		require.Len(t, of(found, "WF2"), violations(runs, held))
	})
}

func violations(runs map[string]string, held map[string][]string) int {
	count := 0
	for _, function := range []string{"A", "B", "C"} {
		if runs["approve"] != function && runs["merge"] != function {
			continue
		}
		broken := false
		for one, first := range held {
			for other, second := range held {
				for _, a := range first {
					for _, b := range second {
						sameExclusive := a == b && (a == "approve" || a == "merge")
						broken = broken || one != other && runs[a] == function && runs[b] == function && !sameExclusive
					}
				}
			}
		}
		if broken {
			count++
		}
	}
	return count
}
