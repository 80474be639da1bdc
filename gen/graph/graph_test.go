package graph_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/graph"
	"github.com/gatewright/gatewright/gen/protocol"
)

func update() bool { return os.Getenv("UPDATE") != "" }

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			archive.Files = archive.Files[:1]
			p, found := check.File("protocol.yaml", []byte(check.Example(string(archive.Files[0].Data))), check.Options{})
			require.NotNil(t, p)
			for _, format := range graph.Formats() {
				drawn := graph.Draw(p, found, format)
				wellFormed(t, format, drawn)
				archive.Files = append(archive.Files, txtar.File{Name: string(format), Data: []byte(drawn)})
			}
			got := txtar.Format(archive)
			if update() {
				require.NoError(t, os.WriteFile(file, got, 0o600))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// wellFormed holds every line against the few forms that there are.
func wellFormed(t require.TestingT, format graph.Format, drawn string) {
	for line := range strings.Lines(drawn) {
		if !forms()[format].MatchString(strings.TrimSuffix(line, "\n")) {
			require.Fail(t, "an unknown line", "%s: %q", format, line)
		}
	}
}

func forms() map[graph.Format]*regexp.Regexp {
	const (
		words  = `"([^"#;<>{}\[\]|&%` + "`" + `\\]|#\d+;|<br/>)*"` // of Mermaid
		quoted = `"([^"\\&]|\\[\\"n]|&amp;)*"`                     // of DOT
		value  = `(` + quoted + `|[a-z_A-Z0-9]+)`
		list   = ` \[[a-z]+=` + value + `(, [a-z]+=` + value + `)*\]`
	)
	mermaid := []string{
		`---`, `title: ` + words, `flowchart LR`, `  subgraph m\d+\[` + words + `\]`, `  end`,
		`    m\d+t\d+(\[` + words + `\]|\{\{` + words + `\}\}):::[a-z]+`,
		`  m\d+ -->\|` + words + `\| (m\d+|x\d+\[` + words + `\])`,
		`  classDef [a-z]+ [a-z#0-9:, -]+`, `  class m\d+(t\d+)? waived`,
	}
	dot := []string{
		`digraph ` + quoted + ` \{`, `  (graph|node|edge)` + list + `;`, `  subgraph cluster_\d+ \{`, `    (label|style)=` + quoted + `;`,
		`    m\d+(t\d+)?` + list + `;`, `  x\d+` + list + `;`, `  m\d+ -> [mx]\d+` + list + `;`, `  \}`, `\}`,
	}
	return map[graph.Format]*regexp.Regexp{
		graph.Mermaid: regexp.MustCompile(`^(` + strings.Join(mermaid, "|") + `)$`),
		graph.DOT:     regexp.MustCompile(`^(` + strings.Join(dot, "|") + `)$`),
	}
}

// No text of a protocol gets out of its label, whatever it holds.
func TestTextsStayInTheirLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := []string{`"`, `\`, "]", "}}", "|", "%%{init: {}}%%", "&quot;", "#quot;", "<script>", "\n", "end", "`", "-->", ";", "\\n", "\\N", "\x1b[2J", "a", "é", "\u202e", "---"}
		text := func(label string) protocol.Text {
			return protocol.Text{Value: strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 6).Draw(t, label), "")}
		}
		p := &protocol.Protocol{ID: text("id"), Version: text("version"), Modes: []*protocol.Mode{{
			Name: text("mode"), Description: text("description"), Tools: []protocol.Text{text("tool")},
			Waive:       []protocol.Waiver{{Rule: text("rule"), Why: text("why")}},
			Transitions: []protocol.Transition{{Event: text("event"), To: text("to")}},
		}}}
		for _, format := range graph.Formats() {
			drawn := graph.Draw(p, nil, format)
			wellFormed(t, format, drawn)
			require.Equal(t, drawn, graph.Draw(p, nil, format))
		}
	})
}
