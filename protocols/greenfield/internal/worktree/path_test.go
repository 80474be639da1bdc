package worktree

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "./a//b/": "a/b", ".": ".", "a/./b": "a/b", "-rf": "-rf", "--help/x": "--help/x", "a b/ü.txt": "a b/ü.txt",
		"..a/b..": "..a/b..", "👩‍💻.md": "👩‍💻.md", ":(top)a": ":(top)a", "*": "*",
	} {
		got, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for text, code := range map[string]gate.Code{
		"": refusal.PathInvalid, "/etc/passwd": refusal.PathOutside, "..": refusal.PathOutside, "a/../../b": refusal.PathOutside,
		"a/../b": refusal.PathOutside, "../a": refusal.PathOutside, "a\x00b": refusal.PathInvalid, "a\nb": refusal.PathInvalid,
		"a\x1b[31m": refusal.PathInvalid, "a\x7f": refusal.PathInvalid, "a\u202eb": refusal.PathInvalid, "a\u2028b": refusal.PathInvalid,
		"a\xffb": refusal.PathInvalid, `a\..\b`: refusal.PathInvalid, `\\host\x`: refusal.PathInvalid, "C:/x": refusal.PathOutside,
		"c:": refusal.PathOutside, strings.Repeat("a", 256): refusal.PathInvalid, strings.Repeat("a/", 600): refusal.PathInvalid,
	} {
		_, err := Parse(text)
		require.True(t, refusal.Is(err, code), "%q: %v", text, err)
	}
}

func TestProtected(t *testing.T) {
	for _, name := range []string{
		".git", ".git/config", "sub/.git/hooks/x", ".GIT/config", ".Git", "git~1/config", "GIT~1", ".git./config", ".git /config",
		".git::$INDEX_ALLOCATION/config", ".g\u200cit/config", "\ufeff.git/x",
		"protocols/greenfield/protocol.yaml", "protocol.yml", "x/Protocol.YAML", "protocols/a/protocol.lock.json", "protoc~1.yam",
		"generated/greenfield/merge.go", "sub/generated/x", "GENERATED/x", "genera~2/x", "generated",
		".mcp.json", "sub/.MCP.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".vscode/mcp.json",
		"a/.VSCode/MCP.json", "opencode.json", "opencode.jsonc", ".opencode/x", ".cursor/mcp.json", ".CLAUDE", "claude~1/x",
	} {
		require.NotEmpty(t, Protected(name), name)
	}
	require.NotEmpty(t, Protected("opencode.j\u017fon"), "a long s folds to s")
	for _, name := range []string{
		"a", ".github/workflows/ci.yml", ".gitignore", ".gitattributes", "git/x", "generator/x", "regenerated/x", "protocols/greenfield/edit.go",
		".vscode/settings.json", "mcp.json", "docs/mcp.json", "main.go~1", "a~1", "x.git/y", "PLAN.md", "protocol.yaml.md",
	} {
		require.Empty(t, Protected(name), name)
	}
	require.True(t, Hidden("a/.GIT/b"))
	require.False(t, Hidden("a/.github"))
	require.True(t, IsPlan("plan.MD"))
	require.False(t, IsPlan("docs/PLAN.md"))
}

// Nothing that folds to a protected name may slip through by being written in
// another way that still parses.
func FuzzProtected(f *testing.F) {
	f.Add(".git/config")
	f.Add("./.GIT//x")
	f.Add("a/.claude/..b")
	f.Fuzz(func(t *testing.T, text string) {
		clean, err := Parse(text)
		if err != nil {
			return
		}
		for component := range strings.SplitSeq(clean, "/") {
			require.NotEqual(t, "..", component)
			if strings.EqualFold(component, ".git") || strings.EqualFold(component, "generated") || strings.EqualFold(component, ".mcp.json") {
				require.NotEmpty(t, Protected(clean))
			}
		}
	})
}
