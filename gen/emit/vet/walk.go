package vet

import "go/types"

// mentions reports whether a type is, or is made of, one that is wanted. It
// looks into what a user of the type can come to know of it: exported fields
// and methods, parameters, results, elements, type arguments and the terms of
// constraints.
func mentions(t types.Type, wanted func(types.Type) bool) bool {
	w := &walk{wanted: wanted, seen: map[types.Type]bool{}}
	return w.look(t)
}

type walk struct {
	wanted func(types.Type) bool
	seen   map[types.Type]bool
}

func (w *walk) look(t types.Type) bool {
	if t == nil || w.seen[t] {
		return false
	}
	w.seen[t] = true
	if w.wanted(t) {
		return true
	}
	switch t := t.(type) {
	case *types.Alias:
		return w.look(types.Unalias(t)) || w.list(t.TypeArgs())
	case *types.Named:
		return w.named(t)
	case *types.Pointer:
		return w.look(t.Elem())
	case *types.Slice:
		return w.look(t.Elem())
	case *types.Array:
		return w.look(t.Elem())
	case *types.Chan:
		return w.look(t.Elem())
	case *types.Map:
		return w.look(t.Key()) || w.look(t.Elem())
	case *types.Signature:
		return w.signature(t)
	case *types.Tuple:
		for each := range t.Variables() {
			if w.look(each.Type()) {
				return true
			}
		}
	case *types.Struct:
		for field := range t.Fields() {
			if (field.Exported() || field.Embedded()) && w.look(field.Type()) {
				return true
			}
		}
	case *types.Interface:
		return w.set(t)
	case *types.Union:
		for term := range t.Terms() {
			if w.look(term.Type()) {
				return true
			}
		}
	case *types.TypeParam:
		return w.look(t.Constraint())
	}
	return false
}

func (w *walk) named(t *types.Named) bool {
	for method := range t.Methods() {
		if method.Exported() && w.look(method.Type()) {
			return true
		}
	}
	for parameter := range t.TypeParams().TypeParams() {
		if w.look(parameter) {
			return true
		}
	}
	return w.list(t.TypeArgs()) || w.look(t.Underlying())
}

func (w *walk) signature(t *types.Signature) bool {
	for parameter := range t.TypeParams().TypeParams() {
		if w.look(parameter) {
			return true
		}
	}
	return w.look(t.Params()) || w.look(t.Results())
}

func (w *walk) set(t *types.Interface) bool {
	for embedded := range t.EmbeddedTypes() {
		if w.look(embedded) {
			return true
		}
	}
	for method := range t.ExplicitMethods() {
		if method.Exported() && w.look(method.Type()) {
			return true
		}
	}
	return false
}

func (w *walk) list(arguments *types.TypeList) bool {
	for argument := range arguments.Types() {
		if w.look(argument) {
			return true
		}
	}
	return false
}
