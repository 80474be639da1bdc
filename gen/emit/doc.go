// Package emit turns a checked protocol into Go source, rendered in memory: a
// map from path to bytes, the same on every run and every machine. It writes
// nothing.
//
// What it emits is thin: data, types and seals; behaviour lives in runtime.
// Below generated/<id> stand, for all tools together and in source order,
// tool_contracts.go (a constraint and the types of each), internal/permit (the
// permits, the protocol's text, and which modes hold which tools),
// internal/tools (what all modes share of each tool), and for each mode
// internal/<mode> (its sealed tools), a client in <id>test and a command.
// A tool in two phases is two tools there, each with a permit of its own; that
// of the preview has the mark of reads alone.
//
// Protocol text is hostile. Identifiers come from one value (names), comments
// from one writer (syntax.go), and everything else that a protocol says becomes
// a string constant.
package emit
