package emit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only syntax.go calls what of jennifer turns text into source.
func TestOneWriterOfComments(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	raw := map[string]bool{
		"Comment": true, "Commentf": true, "Op": true, "HeaderComment": true, "PackageComment": true, "CgoPreamble": true,
		"CanonicalPath": true, "NoFormat": true, "LitFunc": true, "Anon": true,
	}
	used := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok || !raw[selector.Sel.Name] {
				return true
			}
			used[selector.Sel.Name] = true
			require.Equal(t, "syntax.go", name, "%s is called here", selector.Sel.Name)
			return true
		})
	}
	require.Equal(t, map[string]bool{"Comment": true, "HeaderComment": true, "PackageComment": true, "Op": true, "NoFormat": true}, used)
}

func TestCommentsStayComments(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         nil,
		"a\n\nb":                   {"// a", "// b"},
		"*/ x\r\ny\u2028z":         {"// */ x", "// y", "// z"},
		"\u202eevil\x1b[0m\ufeff":  {"// U+202EevilU+001B[0mU+FEFF"},
		"go:build ignore":          {`// "go:build ignore"`},
		"+build ignore":            {`// "+build ignore"`},
		"\xff":                     {"// \uFFFD"},
		strings.Repeat("a", 5000):  {"// " + strings.Repeat("a", maxCommentLine) + " …"},
		"\u00a0tab\tand\u3000wide": {"// tab and wide"},
	} {
		require.Equal(t, want, commentLines(text), "%q", text)
	}
}
