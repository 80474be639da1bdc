// Package state is the folder in which the servers of one protocol and one
// workspace keep what they share: the pinned digest, the texts of protocols that were pinned
// and the current mode here, which
// servers are there, the audit log in package audit.
//
// The folder lies outside the workspace, so that no file tool of an agent and
// no cloned repository reaches it. It is opened once, without following links
// below the home folder, and everything in it is reached through the opened
// folder and never again by path. A folder or file that belongs to somebody
// else, lets others in, or is not what it should be is refused with an [Error]
// that says what to do; nothing is repaired by guessing.
//
// What may not enter this package: the log, the gate, what a protocol
// means: its text is kept and not read.
package state
