package vet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// leaks reports exported functions, variables and types that mention a permit,
// or, in the generated tree, what a server is made of: through that a handler
// can be had, and called without a grant.
func leaks(pass *analysis.Pass) {
	if pass.Pkg.Name() == "main" || internal(pass.Pkg.Path()) {
		return
	}
	root := rootOf(pass.Pkg)
	sought := func(t types.Type) bool {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.Obj().Pkg() == nil {
			return false
		}
		if isPermits(named.Obj().Pkg()) {
			return !types.IsInterface(named)
		}
		return root != "" && ofServer(named)
	}
	enter := func(t *types.Named) bool {
		pkg := t.Obj().Pkg()
		return pkg != nil && root != "" && under(pkg.Path(), root)
	}
	scope := pass.Pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() {
			continue
		}
		w := walk{sought: sought, enter: enter, seen: map[types.Type]bool{}}
		w.look(object.Type())
		if w.found != nil {
			reportf(pass, object.Pos(), CategoryLeak, "exported %s mentions %s, which has to stay within the generated tree: whoever has the type has a permit or a handler",
				name, types.TypeString(w.found, (*types.Package).Name))
		}
	}
}

// ofServer reports whether a type is a mode, a tool of a mode, or a key.
func ofServer(t *types.Named) bool {
	pkg, name := t.Obj().Pkg().Path(), t.Obj().Name()
	switch {
	case strings.HasSuffix(pkg, "/runtime/server"):
		return name == "Mode" || name == "Tool" || name == "Handler" || name == "Func"
	case strings.HasSuffix(pkg, "/runtime/gate"):
		return name == "Key"
	}
	return false
}

// rootOf returns the import path of the generated tree that a package belongs
// to; it is empty for any other.
func rootOf(pkg *types.Package) string {
	for found := range reachable(pkg) {
		if isContract(found) && under(pkg.Path(), found.Path()) {
			return found.Path()
		}
	}
	return ""
}

func under(importPath, root string) bool {
	return importPath == root || strings.HasPrefix(importPath, root+"/")
}

func internal(importPath string) bool {
	return strings.Contains("/"+importPath+"/", "/internal/")
}
