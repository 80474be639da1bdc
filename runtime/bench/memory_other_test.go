//go:build !linux

package bench

import "os"

// What memory a process takes is told on Linux alone.
func resident(int) string { return "unknown" }

func peak(*os.ProcessState) string { return "unknown" }
