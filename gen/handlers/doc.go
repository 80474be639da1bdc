// Package handlers finds the Go functions that a protocol's tools name, and
// says what is missing: a stub, once, where nothing stands in its way, and the
// signature to paste otherwise. It parses the sources it is handed and reads
// nothing itself; whether they compile is the compiler's business.
package handlers
