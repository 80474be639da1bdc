// Package seal lets the packages of runtime recognise each other. What asks
// for a seal can be called from runtime/... and from nowhere else.
//
// It works twice over. Outside runtime the type cannot be named, and the
// constraint Only keeps type inference from carrying it out; and a seal that
// was not made by Make is refused when the program runs.
package seal

// Seal is the proof. Its zero value proves nothing.
type Seal struct{ made bool }

// Only is the shape of a Seal, as a constraint: a function that takes a type
// parameter of it has no value without an instantiation, and outside runtime
// nothing can instantiate it.
type Only interface{ ~struct{ made bool } }

// Make returns a seal that Made accepts.
func Make() Seal { return Seal{made: true} }

// Made reports whether s came from Make.
func Made[S Only](s S) bool { return (struct{ made bool })(s).made }
