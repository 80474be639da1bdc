// Package git is what this protocol knows of a git repository. It runs the real
// git, and keeps the repository from running anything itself.
//
// A repository can name programs in many places: hooks, filters, drivers of
// diff and merge, a file system monitor, transports, signatures. Whoever could
// write into it would then run in the process of whoever reviews it. So content
// is never handled with the repository's own configuration: for each operation
// there is a git folder of our own, a [shadow], which shares nothing with the
// repository but its objects. Only refs are reached through the repository's git
// folder, with commands that look at no content.
//
// Commits are named by full ids alone, replacement refs are off, and attributes
// of the work tree do not reach a diff, so what is shown is what is merged.
//
// Files of the work tree are read and written by package worktree, also where a
// merge or another branch brings new ones: see checkout.
//
// What the protocol records stands in refs of its own, below refs/gatewright,
// and moves together with the branches in one transaction. Whoever may write
// refs by other means can forge any of it.
package git
