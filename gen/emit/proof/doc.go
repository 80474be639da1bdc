// Package proof holds the attacks on what the emitter makes: programs that
// must not compile, programs that must be refused when they run, and the
// weakenings of the emitted code that these must notice. It has tests alone.
package proof
