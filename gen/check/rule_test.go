package check_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/runtime/gate"
)

// unshown are rules without an example: what they find cannot be written down
// in a few lines.
func unshown() []string { return []string{"crash", "schema-depth", "schema-unusable"} }

func TestEveryRuleIsExplainedAndItsExamplesAreTrue(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range check.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			require.False(t, seen[rule.ID], "twice")
			seen[rule.ID] = true
			for _, text := range []string{rule.Purpose, rule.Why, rule.Help, string(rule.Category), string(rule.Level)} {
				require.NotEmpty(t, text)
			}
			if slices.Contains(unshown(), rule.ID) || rule.Category == check.Generated {
				return
			}
			_, found := check.File("bad.yaml", []byte(check.Example(rule.Bad)), check.Options{})
			found = withoutNotes(found)
			for _, d := range found {
				require.Equal(t, rule.ID, d.Rule, "the bad example shows one thing: %+v", d)
				require.Equal(t, rule.Level, d.Level)
			}
			require.NotEmpty(t, found)
			p, found := check.File("good.yaml", []byte(check.Example(rule.Good)), check.Options{})
			require.NotNil(t, p)
			require.Empty(t, withoutNotes(found))
		})
	}
}

func withoutNotes(found []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Level == diag.Note })
}

func TestEveryCodeOfTheGateIsExplained(t *testing.T) {
	codes := gate.Codes()
	for code, words := range codes {
		row, ok := check.LookupCode(string(code))
		require.True(t, ok, code)
		require.Equal(t, words.Ran, row.Ran, code)
		text, _, ok := check.Explain(string(code))
		require.True(t, ok)
		require.Contains(t, text, string(code))
	}
	require.Len(t, check.Codes(), len(codes))
}

func TestCrashAsksForAReport(t *testing.T) {
	d := check.Crash("protocol.yaml", "out of range", []byte("goroutine 1\n\tx.go:1\n"))
	require.Equal(t, diag.Error, d.Level)
	require.Contains(t, d.Message, "out of range")
	require.Contains(t, d.Help, "please report it")
	require.Contains(t, d.Notes[0], "x.go:1")
	require.Equal(t, "protocol.yaml", d.Span.File)
	_, ok := check.Lookup(d.Rule)
	require.True(t, ok)
}

func TestExplainSuggests(t *testing.T) {
	_, nearest, ok := check.Explain("approval_panding")
	require.False(t, ok)
	require.Equal(t, "APPROVAL_PENDING", nearest)
	_, nearest, ok = check.Explain("utterly unlike anything")
	require.False(t, ok)
	require.Empty(t, nearest)
	for _, id := range []string{"wf1", "Yaml-Syntax"} {
		_, _, ok = check.Explain(id)
		require.True(t, ok)
	}
}
