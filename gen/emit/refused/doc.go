// Package refused holds programs that must not compile, and what is needed to
// see that they do not: what the emitter makes of a sample protocol, in memory,
// and a type checker that keeps the rule on internal packages as the go command
// does.
//
// Nothing but tests imports it. Each file of testdata is one attack: bad.go
// with the line that must be refused, what it must be refused for, and good.go,
// nearly the same program, which compiles. A weakening of the emitted text is
// held to let some attack through, so that the corpus is known to guard it.
package refused
