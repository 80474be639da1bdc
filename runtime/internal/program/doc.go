// Package program runs programs that are not trusted to end, to be brief, or
// to be alone.
//
// A program is resolved once, when a server starts, and refused if anybody but
// root and this user, or an agent in the workspace, could put another in its
// place. Each run looks again, and refuses one that has changed. A run gets an
// environment that is written out whole, no shell, no terminal, a deadline and
// a bound on what it prints; when it is over, so are the processes it started.
//
// What a program loads (the interpreter of a script, libraries, its own
// configuration) is not looked at, and neither are access control lists that
// the mode of a file does not show.
//
// What may not enter: what programs are run for.
package program
