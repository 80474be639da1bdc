//go:build !unix

package document

// nonblock has no meaning here: opening a pipe by its path does not wait.
const nonblock = 0
