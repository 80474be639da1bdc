package vet

import (
	"go/types"
	"strings"
)

// A reached says what of protocols a package knows.
type reached struct {
	contract bool // a contract is among all that it imports
	near     bool // it imports a contract, or what takes permits
}

// reach looks through the imports of a package.
func reach(pkg *types.Package) reached {
	known := reached{near: isContract(pkg)}
	for found := range reachable(pkg) {
		known.contract = known.contract || isContract(found)
	}
	for _, imported := range pkg.Imports() {
		known.near = known.near || isContract(imported) || isPermits(imported) || takesPermits(imported)
	}
	return known
}

// reachable returns a package with all that it imports.
func reachable(pkg *types.Package) map[*types.Package]bool {
	seen := map[*types.Package]bool{}
	var look func(*types.Package)
	look = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, imported := range p.Imports() {
			look(imported)
		}
	}
	look(pkg)
	return seen
}

// permitsPath is where a generated tree keeps its permits.
const permitsPath = "/internal/permit"

// isPermits reports whether a package is the one that holds the permits of a
// protocol.
func isPermits(pkg *types.Package) bool {
	if pkg == nil || !strings.HasSuffix(pkg.Path(), permitsPath) {
		return false
	}
	admitted := pkg.Scope().Lookup("Admitted")
	return admitted != nil && constrains(admitted.Type())
}

// isContract reports whether a package is what handlers of a protocol import:
// its CanRead stands for permits.
func isContract(pkg *types.Package) bool {
	name, ok := pkg.Scope().Lookup("CanRead").(*types.TypeName)
	return ok && onPermits(name.Type())
}

// onPermits reports whether an interface embeds one of a package of permits.
func onPermits(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for embedded := range i.EmbeddedTypes() {
		named, ok := types.Unalias(embedded).(*types.Named)
		if ok && (isPermits(named.Obj().Pkg()) || onPermits(named)) {
			return true
		}
	}
	return false
}

// takesPermits reports whether a package exports a function that takes a
// permit.
func takesPermits(pkg *types.Package) bool {
	for _, name := range pkg.Scope().Names() {
		function, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !function.Exported() {
			continue
		}
		for parameter := range function.Signature().TypeParams().TypeParams() {
			if onPermits(parameter.Constraint()) {
				return true
			}
		}
	}
	return false
}
