package compare

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

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
	digests := make([]string, 0, len(all))
	for _, each := range all {
		digests = append(digests, each.Digest())
	}
	for i, before := range all {
		for j, after := range all {
			changes := Compare(before, after)
			require.Equal(t, digests[i] == digests[j], len(changes) == 0)
			if j == (i+1)%len(all) {
				require.Equal(t, changes, Compare(before, after), "the same each time")
			}
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

func drawApproval(t *rapid.T) *protocol.Approval {
	var by []protocol.Source
	ways := []protocol.Source{
		{Provider: protocol.Queue}, {Provider: protocol.Elicit},
		{Provider: protocol.Command, Command: []protocol.Text{text("/bin/ask")}, Env: drawTexts(t, "env", "A", "B"), Timeout: rapid.SampledFrom([]time.Duration{time.Minute, time.Second}).Draw(t, "timeout")},
		{Provider: protocol.Command, Command: []protocol.Text{text("/bin/ask"), text("a")}, Timeout: time.Minute},
	}
	for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(ways)-1), 0, len(ways), rapid.ID[int]).Draw(t, "by") {
		by = append(by, ways[at])
	}
	if len(by) == 0 {
		return nil
	}
	pick := func(label string, from ...time.Duration) time.Duration { return rapid.SampledFrom(from).Draw(t, label) }
	return &protocol.Approval{
		By: by, TTL: pick("ttl", time.Minute, time.Hour), Hold: pick("hold", 0, time.Second),
		Reason: text(rapid.SampledFrom([]string{"", "x"}).Draw(t, "reason")), Show: text(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "show")),
	}
}

// drawPhases gives a tool two phases, or leaves it as it is.
func drawPhases(t *rapid.T, tool *protocol.Tool) {
	if rapid.Bool().Draw(t, "one phase") {
		return
	}
	tool.Phases = &protocol.Phases{
		Preview: text(rapid.SampledFrom([]string{"A", "C", "D"}).Draw(t, "preview")),
		TTL:     rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(t, "plan ttl"),
	}
	kind := rapid.SampledFrom([]string{"string", "integer"}).Draw(t, "plan")
	tool.Plan = &protocol.Value{Kind: protocol.Object, Members: []protocol.Member{{Key: text("properties"), Value: &protocol.Value{Kind: protocol.Object, Members: []protocol.Member{
		{Key: text("x"), Value: &protocol.Value{Kind: protocol.Object, Members: []protocol.Member{{Key: text("type"), Value: &protocol.Value{Kind: protocol.String, Literal: kind}}}}},
	}}}}}
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
			Approval: drawApproval(t),
		})
		drawPhases(t, p.Tools[len(p.Tools)-1])
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

// Where a call needed consent and needs none, or that of one more, or may use
// it later, that is a weakening, as worked out here without the comparison.
// One thing differs.
func TestLessConsentIsAWeakening(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, other := drawApproval(t), drawApproval(t)
		if was == nil || other == nil {
			return
		}
		changed := *was
		is := &changed
		switch rapid.IntRange(0, 3).Draw(t, "what changes") {
		case 0:
			is = nil
		case 1:
			is.TTL = other.TTL
		case 2:
			is.By = other.By
		default:
			is.Show = other.Show
		}
		with := func(a *protocol.Approval) *protocol.Protocol {
			return &protocol.Protocol{ID: text("one"), Tools: []*protocol.Tool{{Name: text("a"), Effect: protocol.Write, Approval: a}}}
		}
		weaker := len(Weakenings(Compare(with(was), with(is)))) > 0
		if is == nil || is.TTL > was.TTL || was.Show.Value != "" && is.Show.Value != was.Show.Value {
			require.True(t, weaker)
			return
		}
		asked := func(source protocol.Source) bool {
			return slices.ContainsFunc(was.By, func(other protocol.Source) bool { return other.String() == source.String() })
		}
		if slices.ContainsFunc(is.By, func(source protocol.Source) bool { return !asked(source) }) ||
			was.By[0].Provider == protocol.Queue && is.By[0].Provider != protocol.Queue {
			require.True(t, weaker)
			return
		}
		if len(was.By) == len(is.By) && slices.EqualFunc(was.By, is.By, func(x, y protocol.Source) bool { return x.String() == y.String() }) {
			require.False(t, weaker)
		}
	})
}
