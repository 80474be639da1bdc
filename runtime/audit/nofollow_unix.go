//go:build aix || solaris

package audit

import "syscall"

const noFollow = syscall.O_NOFOLLOW
