package greenfield_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/runtime/gate"
)

// What can write is made in one place, behind the guarded clients. A handler
// that made its own, or opened a client itself, would go round the gate.
func TestINV1_WritersAreMadeByGuardedClientsAlone(t *testing.T) {
	mentions := map[string]int{}
	for _, name := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "OpenWriter" || n.Name == "Guard" {
					mentions[name+" "+n.Name]++
				}
			case *ast.FuncDecl:
				for _, parameter := range n.Type.Params.List {
					require.NotContains(t, types.ExprString(parameter.Type), "gate.Call", "%s takes a call, which other code could make up", n.Name)
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "Writer" {
					require.Equal(t, "repository.go", name)
				}
			case *ast.CompositeLit:
				if of, ok := n.Type.(*ast.SelectorExpr); ok {
					require.NotEqual(t, "Writer", of.Sel.Name)
				}
			}
			return true
		})
	}
	// A writer is opened for each of two clients, by functions without a name.
	require.Equal(t, map[string]int{"repository.go OpenWriter": 2, "repository.go Guard": 2}, mentions)
}

// Nothing but what is behind the guarded clients has an effect on the world.
func TestHandlersDoNotGoRoundTheirClients(t *testing.T) {
	for _, name := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range file.Imports {
			require.NotContains(t, []string{`"os"`, `"os/exec"`, `"syscall"`, `"net"`, `"net/http"`, `"unsafe"`, `"reflect"`}, imported.Path.Value, name)
		}
	}
}

func sources(t *testing.T) (names []string) {
	t.Helper()
	all, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range all {
		if !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

func TestFileToolsRefuseThroughTheGate(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "crlf.txt", "a\r\nb\r\n")
	write(t, folder, "binary", "\x00")
	write(t, folder, "protocols/x/protocol.yaml", "protocol_id: x\n")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(folder, "link")))
	implement, ctx := newKit(t, folder).Implement(t), t.Context()
	for _, c := range []struct {
		path, old string
		code      gate.Code
	}{
		{"nowhere.txt", "x", "FILE_NOT_FOUND"},
		{"hello.txt", "nothing", "TEXT_NOT_FOUND"},
		{"hello.txt", "l", "TEXT_AMBIGUOUS"},
		{"crlf.txt", "a\nb", "TEXT_NOT_FOUND"},
		{"binary", "x", "FILE_BINARY"},
		{"link", "root", "PATH_IS_LINK"},
		{"../x", "x", "PATH_OUTSIDE"},
		{"/etc/passwd", "root", "PATH_OUTSIDE"},
		{"a\x00b", "x", "PATH_INVALID"},
		{".git/config", "core", "PATH_PROTECTED"},
		{"protocols/x/protocol.yaml", "x", "PATH_PROTECTED"},
		{"PLAN.md", "x", "PATH_PROTECTED"},
		{"src", "x", "NOT_A_FILE"},
		{"hello.txt", "", gate.ArgumentsInvalid},
	} {
		_, err := implement.Edit(ctx, greenfield.EditInput{Path: c.path, OldText: c.old, NewText: "new"})
		refused(t, err, c.code)
	}
	for path, code := range map[string]gate.Code{
		"hello.txt": "FILE_EXISTS", "link": "FILE_EXISTS", "generated/x.go": "PATH_PROTECTED", ".mcp.json": "PATH_PROTECTED", "hello.txt/x": "NOT_A_FOLDER",
	} {
		_, err := implement.Create(ctx, greenfield.CreateInput{Path: path, Text: "x"})
		refused(t, err, code)
	}
	out, err := implement.Edit(ctx, greenfield.EditInput{Path: "crlf.txt", OldText: "a\r\nb", NewText: "c\r\nd"})
	require.NoError(t, err)
	require.EqualValues(t, 6, out.Size)
	out, err = implement.Edit(ctx, greenfield.EditInput{Path: "hello.txt", OldText: "l", NewText: "L", ReplaceAll: new(true)})
	require.NoError(t, err)
	require.EqualValues(t, 3, out.Replacements)
	_, err = implement.Commit(ctx, greenfield.CommitInput{Message: "m"})
	refused(t, err, "NO_WORK_BRANCH")
}

func TestDiffNarrowsAndIsBounded(t *testing.T) {
	folder := scratch(t)
	write(t, folder, "long.txt", strings.Repeat("a line of text\n", 40_000))
	kit, ctx := newKit(t, folder), t.Context()
	committed := changed(t, kit)
	review := kit.Review(t)
	diff, err := review.Diff(ctx, greenfield.DiffInput{Commit: &committed.Commit, Branch: new("greet")})
	require.NoError(t, err)
	require.True(t, diff.Truncated)
	require.LessOrEqual(t, len(diff.Patch), 256<<10)
	require.EqualValues(t, 4, diff.FileCount)
	diff, err = review.Diff(ctx, greenfield.DiffInput{Path: new("docs")})
	require.NoError(t, err)
	require.False(t, diff.Truncated)
	require.Contains(t, diff.Patch, "docs/new file.md")
	require.NotContains(t, diff.Patch, "everybody")
	diff, err = review.Diff(ctx, greenfield.DiffInput{Base: &committed.Commit})
	require.NoError(t, err)
	require.Zero(t, diff.FileCount)
	require.Contains(t, *diff.Obstacle, "BASE_MOVED")
	_, err = review.Diff(ctx, greenfield.DiffInput{Commit: &committed.Base, Branch: new("greet")})
	refused(t, err, "COMMIT_NOT_FOUND")
	_, err = review.Diff(ctx, greenfield.DiffInput{Branch: new("nobody")})
	refused(t, err, "NO_WORK_BRANCH")
}

func TestAWorkspaceThatIsNoRepository(t *testing.T) {
	kit, ctx := newKit(t, t.TempDir()), t.Context()
	_, err := kit.Review(t).Diff(ctx, greenfield.DiffInput{})
	refused(t, err, "NOT_A_REPOSITORY")
	_, err = kit.Implement(t).Commit(ctx, greenfield.CommitInput{Message: "m", Branch: new("x")})
	refused(t, err, "NOT_A_REPOSITORY")
}
