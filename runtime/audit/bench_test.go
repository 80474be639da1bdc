package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// benchmarkAdmit shares the appends out among writers, and the writers among
// logs, each of which is what one process has.
func benchmarkAdmit(b *testing.B, effect gate.Effect, writers, logs int) {
	folder := newFolder(b)
	var opened []*Log
	for range logs {
		opened = append(opened, openLog(b, folder))
	}
	entry := call("J7WQ4XH2MZT5KN3RBD6YVFAG8C", effect)
	var all sync.WaitGroup
	b.ResetTimer()
	for i := range writers {
		all.Go(func() {
			for range (b.N + i) / writers {
				if err := opened[i%logs].Admit(context.Background(), entry); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	perSecond(b, "appends", b.N)
}

func perSecond(b *testing.B, what string, n int) {
	b.Helper()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), what+"/s")
}

func BenchmarkAdmitRead1Writer(b *testing.B)   { benchmarkAdmit(b, gate.Read, 1, 1) }
func BenchmarkAdmitRead8Writers(b *testing.B)  { benchmarkAdmit(b, gate.Read, 8, 1) }
func BenchmarkAdmitRead8Logs(b *testing.B)     { benchmarkAdmit(b, gate.Read, 8, 8) }
func BenchmarkAdmitWrite1Writer(b *testing.B)  { benchmarkAdmit(b, gate.Write, 1, 1) }
func BenchmarkAdmitWrite8Writers(b *testing.B) { benchmarkAdmit(b, gate.Write, 8, 1) }
func BenchmarkAdmitWrite8Logs(b *testing.B)    { benchmarkAdmit(b, gate.Write, 8, 8) }

// What a durable entry costs without a log: one write and one sync.
func BenchmarkRawWriteAndSync(b *testing.B) {
	line := bytes.Repeat([]byte{'x'}, 640)
	file, err := os.OpenFile(filepath.Join(b.TempDir(), "raw"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(b, err)
	raw := systemFile{file}
	for b.Loop() {
		_, err := raw.Write(line)
		require.NoError(b, err)
		require.NoError(b, raw.Sync())
	}
	perSecond(b, "appends", b.N)
}

// What an entry costs without a log and without a lock: one write.
func BenchmarkRawWrite(b *testing.B) {
	line := bytes.Repeat([]byte{'x'}, 640)
	file, err := os.OpenFile(filepath.Join(b.TempDir(), "raw"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(b, err)
	for b.Loop() {
		_, err := file.Write(line)
		require.NoError(b, err)
	}
	perSecond(b, "appends", b.N)
}

// What an entry costs without a log: taking and giving back the lock, and one
// write.
func BenchmarkRawLockAndWrite(b *testing.B) {
	folder := newFolder(b)
	raw, err := newLock(folder)
	require.NoError(b, err)
	line := bytes.Repeat([]byte{'x'}, 640)
	file, err := folder.OpenFile("raw", os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	require.NoError(b, err)
	for b.Loop() {
		_, err := raw.locker.try(raw.file, raw.path)
		require.NoError(b, err)
		_, err = file.Write(line)
		require.NoError(b, err)
		require.NoError(b, raw.release())
	}
	perSecond(b, "appends", b.N)
}

func BenchmarkEncode(b *testing.B) {
	entry := entryOf(call("J7WQ4XH2MZT5KN3RBD6YVFAG8C", gate.Write))
	entry.V, entry.Seq, entry.Prev = version, 1, noEntry
	line := seal(nil, &entry)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		line = seal(line[:0], &entry)
	}
}

func BenchmarkVerify(b *testing.B) {
	text := filled(b, 10000)
	b.SetBytes(int64(len(text)))
	entries := uint64(0)
	for b.Loop() {
		report, err := Verify(bytes.NewReader(text))
		require.NoError(b, err)
		entries += report.Entries
	}
	b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
}

// What verifying cannot do without: the hash of each line.
func BenchmarkSHA256OfALog(b *testing.B) {
	text := filled(b, 10000)
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, line := range lines {
			sha256.Sum256(line)
		}
	}
	perSecond(b, "entries", b.N*len(lines))
}

func BenchmarkOpen(b *testing.B) {
	folder := newFolder(b)
	require.NoError(b, os.WriteFile(filepath.Join(folder.Path(), FileName), filled(b, 10000), 0o600))
	for b.Loop() {
		log, err := Open(context.Background(), folder, options(digestA))
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, log.Close(context.Background()))
		b.StartTimer()
	}
}
