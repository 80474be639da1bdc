package bench

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// resident is the memory of a running process, in MiB.
func resident(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return mebi(kilobytes << 10)
		}
	}
	return "unknown"
}

// peak is the most memory that a process had, in MiB.
func peak(state *os.ProcessState) string {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return mebi(usage.Maxrss << 10)
	}
	return "unknown"
}
