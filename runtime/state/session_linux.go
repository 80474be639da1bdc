package state

import (
	"bytes"
	"os"
)

// startOf returns the start time of a process: field 22 of /proc/<pid>/stat.
// The second field is a name in parentheses that may hold anything, so fields
// are counted from the last closing one.
func startOf(pid string) string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const start = 22 - 3
	if len(fields) <= start {
		return ""
	}
	return string(fields[start])
}
