//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the end of the context end git and all that it has started.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
