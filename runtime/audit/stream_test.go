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
// when it is read, and looks now and then at how much memory is in use.
type stream struct {
	left  int
	head  Head
	line  []byte
	rest  []byte
	inUse uint64 // bytes, the most that was seen after the first entries
}

// often is after how many entries a stream looks at the memory.
const often = 100_000

func (s *stream) Read(into []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.left == 0 || s.head.Seq%often == often-1 {
			s.inUse = max(s.inUse, inUse())
		}
		if s.left == 0 {
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

func verifyStream(t testing.TB, entries int) (inUse uint64) {
	t.Helper()
	s := &stream{left: entries}
	report, err := Verify(s)
	require.NoError(t, err)
	require.EqualValues(t, entries, report.Entries)
	return s.inUse
}

// Verifying a million entries needs as much memory as verifying a thousand.
func TestVerifyNeedsNoMoreMemoryForALongerLog(t *testing.T) {
	verifyStream(t, 100)
	short, long := verifyStream(t, 1000), verifyStream(t, 1_000_000)
	require.Less(t, long, short+256<<10, "a million entries took %d bytes more", int64(long)-int64(short))
}

func BenchmarkVerifyTenMillion(b *testing.B) {
	const entries = 10_000_000
	short := verifyStream(b, 1000)
	b.ResetTimer()
	for b.Loop() {
		long := verifyStream(b, entries)
		b.ReportMetric(float64(int64(long)-int64(short))/(1<<10), "KiB-more-than-for-1000")
	}
	perSecond(b, "entries", b.N*entries)
}
