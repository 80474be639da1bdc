package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A process is what /proc/<pid>/stat tells of one.
type process struct {
	name     string
	parent   int
	terminal int64 // device number of the terminal that controls it, 0 for none
}

// processOf reads /proc/<pid>/stat. The name stands in parentheses and may hold
// anything, so what follows is counted from the last closing one.
func processOf(pid int) (process, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	left, right := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if left < 0 || right < left {
		return process{}, fmt.Errorf("process %d has no name", pid)
	}
	fields := bytes.Fields(stat[right+1:])
	if len(fields) < 5 {
		return process{}, fmt.Errorf("process %d tells too little", pid)
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return process{}, fmt.Errorf("the parent of process %d: %w", pid, err)
	}
	terminal, err := strconv.ParseInt(string(fields[4]), 10, 64)
	if err != nil {
		return process{}, fmt.Errorf("the terminal of process %d: %w", pid, err)
	}
	return process{name: string(stat[left+1 : right]), parent: parent, terminal: terminal & 0xffffffff}, nil
}

// ancestors are the processes that led to this one, the nearest first.
func ancestors() []ancestor {
	var all []ancestor
	for pid := os.Getppid(); pid > 0 && len(all) < maxAncestors; {
		found, err := processOf(pid)
		all = append(all, ancestor{name: found.name, pid: pid})
		if err != nil || found.parent == pid {
			break
		}
		pid = found.parent
	}
	return all
}

// terminalName is the device of the terminal that controls this process;
// /dev/tty, through which it is opened, is each process's own.
func terminalName() string {
	own, err := processOf(os.Getpid())
	if err != nil || own.terminal == 0 {
		return "an unknown terminal"
	}
	major, minor := own.terminal>>8&0xfff, own.terminal&0xff|own.terminal>>12&0xfff00
	name := fmt.Sprintf("/dev/tty%d", minor)
	if major >= 136 && major <= 143 {
		name = fmt.Sprintf("/dev/pts/%d", (major-136)<<8+minor)
	}
	var stat unix.Stat_t
	if unix.Stat(name, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFCHR &&
		int64(unix.Major(stat.Rdev)) == major && int64(unix.Minor(stat.Rdev)) == minor {
		return name
	}
	return fmt.Sprintf("terminal %d:%d", major, minor) // of another mount namespace
}
