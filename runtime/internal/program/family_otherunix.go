//go:build unix && !linux

package program

import "syscall"

// alone gives a program a session, so a group and no terminal.
func alone() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// live starts the program and sees it to its end. Here a program cannot be
// waited for without giving its number back, so what it leaves behind is killed
// after that, and after its output was waited for.
func (r *run) live() {
	err := r.command.Start()
	if err == nil {
		r.family.begin(r.command.Process.Pid)
	}
	r.started <- err
	if err != nil {
		return
	}
	r.err = r.command.Wait()
	r.family.finish()
	close(r.ended)
}
