// Package store keeps what several servers of one protocol and workspace must
// agree on beyond the pinned digest: the requests for approval. It implements
// approval.Book on one SQLite file in the state folder.
//
// Every change is one transaction that begins by taking the write lock, then
// ends the live requests whose time has come, and only then does what it was
// asked for; it is on the disk when the method returns. A method that fails
// hands nothing out, so that whoever called it does not go on. Where the system
// failed in the midst of keeping a change, the change may be found kept later:
// an approval may then be used up that let nothing run, never the reverse.
//
// What may not enter this package: what a request means, who may decide it,
// and the audit log.
package store
