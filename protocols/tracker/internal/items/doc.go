// Package items keeps work items and the progress reported on them: a SQLite
// database, .tracker/tracker.db in the workspace, in write-ahead mode.
//
// A [Reader] has a connection that cannot write; a [Writer] is made for the
// commit of a tool. Several processes share the database: a change is one
// transaction, which is kept whole or not at all, whatever is killed.
//
// The database may have come with the workspace, from anybody. It is used only
// where folder and files are real ones of this user and of nobody else, where
// its schema is exactly the one below, and with SQLite told not to trust it.
// Texts are data, and kept as they are.
//
// Documents, and what is to be asked before a change, do not belong here.
package items
