//go:build !linux

package main

import "os"

// ancestors is the parent alone where the system does not tell more.
func ancestors() []ancestor { return []ancestor{{pid: os.Getppid()}} }

func terminalName() string { return "/dev/tty" }
