// Package protocols is where this repository's own protocols live, a folder
// each: the protocol file, and the package of its handlers where it has any.
// What generation makes of them is under generated.
package protocols

//go:generate go run ../cmd/gatewright generate ./...
