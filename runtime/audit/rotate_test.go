package audit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func rotate(t testing.TB, folder *state.Folder) Entry {
	t.Helper()
	entry, err := Rotate(context.Background(), folder, "ada", "1:2")
	require.NoError(t, err)
	return entry
}

func callOnce(t testing.TB, log *Log, id string) {
	t.Helper()
	require.NoError(t, log.Admit(context.Background(), call(id, gate.Write)))
	require.NoError(t, log.Record(context.Background(), result(id, gate.Write)))
}

func whole(t testing.TB, folder *state.Folder) Report {
	t.Helper()
	report, err := VerifyFolder(context.Background(), folder)
	require.NoError(t, err)
	return report
}

// everything reads the log in all its files.
func everything(t testing.TB, folder *state.Folder) []Entry {
	t.Helper()
	r, err := NewReader(context.Background(), folder)
	require.NoError(t, err)
	defer func() { _ = r.Close() }()
	return rest(t, r)
}

func rest(t testing.TB, r *Reader) []Entry {
	t.Helper()
	var all []Entry
	for {
		entry, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, entry)
	}
}

func TestINV3_ALogGoesOnInANewFile(t *testing.T) {
	folder := newFolder(t)
	idle, busy := openLog(t, folder), openLog(t, folder)
	callOnce(t, busy, "one")
	first := rotate(t, folder)
	require.Equal(t, LogRotated, first.Event)
	require.Equal(t, digestA, first.Digest)
	require.Equal(t, "audit.1.jsonl", first.Details["file"])
	require.EqualValues(t, 4, first.Seq)
	callOnce(t, busy, "two")
	require.Equal(t, "audit.4.jsonl", rotate(t, folder).Details["file"])
	rotate(t, folder) // one with nothing but its first entry
	callOnce(t, idle, "three")
	callOnce(t, openLog(t, folder), "four")
	callOnce(t, busy, "five")

	report := whole(t, folder)
	require.Equal(t, 4, report.Files)
	require.EqualValues(t, 1+3+5*2, report.Entries)
	require.Empty(t, report.InFlight)
	var bytes int64
	for _, name := range []string{"audit.1.jsonl", "audit.4.jsonl", "audit.7.jsonl", FileName} {
		info, err := os.Stat(filepath.Join(folder.Path(), name))
		require.NoError(t, err)
		bytes += info.Size()
	}
	require.Equal(t, bytes, report.Bytes)
	for i, entry := range everything(t, folder) {
		require.EqualValues(t, i+1, entry.Seq)
	}
	last, err := Last(context.Background(), folder)
	require.NoError(t, err)
	require.Equal(t, Head{Seq: last.Seq, Hash: last.Hash}, report.Head)
}

func TestNothingIsRotatedBeforeAServerWrote(t *testing.T) {
	folder := newFolder(t)
	_, err := Rotate(context.Background(), folder, "ada", "1:2")
	require.ErrorIs(t, err, ErrNotPinned)
	require.NoFileExists(t, filepath.Join(folder.Path(), FileName))
}

// state.json names an entry by where it stands, which after a rotation is in
// another file.
func TestINV3_TheProtocolInForceSurvivesRotation(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	callOnce(t, log, "one")
	rotate(t, folder)
	rotate(t, folder)
	fresh := openLog(t, folder) // it has to find the entry
	callOnce(t, fresh, "two")
	require.NoError(t, os.Remove(filepath.Join(folder.Path(), state.FileName)))
	callOnce(t, fresh, "three") // and to find it again, to make the file
	whole(t, folder)

	require.NoError(t, Adopt(context.Background(), folder, Adoption{Protocol: "sample", From: digestA, To: digestOf(newText), Text: newText}))
	require.Error(t, fresh.Admit(context.Background(), call("four", gate.Write)))
	adopted := whole(t, folder)
	require.Equal(t, digestOf(newText), rotate(t, folder).Digest)
	require.Equal(t, adopted.Entries+1, whole(t, folder).Entries)

	o := options(digestOf(newText))
	next, err := Open(context.Background(), folder, o)
	require.NoError(t, err)
	entry := call("five", gate.Write)
	entry.Digest = digestOf(newText)
	require.NoError(t, next.Admit(context.Background(), entry))
	require.NoError(t, next.Close(context.Background()))
	require.Error(t, log.Admit(context.Background(), call("six", gate.Write)))
	whole(t, folder)
}

// An adoption that was killed after its entry was written is completed by
// whoever rotates, from the file that the entry is in.
func TestINV3_ARotationSettlesAnAdoption(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	rotate(t, folder)
	callOnce(t, log, "one")
	require.NoError(t, log.enter(context.Background(), log.catchUp))
	intended := log.vouch.state
	intended.Pending = &state.Pending{Digest: digestOf(newText), Seq: log.head.Seq + 1, Offset: log.base + log.offset}
	_, err := folder.Write(intended)
	require.NoError(t, err)
	log.options.Digest = digestOf(newText)
	entry := log.own(ProtocolAdopted, map[string]string{"from": digestA})
	require.NoError(t, log.write(&entry))
	require.NoError(t, log.leave())
	whole(t, folder) // what a crash left is no damage

	require.Equal(t, digestOf(newText), rotate(t, folder).Digest)
	whole(t, folder)
}

// What a kill leaves between two steps is no obstacle to anybody.
func TestINV3_AnInterruptedRotationIsNone(t *testing.T) {
	in := func(folder *state.Folder, name string) string { return filepath.Join(folder.Path(), name) }
	for name, leave := range map[string]func(folder *state.Folder){
		"the old name": func(folder *state.Folder) {
			require.NoError(t, os.Link(in(folder, FileName), in(folder, "audit.1.jsonl")))
		},
		"the old name and half of a new file": func(folder *state.Folder) {
			require.NoError(t, os.Link(in(folder, FileName), in(folder, "audit.1.jsonl")))
			require.NoError(t, os.WriteFile(in(folder, FileName+".new"), []byte(`{"v":1,"se`), 0o600))
		},
	} {
		folder := newFolder(t)
		log := openLog(t, folder)
		callOnce(t, log, "one")
		leave(folder)
		callOnce(t, log, "two")
		callOnce(t, openLog(t, folder), "three")
		require.Equal(t, 1, whole(t, folder).Files, name)
		require.EqualValues(t, 7, whole(t, folder).Entries)
		require.Len(t, everything(t, folder), 7)
		rotate(t, folder)
		callOnce(t, log, "four")
		require.Equal(t, 2, whole(t, folder).Files, name)
		require.EqualValues(t, 10, whole(t, folder).Entries)
	}
}

// A file that takes the place of the log counts only if the chain of the old
// one leads to it.
func TestINV4_OnlyARotationReplacesTheLog(t *testing.T) {
	const forgedDigest = digestB
	forge := func(seq uint64, head Head, details map[string]string) []byte {
		entry := Entry{V: 1, Seq: seq, Event: LogRotated, Protocol: "sample", Digest: forgedDigest, Details: details, Prev: head.prev()}
		return seal(nil, &entry)
	}
	real := func(l *Log) map[string]string {
		return map[string]string{"file": "audit.1.jsonl", "seq": "3", "hash": l.head.Hash, "offset": itoa(l.offset)}
	}
	for name, replace := range map[string]func(l *Log) []byte{
		"a copy of the log": func(l *Log) []byte { return content(t, l.folder) },
		"nothing":           func(*Log) []byte { return nil },
		"another chain":     func(*Log) []byte { return filled(t, 10) },
		"another hash": func(l *Log) []byte {
			details := real(l)
			details["hash"] = noEntry
			return forge(4, l.head, details)
		},
		"another previous hash": func(l *Log) []byte { return forge(4, Head{Seq: 3, Hash: noEntry}, real(l)) },
		"another number":        func(l *Log) []byte { return forge(5, l.head, real(l)) },
		"another offset": func(l *Log) []byte {
			details := real(l)
			details["offset"] = itoa(l.offset + 1)
			return forge(4, l.head, details)
		},
		"another event": func(l *Log) []byte {
			entry := Entry{V: 1, Seq: 4, Event: LogRepaired, Protocol: "sample", Digest: forgedDigest, Details: real(l), Prev: l.head.prev()}
			return seal(nil, &entry)
		},
		"a line of no form": func(*Log) []byte { return []byte("{}\n") },
	} {
		for _, kept := range []string{"audit.1.jsonl", "elsewhere"} {
			folder := newFolder(t)
			log := openLog(t, folder)
			callOnce(t, log, "one")
			text := replace(log)
			require.NoError(t, os.Rename(filepath.Join(folder.Path(), FileName), filepath.Join(folder.Path(), kept)))
			require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), text, 0o600))
			requireDamage(t, log.Admit(context.Background(), call("two", gate.Write)))
			after, err := os.ReadFile(filepath.Join(folder.Path(), FileName))
			require.NoError(t, err)
			require.Equal(t, string(text), string(after), "%s: nothing was appended", name)
			if kept == "audit.1.jsonl" {
				_, err := VerifyFolder(context.Background(), folder)
				require.Error(t, err, name)
				if name == "another offset" || name == "another event" { // which the file by itself does not show
					continue
				}
				_, err = Open(context.Background(), folder, options(digestA))
				require.Error(t, err, name)
				require.Equal(t, string(text), string(content(t, folder)), name)
			}
		}
	}

	folder := newFolder(t) // the same, done right, is let through
	log := openLog(t, folder)
	callOnce(t, log, "one")
	text := forge(4, log.head, real(log))
	require.NoError(t, os.Rename(filepath.Join(folder.Path(), FileName), filepath.Join(folder.Path(), "audit.1.jsonl")))
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), text, 0o600))
	require.NoError(t, log.Admit(context.Background(), call("two", gate.Write)))
	whole(t, folder)
}

func itoa(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// A rotation that fails at any of its steps leaves the log in the old file, and
// the next one is done as if there had been none.
func TestINV3_AFailedRotationChangesNothing(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	callOnce(t, log, "one")
	fresh := filepath.Join(folder.Path(), FileName+".new")
	require.NoError(t, os.MkdirAll(filepath.Join(fresh, "full"), 0o700)) // no new file can be made
	before := content(t, folder)
	for range 2 {
		_, err := Rotate(context.Background(), folder, "ada", "1:2")
		require.Error(t, err)
		require.Equal(t, string(before), string(content(t, folder)))
		require.Equal(t, 1, whole(t, folder).Files)
	}
	callOnce(t, log, "two")
	callOnce(t, openLog(t, folder), "three")
	require.NoError(t, os.RemoveAll(fresh))
	rotate(t, folder)
	callOnce(t, log, "four")
	require.Equal(t, 2, whole(t, folder).Files)
	require.EqualValues(t, 1+3*2+1+2, whole(t, folder).Entries)
}

func TestINV4_AnotherFileOfTheOldNameIsNotWrittenOver(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	callOnce(t, log, "one")
	path := filepath.Join(folder.Path(), "audit.1.jsonl")
	for _, put := range []func() error{
		func() error { return os.WriteFile(path, []byte("mine"), 0o600) },
		func() error { return os.Symlink(filepath.Join(folder.Path(), FileName), path) },
	} {
		require.NoError(t, put())
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, log.enter(context.Background(), log.catchUp))
		_, err = log.rotate()
		require.ErrorContains(t, err, "is another file")
		require.NoError(t, log.leave())
		_, err = Rotate(context.Background(), folder, "ada", "1:2")
		require.ErrorContains(t, err, "does not go on from audit.1.jsonl")
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.NoError(t, os.Remove(path))
	}
	callOnce(t, log, "two")
	whole(t, folder)
}

func TestVerifyFindsDamageInAnOldFile(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	for _, id := range []string{"one", "two", "three"} {
		callOnce(t, log, id)
		rotate(t, folder)
	}
	head := whole(t, folder).Head
	for name, spoil := range map[string]func(dir string) error{
		"a bit": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "audit.4.jsonl"))
			text[100] ^= 1
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "audit.4.jsonl"), text, 0o600))
		},
		"a file that is missing":         func(dir string) error { return os.Remove(filepath.Join(dir, "audit.4.jsonl")) },
		"the first file that is missing": func(dir string) error { return os.Remove(filepath.Join(dir, "audit.1.jsonl")) },
		"the current file that is missing": func(dir string) error {
			return os.Rename(filepath.Join(dir, "audit.7.jsonl"), filepath.Join(dir, FileName))
		},
		"the last line of an old file": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "audit.4.jsonl"))
			end := strings.LastIndexByte(strings.TrimSuffix(string(text), "\n"), '\n') + 1
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "audit.4.jsonl"), text[:end], 0o600))
		},
		"a line after the end of an old file": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "audit.4.jsonl"))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "audit.4.jsonl"), append(text, "{}\n"...), 0o600))
		},
		"half a line after the end of an old file": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "audit.4.jsonl"))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "audit.4.jsonl"), append(text, "{"...), 0o600))
		},
		"a file that was emptied": func(dir string) error { return os.Truncate(filepath.Join(dir, "audit.4.jsonl"), 0) },
		"a file too many": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "audit.1.jsonl"))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "audit.2.jsonl"), text, 0o600))
		},
		"an old file of another number": func(dir string) error {
			return os.Rename(filepath.Join(dir, "audit.4.jsonl"), filepath.Join(dir, "audit.5.jsonl"))
		},
	} {
		spoiled := copied(t, folder)
		require.NoError(t, spoil(spoiled.Path()), name)
		_, err := VerifyFolder(context.Background(), spoiled, head)
		require.Error(t, err, name)
		t.Log(name, err)
		requireDamage(t, err)
	}
	_, err := VerifyFolder(context.Background(), copied(t, folder), head)
	require.NoError(t, err)
}

// copied is a folder of its own with the same files.
func copied(t *testing.T, folder *state.Folder) *state.Folder {
	t.Helper()
	other := newFolder(t)
	require.NoError(t, os.CopyFS(other.Path(), os.DirFS(folder.Path())))
	all, err := os.ReadDir(other.Path())
	require.NoError(t, err)
	for _, each := range all {
		require.NoError(t, os.Chmod(filepath.Join(other.Path(), each.Name()), 0o600))
	}
	return other
}

// An old file that this process could not make durable is not left behind.
func TestINV3_AFailedSyncOfTheOldFileRefuses(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Record(context.Background(), result("one", gate.Read)))
	failed := errors.New("no disk")
	log.file = &faulty{file: log.file, sync: func() error { return failed }}
	rotate(t, folder)
	require.ErrorIs(t, log.Record(context.Background(), result("two", gate.Read)), failed)
	require.ErrorIs(t, log.Record(context.Background(), result("two", gate.Read)), failed)
	whole(t, folder)
}
