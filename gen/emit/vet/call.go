package vet

import (
	"go/ast"
	"go/types"
)

// calls reports calls that the gate did not make, and functions that open a
// guarded client and have a name.
func (c *checker) calls() {
	info := c.pass.TypesInfo
	c.each(func(node ast.Node) {
		switch node := node.(type) {
		case *ast.CompositeLit:
			c.forged(node, info.TypeOf(node))
		case *ast.ValueSpec:
			for _, name := range node.Names {
				if object := info.Defs[name]; object != nil {
					c.forged(name, object.Type())
				}
			}
		case *ast.CallExpr:
			if built, ok := info.Types[node.Fun]; ok && built.IsBuiltin() && len(node.Args) == 1 {
				if ident, ok := ast.Unparen(node.Fun).(*ast.Ident); ok && ident.Name == "new" {
					c.forged(node, info.TypeOf(node.Args[0]))
				}
			}
			c.guard(node)
		}
	})
}

func (c *checker) forged(node ast.Node, t types.Type) {
	if t != nil && ofGate(t, "Call") {
		c.report(node.Pos(), RuleCall, "a gate.Call that the gate did not make")
	}
}

// guard looks at what a client is opened by.
func (c *checker) guard(call *ast.CallExpr) {
	function, ok := callee(c.pass.TypesInfo, call.Fun).(*types.Func)
	if !ok || function.Name() != "Guard" || function.Pkg() == nil || len(call.Args) == 0 {
		return
	}
	if path := function.Pkg().Path(); path != runtimePath+"/gate" && !within(path, c.trees) {
		return
	}
	open := ast.Unparen(call.Args[len(call.Args)-1])
	if _, literal := open.(*ast.FuncLit); !literal {
		c.report(open.Pos(), RuleOpen, "what opens a guarded client has a name, by which it can be called without the guard")
	}
}

// callee returns what a call calls, through parentheses and type arguments.
func callee(info *types.Info, fun ast.Expr) types.Object {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return info.Uses[fun]
	case *ast.SelectorExpr:
		return info.Uses[fun.Sel]
	case *ast.IndexExpr:
		return callee(info, fun.X)
	case *ast.IndexListExpr:
		return callee(info, fun.X)
	}
	return nil
}
