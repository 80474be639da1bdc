package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// sets reports interfaces for constraints where a type is wanted: the compiler
// refuses them as the types of variables and as type arguments that are written
// down, but not where a method expression carries one to type inference.
func (c *checker) sets() {
	info := c.pass.TypesInfo
	c.each(func(node ast.Node) {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if selection := info.Selections[node]; selection != nil && selection.Kind() == types.MethodExpr && constraint(selection.Recv()) {
				c.report(node.Sel.Pos(), RuleSet, "a method expression of an interface that is for constraints alone")
			}
		case *ast.Ident:
			arguments := info.Instances[node].TypeArgs
			for i := range arguments.Len() {
				if constraint(arguments.At(i)) {
					c.report(node.Pos(), RuleSet, "a type argument of an interface that is for constraints alone")
				}
			}
		case *ast.Field:
			for _, name := range node.Names {
				if object, ok := info.Defs[name].(*types.TypeName); ok {
					if parameter, ok := object.Type().(*types.TypeParam); ok && empty(parameter) {
						c.report(name.Pos(), RuleSet, "no type satisfies the constraint of "+name.Name+", so whatever is done with one compiles")
					}
				}
			}
		}
	})
}

// constraint reports whether a type is an interface that has more than methods,
// and so is no type of a variable.
func constraint(t types.Type) bool {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	set, ok := t.Underlying().(*types.Interface)
	return ok && !set.IsMethodSet()
}

// empty reports whether no type satisfies the constraint of a type parameter.
// Nothing but the empty set of types implements a method that nobody has.
func empty(parameter *types.TypeParam) bool {
	nobody := types.NewPackage("nobody", "nobody")
	method := types.NewFunc(token.NoPos, nobody, "has", types.NewSignatureType(nil, nil, nil, nil, nil, false))
	never := types.NewInterfaceType([]*types.Func{method}, nil).Complete()
	return types.Satisfies(parameter, never)
}
