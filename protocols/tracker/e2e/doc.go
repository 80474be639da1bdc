// Package e2e tests the protocol tracker as it is used: its two servers as
// processes, a real MCP client in both eras, a person at a terminal, and the
// database read with SQL.
package e2e
