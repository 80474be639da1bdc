// Package vet finds what the compiler lets pass and no program near a permit
// needs: ways round the type system, the one gap of the type checker, permits
// that an exported API gives away, handlers that make nothing of theirs, openers
// with a name, and packages that place themselves where
// they may import what is internal.
//
// [Analyzer] looks at one package and what it imports, [Importers] at the list
// of all packages of a build. Both are pure: who calls them loads packages and
// runs the go command.
package vet
