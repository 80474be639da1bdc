package audit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A faulty file does something else where a function is given.
type faulty struct {
	file
	write    func([]byte) (int, error)
	sync     func() error
	truncate func(int64) error
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.write != nil {
		return f.write(b)
	}
	return f.file.Write(b)
}

func (f *faulty) Sync() error {
	if f.sync != nil {
		return f.sync()
	}
	return f.file.Sync()
}

func (f *faulty) Truncate(size int64) error {
	if f.truncate != nil {
		return f.truncate(size)
	}
	return f.file.Truncate(size)
}

// requireEntries waits until the log has so many entries.
func requireEntries(t *testing.T, log *Log, n uint64) {
	t.Helper()
	require.Eventually(t, func() bool {
		head, err := log.Head(context.Background())
		return err == nil && head.Seq == n
	}, time.Minute, time.Millisecond)
}

func TestINV3_WriteEntryIsDurableBeforeAdmitReturns(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	var durable atomic.Value
	real := log.file
	log.file = &faulty{file: real, sync: func() error {
		text := content(t, folder)
		err := real.Sync()
		durable.Store(string(text))
		return err
	}}
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	require.Contains(t, durable.Load(), `"call":"one"`)
}

func TestINV3_AdmitWaitsForASyncThatBeganAfterItsEntry(t *testing.T) {
	log := openLog(t, newFolder(t))
	began, goOn := make(chan struct{}, 10), make(chan struct{})
	log.file = &faulty{file: log.file, sync: func() error { began <- struct{}{}; <-goOn; return nil }}

	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- log.Admit(context.Background(), call("first", gate.Write)) }()
	<-began
	go func() { second <- log.Admit(context.Background(), call("second", gate.Write)) }()
	requireEntries(t, log, 3)
	goOn <- struct{}{} // ends the sync that began before the second entry
	require.NoError(t, <-first)
	select {
	case <-began:
	case <-second:
		require.Fail(t, "the second entry was called durable by a sync that began before it")
	}
	require.Empty(t, second)
	goOn <- struct{}{}
	require.NoError(t, <-second)
}

func TestINV3_OneSyncServesAllEntriesBeforeIt(t *testing.T) {
	log := openLog(t, newFolder(t))
	var syncs atomic.Int64
	goOn := make(chan struct{})
	log.file = &faulty{file: log.file, sync: func() error { syncs.Add(1); <-goOn; return nil }}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { require.NoError(t, log.Admit(context.Background(), call("x", gate.Write))) })
	}
	requireEntries(t, log, 51)
	close(goOn)
	all.Wait()
	require.LessOrEqual(t, syncs.Load(), int64(2))
}

func TestINV3_AFailedSyncRefusesAndPoisons(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	fails := &faulty{file: log.file, sync: func() error { return syscall.EIO }}
	log.file = fails
	broken := new(BrokenError)
	require.ErrorAs(t, log.Admit(context.Background(), call("one", gate.Write)), &broken)
	require.ErrorIs(t, broken, syscall.EIO)

	fails.sync = nil // the next sync would report success
	size := len(content(t, folder))
	require.ErrorAs(t, log.Admit(context.Background(), call("two", gate.Write)), &broken)
	require.ErrorAs(t, log.Admit(context.Background(), call("two", gate.Read)), &broken)
	require.ErrorAs(t, log.Record(context.Background(), result("one", gate.Write)), &broken)
	require.Len(t, content(t, folder), size)
	require.Error(t, log.Close(context.Background()))
}

func TestINV3_AHangingSyncRefusesWhenTheCallEnds(t *testing.T) {
	log := openLog(t, newFolder(t))
	began, goOn := make(chan struct{}), make(chan struct{})
	log.file = &faulty{file: log.file, sync: func() error { close(began); <-goOn; return nil }}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-began; cancel() }()
	require.ErrorIs(t, log.Admit(ctx, call("one", gate.Write)), context.Canceled)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, log.Close(ended), context.Canceled)
	close(goOn)
}

func TestINV3_AFailedWriteIsTakenBack(t *testing.T) {
	for name, write := range map[string]func(file, []byte) (int, error){
		"nothing written":        func(file, []byte) (int, error) { return 0, syscall.ENOSPC },
		"half written":           func(f file, b []byte) (int, error) { n, _ := f.Write(b[:len(b)/2]); return n, syscall.ENOSPC },
		"half written, no error": func(f file, b []byte) (int, error) { return f.Write(b[:len(b)/2]) },
		"all written but an error": func(f file, b []byte) (int, error) {
			n, _ := f.Write(b)
			return n, syscall.EIO
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := newFolder(t)
			log := openLog(t, folder)
			before := content(t, folder)
			real := log.file
			log.file = &faulty{file: real, write: func(b []byte) (int, error) { return write(real, b) }}
			require.Error(t, log.Admit(context.Background(), call("one", gate.Write)))
			require.Error(t, log.Admit(context.Background(), call("one", gate.Read)))
			require.Equal(t, before, content(t, folder))

			log.file = real
			require.NoError(t, log.Admit(context.Background(), call("two", gate.Write)))
			require.EqualValues(t, 2, verified(t, folder).Entries)
		})
	}
}

func TestINV3_AWriteThatCannotBeTakenBackEndsTheLog(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	real := log.file
	log.file = &faulty{file: real,
		write:    func(b []byte) (int, error) { n, _ := real.Write(b[:9]); return n, syscall.ENOSPC },
		truncate: func(int64) error { return syscall.EIO }}
	broken := new(BrokenError)
	require.ErrorAs(t, log.Record(context.Background(), call("one", gate.Read)), &broken)
	log.file = real
	require.ErrorAs(t, log.Record(context.Background(), call("two", gate.Read)), &broken)

	again := openLog(t, folder) // a new process repairs it
	require.NoError(t, again.Admit(context.Background(), call("three", gate.Write)))
	all := entries(t, folder)
	require.Equal(t, LogRepaired, all[1].Event)
	require.Equal(t, "9", all[1].Details["bytes"])
	aside, err := os.ReadFile(filepath.Join(folder.Path(), all[1].Details["file"]))
	require.NoError(t, err)
	require.Len(t, aside, 9)
}

func TestINV3_ReadsAreNotSynced(t *testing.T) {
	log := openLog(t, newFolder(t))
	real := log.file
	log.file = &faulty{file: real, sync: func() error { return errors.New("synced") }}
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Read)))
	require.NoError(t, log.Record(context.Background(), result("one", gate.Read)))
	require.Error(t, log.Admit(context.Background(), call("two", 0)), "no effect counts as a write")
}

func TestEntriesKeepTheirPlaceInTheChain(t *testing.T) {
	folder := newFolder(t)
	log, other := openLog(t, folder), openLog(t, folder)
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	require.NoError(t, other.Admit(context.Background(), call("two", gate.Write)))
	require.NoError(t, log.Record(context.Background(), result("one", gate.Write)))
	report := verified(t, folder)
	require.EqualValues(t, 4, report.Entries)
	require.Len(t, report.InFlight, 1)
	require.Equal(t, OpenCall{Seq: 3, Time: time.Unix(1700000000, 123456789).UTC(), Mode: "implement", Tool: "edit", Effect: "write", Call: "two"}, report.InFlight[0])
	head, err := other.Head(context.Background())
	require.NoError(t, err)
	require.Equal(t, report.Head, head)
	require.Equal(t, noEntry, entries(t, folder)[0].Prev)
}

// A process that was idle for long does not keep the others waiting while it
// reads what they wrote.
func TestALongBacklogIsReadBeforeTheLockIsTaken(t *testing.T) {
	folder := newFolder(t)
	o := options(digestA)
	o.LockTimeout = 20 * time.Millisecond
	idle, err := Open(context.Background(), folder, o)
	require.NoError(t, err)
	busy := openLog(t, folder)
	for range 300 {
		require.NoError(t, busy.Record(context.Background(), call("one", gate.Read)))
	}
	held, err := newLock(folder)
	require.NoError(t, err)
	require.NoError(t, held.acquire(context.Background(), time.Time{}))
	late := new(LockError)
	require.ErrorAs(t, idle.Record(context.Background(), call("two", gate.Read)), &late)
	require.EqualValues(t, 301, idle.head.Seq)
	require.NoError(t, held.release())
	require.NoError(t, idle.Record(context.Background(), call("two", gate.Read)))
	verified(t, folder)
}

func TestARefusedAdmissionIsNotInFlight(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	refused := call("one", gate.Write)
	refused.Decision, refused.Code = gate.Refused, gate.AuditUnavailable
	require.NoError(t, log.Record(context.Background(), refused))
	require.Empty(t, verified(t, folder).InFlight)
}

func TestINV4_AnEntryThatDoesNotEndLeadsToARefusal(t *testing.T) {
	log := openLog(t, newFolder(t))
	log.options.LockTimeout = 10 * time.Millisecond
	log.turn <- struct{}{}
	defer func() { <-log.turn }()
	late := new(LockError)
	require.ErrorAs(t, log.Admit(context.Background(), call("one", gate.Write)), &late)
}

// The lock is opened by path. Where another folder stands at the path by now,
// its lock is worth nothing.
func TestINV4_TheLockOfAnotherFolderDoesNotCount(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, os.Rename(folder.Path(), folder.Path()+"2"))
	require.NoError(t, os.Mkdir(folder.Path(), 0o700))
	require.Error(t, log.Admit(context.Background(), call("one", gate.Read)), "no lock there")
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), LockName), nil, 0o600))
	require.ErrorIs(t, log.Admit(context.Background(), call("one", gate.Read)), errSwapped)

	require.NoError(t, os.RemoveAll(folder.Path()))
	require.NoError(t, os.Rename(folder.Path()+"2", folder.Path()))
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
}

// A lock file that was removed and made anew is the one that everybody locks
// from then on.
func TestINV4_ANewLockFileIsTheLock(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	log.options.LockTimeout = 10 * time.Millisecond
	path := filepath.Join(folder.Path(), LockName)
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, log.Admit(context.Background(), call("one", gate.Write)), fs.ErrNotExist)

	other, err := newLock(folder)
	require.NoError(t, err)
	taken, err := other.try()
	require.NoError(t, err)
	require.True(t, taken)
	late := new(LockError)
	require.ErrorAs(t, log.Admit(context.Background(), call("one", gate.Write)), &late, "somebody else has it")
	require.NoError(t, errors.Join(other.release(), other.close()))
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	require.EqualValues(t, 2, verified(t, folder).Entries)
}

func TestClosedLogRefuses(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Close(context.Background()))
	require.NoError(t, log.Close(context.Background()))
	require.ErrorIs(t, log.Admit(context.Background(), call("one", gate.Read)), ErrClosed)
	require.EqualValues(t, 1, verified(t, folder).Entries)
}

func TestCloseGivesUpWhenItsContextEnds(t *testing.T) {
	log := openLog(t, newFolder(t))
	log.turn <- struct{}{} // an entry that does not come to an end
	defer func() { <-log.turn }()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, log.Close(ctx), context.Canceled)
}

func TestHostileTextStaysInItsLine(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	hostile := []string{"a\nb", "\r\n", "\x00\x1b[2J", "\u2028\u2029\u0085", "\xff\xfe", "\"},{\"v\":1", `\`, "\u202egnp.exe", "😀", strings.Repeat("é", 5000), strings.Repeat("\x01", 5000)}
	for _, text := range hostile {
		entry := call(text, gate.Read)
		entry.Tool, entry.Mode, entry.Actor, entry.Session, entry.Args, entry.Code = text, text, text, text, text, gate.Code(text)
		entry.Recorded = map[string]string{text: text, "/x": text}
		entry.Approval = &gate.Approval{ID: text, Provider: text, Approver: text, Decision: text, Reason: text}
		require.NoError(t, log.Record(context.Background(), entry))
	}
	text := content(t, folder)
	require.EqualValues(t, len(hostile)+1, verified(t, folder).Entries)
	require.Equal(t, len(hostile)+1, bytes.Count(text, []byte{'\n'}))
	for _, b := range bytes.ReplaceAll(text, []byte{'\n'}, nil) {
		require.True(t, b >= ' ' && b <= '~')
	}
	require.Equal(t, "😀", entries(t, folder)[9].Actor)
	require.Equal(t, "\ufffd\ufffd", entries(t, folder)[5].Actor)
	require.True(t, strings.HasSuffix(entries(t, folder)[10].Actor, "é…"))
}

func TestTextIsCutWithinItsBound(t *testing.T) {
	for limit := 16; limit < 64; limit++ {
		for _, character := range []string{"x", `"`, "é", "😀", "\xff", "\n"} {
			for n := range 80 {
				text := "ab" + strings.Repeat(character, n)
				kept := bound(text, limit)
				require.LessOrEqual(t, len(appendText(nil, kept))-2, limit)
				if len(appendText(nil, text))-2 <= limit {
					require.Equal(t, valid(text), kept)
				} else {
					require.True(t, strings.HasSuffix(kept, ellipsis))
				}
			}
		}
	}
}

func TestTheLargestEntryFits(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	big := strings.Repeat("\x00", 1<<20)
	entry := gate.Entry{Event: gate.Event(big), Time: time.Now(), Protocol: big, Digest: big, Mode: big, Tool: big, CallID: big, Actor: big,
		Session: big, Args: big, Decision: big, Outcome: big, Code: gate.Code(big), Recorded: map[string]string{},
		Approval: &gate.Approval{ID: big, Provider: big, Approver: big, Decision: big, Reason: big}}
	for i := range 1000 {
		entry.Recorded[strings.Repeat(string(rune('a'+i%26)), 1+i)] = big
	}
	require.NoError(t, log.Record(context.Background(), entry))
	verified(t, folder)
	require.Equal(t, "cut", entries(t, folder)[1].Recorded["…"])
	require.Less(t, len(log.line), maxLine-1024)
}

func TestAYearThatCannotBeReadIsNotWritten(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	entry := call("one", gate.Read)
	for _, year := range []int{-1, 10000} {
		entry.Time = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		require.Error(t, log.Record(context.Background(), entry))
	}
	require.EqualValues(t, 1, verified(t, folder).Entries)
}

// A refusal under the id of a call that runs says nothing about that call,
// unless it is that its admission could not be kept.
func TestINV3_ARefusalHidesNoCallThatRuns(t *testing.T) {
	for code, running := range map[gate.Code]int{
		gate.ApprovalUnasked: 1, gate.ApprovalUsed: 1, gate.ArgumentsInvalid: 1, gate.AuditUnavailable: 0, gate.Internal: 0,
	} {
		folder := newFolder(t)
		log := openLog(t, folder)
		require.NoError(t, log.Admit(t.Context(), call("one", gate.Write)))
		refused := call("one", gate.Write)
		refused.Decision, refused.Code = gate.Refused, code
		require.NoError(t, log.Record(t.Context(), refused))
		require.Len(t, verified(t, folder).InFlight, running, code)
	}
}
