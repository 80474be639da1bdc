//go:build !unix

package program

import (
	"os"
	"sync"
	"syscall"
)

func alone() *syscall.SysProcAttr { return nil }

// A family is the program alone: what it starts is not known here.
type family struct {
	mu      sync.Mutex
	process *os.Process
}

func (f *family) terminate() { f.kill() }

func (f *family) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.process != nil {
		_ = f.process.Kill()
	}
}

// live starts the program and sees it to its end.
func (r *run) live() {
	err := r.command.Start()
	if err == nil {
		r.family.mu.Lock()
		r.family.process = r.command.Process
		r.family.mu.Unlock()
	}
	r.started <- err
	if err != nil {
		return
	}
	r.err = r.command.Wait()
	close(r.ended)
}
