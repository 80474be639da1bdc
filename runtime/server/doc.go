// Package server serves one mode of a protocol as an MCP server over stdio,
// and lets a person call its tools from a terminal. It is where the gate is
// made: it brings the codec, the audit log, the approver and the clock
// together, and every call of a tool, whoever makes it, goes through that one
// gate.
//
// Nothing here can be turned off. The flags of a mode's binary say where the
// work is and who is working; the environment is not read. No exported name
// gives out the SDK's server, a gate or a handler.
package server
