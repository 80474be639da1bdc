package audit

import (
	"io"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A stream is the text of a log that nobody has to keep: it makes each entry
// when it is read, and at the end looks at how much memory is in use.
type stream struct {
	left  int
	head  Head
	line  []byte
	rest  []byte
	inUse uint64 // bytes, at the end
}

func (s *stream) Read(into []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.left == 0 {
			s.inUse = inUse()
			return 0, io.EOF
		}
		s.next()
	}
	n := copy(into, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) next() {
	s.left--
	id := "call" + strconv.FormatUint(s.head.Seq/2, 10)
	made := call(id, gate.Read)
	if s.head.Seq%2 == 1 {
		made = result(id, gate.Read)
	}
	entry := entryOf(made)
	entry.V, entry.Seq, entry.Prev = version, s.head.Seq+1, s.head.prev()
	entry.Time = entry.Time.Add(time.Duration(s.head.Seq) * time.Millisecond)
	s.line = seal(s.line[:0], &entry)
	s.rest = s.line
	s.head = Head{Seq: entry.Seq, Hash: entry.Hash}
}

func inUse() uint64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}

// Verifying needs as much memory for a long log as for a short one.
func TestVerifyNeedsNoMoreMemoryForALongerLog(t *testing.T) {
	used := func(entries int) uint64 {
		s := &stream{left: entries}
		report, err := Verify(s)
		require.NoError(t, err)
		require.EqualValues(t, entries, report.Entries)
		return s.inUse
	}
	used(100)
	short, long := used(1000), used(40_000)
	require.Less(t, long, short+1<<20, "a log of %d entries took %d bytes more", 40_000, int64(long)-int64(short))
}

func BenchmarkVerifyAMillion(b *testing.B) {
	before := inUse()
	for b.Loop() {
		s := &stream{left: 1_000_000}
		report, err := Verify(s)
		require.NoError(b, err)
		require.EqualValues(b, 1_000_000, report.Entries)
		b.ReportMetric(float64(int64(s.inUse)-int64(before))/(1<<20), "MiB-in-use-at-the-end")
	}
	perSecond(b, "entries", b.N*1_000_000)
}
