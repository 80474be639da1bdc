//go:build !unix

package worktree

// nonblock has no meaning here: opening a pipe by its path does not wait.
const nonblock = 0
