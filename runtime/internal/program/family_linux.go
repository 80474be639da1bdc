package program

import (
	"errors"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// alone gives a program a session, so a group and no terminal, and has it
// killed when the thread that starts it ends: see live.
func alone() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// live starts the program and sees it to its end, on one thread that ends no
// sooner: the system takes the end of that thread for the death of the parent.
func (r *run) live() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := r.command.Start()
	if err == nil {
		r.family.begin(r.command.Process.Pid)
	}
	r.started <- err
	if err != nil {
		return
	}
	for { // waits, and leaves it a zombie: its number, and that of its group, stay taken
		err := unix.Waitid(unix.P_PID, r.command.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	r.family.finish()
	r.err = r.command.Wait()
	close(r.ended)
}
