package vet

import (
	"go/types"
	"strings"
)

const runtimePath = "github.com/gatewright/gatewright/runtime"

// A tree is the generated code of one protocol.
type tree struct {
	path string // import path of generated/<id>
}

// treesOf finds the trees that can be reached from a package: those whose
// permits are among what it imports, at whatever depth.
func treesOf(pkg *types.Package) []tree {
	var found []tree
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		// Permits that are not internal make a tree as well, and are reported.
		if path, ok := strings.CutSuffix(p.Path(), "/permit"); ok && p.Scope().Lookup("Admitted") != nil {
			found = append(found, tree{path: strings.TrimSuffix(path, "/internal")})
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	visit(pkg)
	return found
}

// within reports whether a package is one of a tree.
func within(path string, trees []tree) bool {
	for _, t := range trees {
		if below(path, t.path) {
			return true
		}
	}
	return false
}

// below reports whether a path is another one or under it.
func below(path, top string) bool {
	rest, found := strings.CutPrefix(path, top)
	return found && (rest == "" || rest[0] == '/')
}

func internal(path string) bool {
	return strings.Contains("/"+path+"/", "/internal/")
}

// permit reports whether a type is a concrete permit, or the seal of the
// runtime: a type that nobody outside may come to know.
func permit(named *types.Named) bool {
	object := named.Obj()
	if object.Pkg() == nil || types.IsInterface(named) {
		return false
	}
	path := object.Pkg().Path()
	if path == runtimePath+"/internal/seal" {
		return true
	}
	if object.Pkg().Scope().Lookup("Admitted") == nil {
		return false
	}
	shape, ok := named.Underlying().(*types.Struct)
	return ok && shape.NumFields() == 1 && grant(shape.Field(0).Type())
}

// grant reports whether a type is *gate.Grant.
func grant(t types.Type) bool {
	pointer, ok := t.(*types.Pointer)
	return ok && ofGate(pointer.Elem(), "Grant")
}

// ofGate reports whether a type is one of the kernel, by name.
func ofGate(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == runtimePath+"/gate"
}
