package audit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func openOther(t *testing.T, folder *state.Folder) *Log {
	t.Helper()
	log, err := Open(context.Background(), folder, options(digestB))
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close(context.Background()) })
	return log
}

func otherCall(id string, effect gate.Effect) gate.Entry {
	entry := call(id, effect)
	entry.Digest = digestB
	return entry
}

func requireMismatch(t *testing.T, err error) {
	t.Helper()
	refusal := new(gate.Refusal)
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, gate.ProtocolMismatch, refusal.Code)
}

func rewrite(t *testing.T, folder *state.Folder, old, new string) {
	t.Helper()
	path := filepath.Join(folder.Path(), state.FileName)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := bytes.ReplaceAll(text, []byte(old), []byte(new))
	require.NotEqual(t, text, changed)
	require.NoError(t, os.WriteFile(path, changed, 0o600))
}

func TestINV4_AWriteOfAnotherProtocolIsRefused(t *testing.T) {
	folder := newFolder(t)
	first, second := openLog(t, folder), openOther(t, folder)
	err := second.Admit(context.Background(), otherCall("one", gate.Write))
	requireMismatch(t, err)
	require.ErrorContains(t, err, "bbbbbbbbbbbb")
	require.ErrorContains(t, err, "aaaaaaaaaaaa")
	require.ErrorContains(t, err, "gatewright adopt")
	require.EqualValues(t, 1, verified(t, folder).Entries)
	require.NoError(t, second.Admit(context.Background(), otherCall("two", gate.Read)))
	require.NoError(t, first.Admit(context.Background(), call("three", gate.Write)))
	require.EqualValues(t, 3, verified(t, folder).Entries)

	pinned := entries(t, folder)[0]
	require.Equal(t, ProtocolPinned, pinned.Event)
	require.Equal(t, digestA, pinned.Digest)
	found, err := folder.Read()
	require.NoError(t, err)
	parsed, err := folder.Parse(found)
	require.NoError(t, err)
	require.Equal(t, state.State{V: 1, Protocol: "sample", Digest: digestA, SetBy: state.SetBy{Seq: 1, Hash: pinned.Hash}}, parsed)
}

func TestINV4_AnEntryOfAnotherProtocolIdIsRefused(t *testing.T) {
	log := openLog(t, newFolder(t))
	entry := call("one", gate.Write)
	entry.Protocol = "other"
	require.Error(t, log.Admit(context.Background(), entry))
}

func TestINV4_RemovingTheStateFileDoesNotUnpin(t *testing.T) {
	folder := newFolder(t)
	openLog(t, folder)
	second := openOther(t, folder)
	require.NoError(t, os.Remove(filepath.Join(folder.Path(), state.FileName)))
	requireMismatch(t, second.Admit(context.Background(), otherCall("one", gate.Write)))

	require.NoError(t, os.Remove(filepath.Join(folder.Path(), state.FileName)))
	requireMismatch(t, openOther(t, folder).Admit(context.Background(), otherCall("one", gate.Write)))
	require.EqualValues(t, 1, verified(t, folder).Entries)
}

func TestINV4_AStateThatTheLogDoesNotBackIsRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"another digest":     {digestA, digestB},
		"another seq":        {`"seq":1`, `"seq":2`},
		"a seq to come":      {`"seq":1`, `"seq":99`},
		"another offset":     {`"offset":0`, `"offset":7`},
		"an offset to come":  {`"offset":0`, `"offset":999999`},
		"a negative offset":  {`"offset":0`, `"offset":-1`},
		"another protocol":   {`"sample"`, `"simple"`},
		"an unknown member":  {`{"v":1`, `{"v":1,"x":1`},
		"a newer version":    {`{"v":1`, `{"v":2,"x":1`},
		"a member twice":     {`{"v":1`, `{"v":1,"v":1`},
		"another case":       {`"digest"`, `"Digest"`},
		"trailing data":      {"}\n", "}\n{}"},
		"a hash of an other": {`"hash":"`, `"hash":"0`},
	} {
		t.Run(name, func(t *testing.T) {
			folder := newFolder(t)
			log := openLog(t, folder)
			rewrite(t, folder, change[0], change[1])
			refused := new(state.Error)
			require.ErrorAs(t, log.Admit(context.Background(), call("one", gate.Write)), &refused)
			require.NoError(t, log.Admit(context.Background(), call("one", gate.Read)))
			_, err := Open(context.Background(), folder, options(digestA))
			require.ErrorAs(t, err, &refused)
			require.NotEmpty(t, refused.Next)
		})
	}
}

func TestINV4_OnlyAnEntryThatPinsCanBackAState(t *testing.T) {
	folder := newFolder(t)
	openLog(t, folder)
	second := openOther(t, folder)
	offset := second.offset
	require.NoError(t, second.Admit(context.Background(), otherCall("one", gate.Read)))
	read := entries(t, folder)[1]
	_, err := folder.Write(state.State{Protocol: "sample", Digest: digestB, SetBy: state.SetBy{Seq: 2, Offset: offset, Hash: read.Hash}})
	require.NoError(t, err)
	require.ErrorContains(t, second.Admit(context.Background(), otherCall("two", gate.Write)), "does not pin")
}

func TestINV4_ALogCutBeforeItsPinIsRefused(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Close(context.Background()))
	require.NoError(t, os.Truncate(filepath.Join(folder.Path(), FileName), 0))
	_, err := Open(context.Background(), folder, options(digestB))
	require.ErrorContains(t, err, "no such entry")
}

// A crash between the entry that pins and state.json, made by hand.
func TestINV3_APinWithoutAStateFileIsTakenUp(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Close(context.Background()))
	path := filepath.Join(folder.Path(), state.FileName)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, path+".new")) // as far as it had come
	second := openOther(t, folder)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	requireMismatch(t, second.Admit(context.Background(), otherCall("one", gate.Write)))
	_, err = os.Stat(path + ".new")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestINV3_AStateFileIsNotWrittenBeforeItsEntryIsDurable(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, os.Remove(filepath.Join(folder.Path(), state.FileName)))
	require.NoError(t, os.Truncate(filepath.Join(folder.Path(), FileName), 0))
	log.offset, log.head, log.syncs.durable = 0, Head{}, 0
	log.file = &faulty{file: log.file, sync: func() error { return errors.New("no disk") }}
	require.ErrorContains(t, log.Admit(context.Background(), call("one", gate.Write)), "no disk")
	_, err := os.Stat(filepath.Join(folder.Path(), state.FileName))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
