package state

import (
	"os"
	"strconv"
)

// Session names whoever started this process: the id of the parent process
// and, where the system tells, when that one started, in clock ticks since the
// machine did. It is recorded, and nothing is bound to it.
func Session() string {
	parent := strconv.Itoa(os.Getppid())
	if start := startOf(parent); start != "" {
		return parent + ":" + start
	}
	return parent
}
