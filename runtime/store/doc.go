// Package store keeps what several servers of one protocol and workspace must
// agree on beyond the pinned digest: the requests for approval, and the plans of
// previews. It implements approval.Book and preview.Plans on one SQLite file in
// the state folder.
//
// Every change is one transaction that begins by taking the write lock, then
// ends the live requests and the plans whose time has come, and only then does
// what it was asked for; it is on the disk when the method returns. A method
// that fails hands nothing out, so that whoever called it does not go on. Where
// the system failed in the midst of keeping a change, the change may be found
// kept later: an approval may then be used up, or a plan begun, that let nothing
// run, never the reverse.
//
// # Time
//
// Time is the wall clock, read under the write lock. What was once found to be
// over stays over, whatever the clock does then. A clock that jumps forward takes
// that much time from a request or a plan, and no more. One that was set back by
// up to a minute gives it as much; further back than a minute before it was made,
// nobody can tell how long it has lived, and it is over. Set back by less than
// its age, and before anybody found it to be over, a clock gives it as much time
// as it was set back by: the store knows no other clock.
//
// # Plans
//
// A plan is begun once, in the transaction that writes down by whom: a file
// whose lock its process holds. So long as the system says that somebody holds
// it, the commit is in progress; once nobody does, it was interrupted, which is
// written down, and from then on only a person changes what is told of it. How a
// commit ended is kept for 30 days, that there was a plan for 400, and both are
// pruned a few at a time when another plan is kept.
//
// What may not enter this package: what a request or a plan means, who may
// decide or carry one out, and the audit log.
package store
