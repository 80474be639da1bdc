package compare

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/gen/protocol"
)

// shown loads every protocol of the tests of gen that reads without errors.
func shown(t *testing.T) []*protocol.Protocol {
	t.Helper()
	var all []*protocol.Protocol
	for _, pattern := range []string{"../*/testdata/*.txtar", "../*/testdata/*/*.txtar"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			for _, file := range archive.Files {
				if filepath.Ext(file.Name) != ".yaml" {
					continue
				}
				if p, found := protocol.Load(file.Name, file.Data); p != nil && len(found) == 0 {
					all = append(all, p)
				}
			}
		}
	}
	require.Greater(t, len(all), 20)
	return all
}

func TestNothingChangesExactlyWhereTheDigestIsTheSame(t *testing.T) {
	all := shown(t)
	for _, before := range all {
		for _, after := range all {
			changes := Compare(before, after)
			require.Equal(t, before.Digest() == after.Digest(), len(changes) == 0)
			require.Equal(t, changes, Compare(before, after), "the same each time")
		}
	}
}

func text(value string) protocol.Text { return protocol.Text{Value: value} }

func drawTexts(t *rapid.T, label string, from ...string) []protocol.Text {
	var texts []protocol.Text
	for _, each := range rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string]).Draw(t, label) {
		texts = append(texts, text(each))
	}
	return texts
}

func drawWaivers(t *rapid.T) []protocol.Waiver {
	var waivers []protocol.Waiver
	for _, rule := range drawTexts(t, "waive", "SD1", "SD4") {
		waivers = append(waivers, protocol.Waiver{Rule: rule, Why: text(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "why"))})
	}
	return waivers
}

// drawProtocol draws one of a few names, so that two often have much in common.
func drawProtocol(t *rapid.T) *protocol.Protocol {
	names := []string{"a", "b", "approve"}
	pick := func(label string, from ...string) protocol.Text { return text(rapid.SampledFrom(from).Draw(t, label)) }
	p := &protocol.Protocol{
		ID: pick("id", "one", "two"), Version: pick("version", "1", "2"), Description: pick("description", "", "x"),
		InitialMode: pick("initial", "m", "n"), Strict: rapid.Bool().Draw(t, "strict"), Declared: drawTexts(t, "declared", "a", "b"),
		Go: protocol.Go{Package: pick("package", "./", "./x"), Deps: pick("deps", "", "Deps")},
	}
	for _, name := range drawTexts(t, "tools", names...) {
		p.Tools = append(p.Tools, &protocol.Tool{
			Name: name, Description: pick("description", "", "x"), Effect: protocol.Effect(pick("effect", "read", "write").Value),
			Run: pick("run", "A", "B"), Record: drawTexts(t, "record", "/a", "/b"), Waive: drawWaivers(t),
		})
	}
	for _, name := range drawTexts(t, "modes", "m", "n") {
		mode := &protocol.Mode{Name: name, Description: pick("description", "", "x"), Tools: drawTexts(t, "held", names...), Waive: drawWaivers(t)}
		for _, event := range drawTexts(t, "events", "e", "f") {
			mode.Transitions = append(mode.Transitions, protocol.Transition{Event: event, To: pick("to", "m", "n")})
		}
		p.Modes = append(p.Modes, mode)
	}
	return p
}

func TestEveryDifferenceHasAKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawProtocol(t), drawProtocol(t)
		changes := Compare(before, after)
		require.Equal(t, before.Digest() == after.Digest(), len(changes) == 0)
		for _, change := range changes {
			require.NotEqual(t, Rewritten, change.Kind)
			require.True(t, slices.Contains(Kinds(), change.Kind))
			require.NotEmpty(t, change.Message)
		}
		require.Empty(t, Compare(before, before))
	})
}

// Whoever can do more than before with something guarded shows as a weakening,
// as worked out here without the comparison.
func TestMoreRightsAreAWeakening(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawProtocol(t), drawProtocol(t)
		more := false
		for _, mode := range after.Modes {
			was := before.Mode(mode.Name.Value)
			for _, held := range mode.Tools {
				tool := after.Tool(held.Value)
				guarded := after.IsExclusive(held.Value) || tool == nil || tool.Effect == protocol.Write
				more = more || guarded && (was == nil || !was.Holds(held.Value))
			}
		}
		if more {
			require.NotEmpty(t, Weakenings(Compare(before, after)))
		}
	})
}
