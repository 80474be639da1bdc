//go:build unix

package program

import (
	"sync"
	"syscall"
)

// A family is the group of processes that a program starts in.
type family struct {
	mu    sync.Mutex
	group int // 0 before it is there and after it is over
}

func (f *family) begin(group int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.group = group
}

func (f *family) signal(signal syscall.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.group > 1 {
		_ = syscall.Kill(-f.group, signal) // nobody left is as good
	}
}

func (f *family) terminate() { f.signal(syscall.SIGTERM) }
func (f *family) kill()      { f.signal(syscall.SIGKILL) }

// finish kills whoever is left. From then on the number is not used, for it
// may soon be that of another group.
func (f *family) finish() {
	f.kill()
	f.begin(0)
}
