// Package approval holds the ways in which somebody other than the caller is
// asked. Each is a gate.Approver, and each answers every doubt with no.
//
// What may not enter: tools, and decisions that no person made.
package approval
