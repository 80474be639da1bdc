package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// openers reports clients whose opening function has a name: code of the same
// package can call that with a call it made up, and has the client without a
// permit.
func openers(pass *analysis.Pass) {
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !guards(pass, call.Fun) {
				return true
			}
			if _, literal := ast.Unparen(call.Args[0]).(*ast.FuncLit); !literal {
				reportf(pass, call.Args[0].Pos(), CategoryOpener,
					"%s opens a guarded client and can be called without a permit; pass a function literal, which nothing else can name",
					types.ExprString(call.Args[0]))
			}
			return true
		})
	}
}

// guards reports whether a function is the Guard of a contract.
func guards(pass *analysis.Pass, function ast.Expr) bool {
	switch f := ast.Unparen(function).(type) {
	case *ast.IndexExpr:
		return guards(pass, f.X)
	case *ast.SelectorExpr:
		called, ok := pass.TypesInfo.Uses[f.Sel].(*types.Func)
		return ok && called.Name() == "Guard" && called.Pkg() != nil && isContract(called.Pkg())
	}
	return false
}

// untouched reports handlers that make nothing of their permit. The compiler
// lets nobody have one, but for a type with an empty type set, and what a
// handler does with its permit is what fails then.
func untouched(pass *analysis.Pass) {
	for _, file := range pass.Files {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil || !function.Name.IsExported() {
				continue
			}
			if permit := permitOf(pass, function); permit != nil && !used(pass, function.Body, permit) {
				reportf(pass, function.Name.Pos(), CategoryUntouched,
					"%s never uses its permit, so nothing in it fails where the admission is over or was none; begin with Open(permit)",
					function.Name.Name)
			}
		}
	}
}

// permitOf returns the permit that a handler takes, after a context; nil where a
// function is no handler.
func permitOf(pass *analysis.Pass, function *ast.FuncDecl) *types.Var {
	declared, ok := pass.TypesInfo.Defs[function.Name].(*types.Func)
	if !ok || declared.Signature().Params().Len() < 2 {
		return nil
	}
	parameters := declared.Signature().Params()
	permit := parameters.At(1)
	of, ok := permit.Type().(*types.TypeParam)
	if !ok || types.TypeString(parameters.At(0).Type(), nil) != "context.Context" || !onPermits(of.Constraint()) {
		return nil
	}
	return permit
}

func used(pass *analysis.Pass, body *ast.BlockStmt, parameter *types.Var) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if assigned, ok := n.(*ast.AssignStmt); ok && discards(assigned) {
			return false
		}
		name, ok := n.(*ast.Ident)
		found = found || ok && pass.TypesInfo.Uses[name] == parameter
		return !found
	})
	return found
}

// discards reports whether a statement is of the kind _ = permit.
func discards(assigned *ast.AssignStmt) bool {
	for _, to := range assigned.Lhs {
		if name, ok := to.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	for _, from := range assigned.Rhs {
		if _, plain := ast.Unparen(from).(*ast.Ident); !plain {
			return false
		}
	}
	return true
}
