package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// frame is a protocol around one tool.
const frame = "protocol_id: p\ninitial_mode: m\nmodes: {m: {tools: [t]}}\ntools:\n  t:\n"

// tool reads the tool t of a protocol whose tool is body.
func tool(t testing.TB, body string) (*protocol.Tool, string) {
	t.Helper()
	text := frame + "    " + strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n    ") + "\n"
	p, found := protocol.Load("p.yaml", []byte(text))
	require.Empty(t, found, text)
	return p.Tools[0], text
}

// TestDiagnostics runs testdata/*.txtar: each file NAME.yaml in one is the body
// of a tool, and NAME.want what is said about it: diagnostics, or the text of
// its input.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	said := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for i := 0; i < len(archive.Files); i += 2 {
			in, want := archive.Files[i], &archive.Files[i+1]
			t.Run(filepath.Base(file)+"/"+in.Name, func(t *testing.T) {
				require.Equal(t, want.Name, strings.TrimSuffix(in.Name, ".yaml")+".want")
				got, rules := judge(t, string(in.Data))
				for _, rule := range rules {
					said[rule] = true
				}
				if os.Getenv("UPDATE") != "" {
					want.Data = got
					return
				}
				require.Equal(t, string(want.Data), string(got))
			})
		}
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
		}
	}
	for _, rule := range schema.Rules() {
		require.True(t, said[rule.ID] || rule.ID == schema.Unusable, "no case shows the rule %s", rule.ID)
		require.NotEmpty(t, rule.Purpose)
		require.NotEmpty(t, rule.Help)
		delete(said, rule.ID)
	}
	require.Empty(t, said, "rules without a row")
}

func judge(t *testing.T, body string) ([]byte, []string) {
	t.Helper()
	read, text := tool(t, body)
	found := diag.Sort(schema.Check(read))
	var out bytes.Buffer
	var rules []string
	for _, d := range found {
		require.Equal(t, diag.Error, d.Level)
		require.NotZero(t, d.Span, d.Message)
		rules = append(rules, d.Rule)
	}
	require.NoError(t, diag.Text(&out, found, diag.Files{"p.yaml": diag.NewSource("p.yaml", []byte(text))}, false))
	if len(found) == 0 {
		input, _ := schema.Read(read.Input)
		out.WriteString(input.Text() + "\n")
	}
	return out.Bytes(), rules
}
