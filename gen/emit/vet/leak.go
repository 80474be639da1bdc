package vet

import "go/types"

// leaks reports what is exported and mentions the type of a permit, from where
// type inference would have it.
func (c *checker) leaks() {
	scope := c.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() {
			continue
		}
		if mentions(object.Type(), concrete) {
			c.report(object.Pos(), RuleLeak, name+" gives the type of a permit to whoever uses it")
			continue
		}
		// Contracts have no interfaces but constraints.
		if _, named := object.(*types.TypeName); named && types.IsInterface(object.Type()) && within(c.pass.Pkg.Path(), c.trees) {
			c.shape(object)
		}
	}
}

func concrete(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && permit(named)
}

// shape reports a constraint of a protocol that others could satisfy.
func (c *checker) shape(object types.Object) {
	set, ok := object.Type().Underlying().(*types.Interface)
	if !ok {
		return
	}
	for method := range set.Methods() {
		if method.Exported() {
			c.report(object.Pos(), RuleShape, object.Name()+" has the exported method "+method.Name())
			return
		}
	}
	shapes, sound := terms(set)
	if shapes == 0 || !sound {
		c.report(object.Pos(), RuleShape, object.Name()+" can be satisfied, or inferred, outside of the gate")
	}
}

// terms counts the terms of a constraint. They are sound if each is a ~ of a
// struct with no exported field.
func terms(set *types.Interface) (count int, sound bool) {
	sound = true
	for embedded := range set.EmbeddedTypes() {
		switch t := embedded.Underlying().(type) {
		case *types.Interface:
			more, fine := terms(t)
			count, sound = count+more, sound && fine
		case *types.Union:
			for term := range t.Terms() {
				shape, ok := term.Type().(*types.Struct)
				count++
				sound = sound && term.Tilde() && ok && hidden(shape)
			}
		default:
			return count + 1, false
		}
	}
	return count, sound
}

func hidden(shape *types.Struct) bool {
	for field := range shape.Fields() {
		if field.Exported() {
			return false
		}
	}
	return shape.NumFields() > 0
}
