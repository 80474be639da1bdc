// Package vet finds what the compiler lets pass and a protocol should not: ways
// round the gate that are no longer ordinary Go (reflect, unsafe, linkname,
// assembly), the one gap of the type checker (sets of types that are empty),
// permits that an exported API gives away, and clients that can be opened
// without their guard. It looks at one type-checked package at a time, so it
// cannot say who else imports what is internal.
//
// It starts no process and reads no file: whoever runs [Analyzer] brings the
// package.
package vet
