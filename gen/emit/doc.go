// Package emit turns a checked protocol into Go source, rendered in memory: a
// map from path to bytes, the same on every run and every machine. It writes
// nothing.
//
// What it emits is thin: data, types and seals; behaviour lives in runtime.
// Protocol text is hostile. Identifiers come from one value (names), comments
// from one writer (syntax.go), and everything else that a protocol says becomes
// a string constant.
package emit
