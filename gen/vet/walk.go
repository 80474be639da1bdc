package vet

import "go/types"

// A walk looks through a type for one that is sought.
type walk struct {
	sought func(types.Type) bool
	enter  func(*types.Named) bool // whether to look into a declared type; nil for never
	seen   map[types.Type]bool
	found  types.Type
}

// mentions reports whether a type is or is made of one that is sought.
// Declared types are not looked into, but for their type arguments.
func mentions(t types.Type, sought func(types.Type) bool) bool {
	w := walk{sought: sought, seen: map[types.Type]bool{}}
	w.look(t)
	return w.found != nil
}

func (w *walk) look(t types.Type) {
	if t == nil || w.found != nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	if w.sought(t) {
		w.found = t
		return
	}
	switch t := t.(type) {
	case *types.Alias:
		w.look(types.Unalias(t))
	case *types.Named:
		w.named(t)
	case *types.Signature:
		w.look(t.Params())
		w.look(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.look(v.Type())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if w.enter == nil || field.Exported() {
				w.look(field.Type())
			}
		}
	case *types.Map:
		w.look(t.Key())
		w.look(t.Elem())
	case *types.Interface:
		for method := range t.Methods() {
			if w.enter == nil || method.Exported() {
				w.look(method.Type())
			}
		}
	case interface{ Elem() types.Type }: // array, slice, channel, pointer
		w.look(t.Elem())
	}
}

func (w *walk) named(t *types.Named) {
	for argument := range t.TypeArgs().Types() {
		w.look(argument)
	}
	if w.enter == nil || !w.enter(t) {
		return
	}
	w.look(t.Underlying())
	for method := range t.Methods() {
		if method.Exported() {
			w.look(method.Type())
		}
	}
}
