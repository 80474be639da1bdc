package handlers

import (
	"fmt"
	"go/ast"

	"github.com/gatewright/gatewright/gen/emit"
)

// mismatch says what is visibly wrong with a handler's signature; it is empty
// where nothing is. A name that is not qualified may be an alias of the right
// type, so only the compiler can judge it.
func (f *finder) mismatch(want emit.Signature, decl *ast.FuncDecl) string {
	constraints := flatten(decl.Type.TypeParams)
	if len(constraints) != 1 {
		return fmt.Sprintf("it has %d type parameters, not one for the permit", len(constraints))
	}
	if name := selected(constraints[0]); name != "" && name != want.Permit {
		return fmt.Sprintf("its type parameter is constrained by %s, not by %s", name, want.Permit)
	}
	params := flatten(decl.Type.Params)
	count := 3
	if f.protocol.Go.Deps.Value != "" {
		count = 4
	}
	if len(params) != count {
		return fmt.Sprintf("it has %d parameters, not %d", len(params), count)
	}
	if name := selected(params[0]); name != "" && name != "Context" {
		return "its first parameter is not the context"
	}
	if deps := f.protocol.Go.Deps.Value; deps != "" {
		pointer, ok := params[2].(*ast.StarExpr)
		if named, isName := params[2].(*ast.Ident); isName && named.Name == deps {
			return "its third parameter is not a pointer to " + deps
		}
		if ok && name(pointer.X) != "" && name(pointer.X) != deps {
			return "its third parameter is not *" + deps
		}
	}
	if name := selected(params[count-1]); name != "" && name != want.Input {
		return fmt.Sprintf("it takes %s, not %s", name, want.Input)
	}
	return results(want, flatten(decl.Type.Results))
}

func results(want emit.Signature, got []ast.Expr) string {
	count := 1
	if want.Output != "" {
		count = 2
	}
	if len(got) != count {
		return fmt.Sprintf("it has %d results, not %d", len(got), count)
	}
	if name := selected(got[0]); want.Output != "" && name != "" && name != want.Output {
		return fmt.Sprintf("it returns %s, not %s", name, want.Output)
	}
	if last := name(got[count-1]); last != "" && last != "error" {
		return "its last result is not an error"
	}
	return ""
}

// opens says what is visibly wrong with OpenDeps.
func opens(decl *ast.FuncDecl, deps string) string {
	switch params, got := flatten(decl.Type.Params), flatten(decl.Type.Results); {
	case decl.Type.TypeParams != nil:
		return "it has type parameters"
	case len(params) != 1:
		return fmt.Sprintf("it has %d parameters, not one for the context", len(params))
	case len(got) != 2:
		return fmt.Sprintf("it has %d results, not 2", len(got))
	default:
		if pointer, ok := got[0].(*ast.StarExpr); ok && name(pointer.X) != deps {
			return "it does not return *" + deps
		} else if !ok && name(got[0]) == deps {
			return "it returns a value, not *" + deps
		}
	}
	return ""
}

// flatten lists the type of each field, once for each of its names.
func flatten(fields *ast.FieldList) []ast.Expr {
	if fields == nil {
		return nil
	}
	var all []ast.Expr
	for _, field := range fields.List {
		for range max(1, len(field.Names)) {
			all = append(all, field.Type)
		}
	}
	return all
}

func selected(expr ast.Expr) string {
	if s, ok := expr.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

func name(expr ast.Expr) string {
	if ident, ok := expr.(*ast.Ident); ok {
		return ident.Name
	}
	return selected(expr)
}
