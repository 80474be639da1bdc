//go:build !unix

package git

import "os/exec"

// ownGroup leaves the default: the end of the context ends git itself.
func ownGroup(*exec.Cmd) {}
