// Package e2e holds tests that run the servers of protocol greenfield as their
// users do: as programs of their own, spoken to over stdio, on a real
// repository. It has nothing else in it.
package e2e
