//go:build unix

package trial

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program into a process group of its own, which the end of the
// context ends. What it returns ends what is left of the group.
func ownGroup(command *exec.Cmd) (end func()) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end = func() {
		if command.Process != nil {
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		}
	}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	return end
}
