package program

import (
	"errors"
	"sync"
)

// An output keeps what a program prints, up to a bound.
type output struct {
	mu    sync.Mutex
	kept  []byte
	bound int
	flood func() // called when there is more; may be called again
}

var errFlooded = errors.New("it printed too much")

// Write fails beyond the bound, so that nobody reads on.
func (o *output) Write(printed []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	room := min(o.bound-len(o.kept), len(printed))
	o.kept = append(o.kept, printed[:room]...)
	if room < len(printed) {
		o.flood()
		return room, errFlooded
	}
	return room, nil
}

func (o *output) bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]byte(nil), o.kept...)
}

// tail returns the last of it, n bytes at most.
func (o *output) tail(n int) string {
	all := o.bytes()
	return string(all[max(0, len(all)-n):])
}
