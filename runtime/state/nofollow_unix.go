//go:build unix

package state

import "syscall"

const noFollow = syscall.O_NOFOLLOW
