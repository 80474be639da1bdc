package trial

import (
	"fmt"
	"strings"
	"sync"
)

// ends keeps the beginning of what is written, and the end.
type ends struct {
	head, tail int

	mutex sync.Mutex
	first []byte
	last  []byte // up to twice the tail
	all   int64
}

// Write takes everything.
func (e *ends) Write(data []byte) (int, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.all += int64(len(data))
	taken := min(len(data), e.head-len(e.first))
	e.first = append(e.first, data[:taken]...)
	rest := data[taken:]
	if len(rest) > e.tail {
		rest = rest[len(rest)-e.tail:]
	}
	e.last = append(e.last, rest...)
	if len(e.last) > 2*e.tail {
		e.last = append(e.last[:0], e.last[len(e.last)-e.tail:]...)
	}
	return len(data), nil
}

// text returns what was kept, with a note where something is missing, and how
// many bytes that is.
func (e *ends) text() (text string, left int64) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	last := e.last[max(0, len(e.last)-e.tail):]
	left = e.all - int64(len(e.first)) - int64(len(last))
	first := string(e.first)
	if left > 0 {
		first += fmt.Sprintf("\n[... %d bytes left out ...]\n", left)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(first+string(last), "\uFFFD"), "\x00", "\uFFFD"), left
}
