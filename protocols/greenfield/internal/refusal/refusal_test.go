package refusal

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

func TestEveryCodeHasWordsAndIsNotTheGates(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "refusal.go", nil, 0)
	require.NoError(t, err)
	declared := map[gate.Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				text, err := strconv.Unquote(spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				declared[gate.Code(text)] = true
			}
		}
		return true
	})
	require.NotEmpty(t, declared)
	for code := range declared {
		require.NotEmpty(t, table()[code].next, code)
		require.Regexp(t, `^[A-Z][A-Z0-9_]{2,39}$`, code)
		_, taken := gate.Explain(code)
		require.False(t, taken, code)
	}
	require.Len(t, table(), len(declared))
}

func TestIsFindsAWrappedFailure(t *testing.T) {
	err := fmt.Errorf("edit: %w", New(FileBinary, "%q is binary", "a"))
	require.True(t, Is(err, FileBinary))
	require.False(t, Is(err, FileExists))
	require.False(t, Is(errors.New("other"), FileBinary))
}
