// Package stdio is the MCP transport of a mode's server: one JSON object a
// line, on the standard input and output of the process or on any other pair
// of streams.
//
// A line that is no message is answered and survived, memory is bounded
// whatever comes in, and what the server writes is whole lines of JSON-RPC
// and nothing else.
//
// What may not enter: tools, schemas, the gate.
package stdio
