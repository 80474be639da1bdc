package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// Texts stand for canonical protocols.
const (
	oldText = `{"protocol_id":"sample"}`
	newText = `{"protocol_id":"sample","strict":true}`
)

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func adoption() Adoption {
	return Adoption{From: digestOf(oldText), To: digestOf(newText), Text: newText, Protocol: "sample", Actor: "uid 7", Session: "3:4",
		Details: map[string]string{"weaker": "2"}}
}

// serving opens the log as a server of the protocol with a text does.
func serving(t *testing.T, folder *state.Folder, text string) *Log {
	t.Helper()
	o := options(digestOf(text))
	o.Text = text
	log, err := Open(context.Background(), folder, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close(context.Background()) })
	return log
}

func write(log *Log) error {
	entry := call("one", gate.Write)
	entry.Digest = log.options.Digest
	return log.Admit(context.Background(), entry)
}

// requireInForce holds that servers of one text write and those of the other do
// not, and that the log is whole.
func requireInForce(t *testing.T, folder *state.Folder, text, other string) {
	t.Helper()
	require.NoError(t, write(serving(t, folder, text)))
	requireMismatch(t, write(serving(t, folder, other)))
	digest, err := Pinned(context.Background(), folder, "sample")
	require.NoError(t, err)
	require.Equal(t, digestOf(text), digest)
	parsed := parsedState(t, folder)
	require.Nil(t, parsed.Pending)
	require.Equal(t, digestOf(text), parsed.Digest)
	verified(t, folder)
}

func parsedState(t *testing.T, folder *state.Folder) state.State {
	t.Helper()
	found, err := folder.Read()
	require.NoError(t, err)
	parsed, err := folder.Parse(found)
	require.NoError(t, err)
	return parsed
}

func TestINV4_FromAnAdoptionOnTheOldProtocolWritesNothing(t *testing.T) {
	folder := newFolder(t)
	before, after := serving(t, folder, oldText), serving(t, folder, newText)
	require.NoError(t, write(before))
	requireMismatch(t, write(after))
	kept, err := folder.Text(digestOf(oldText))
	require.NoError(t, err)
	require.Equal(t, oldText, string(kept))
	_, err = folder.Text(digestOf(newText))
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, Adopt(context.Background(), folder, adoption()))
	requireMismatch(t, write(before))
	require.NoError(t, write(after))
	requireInForce(t, folder, newText, oldText)
	kept, err = folder.Text(digestOf(newText))
	require.NoError(t, err)
	require.Equal(t, newText, string(kept))

	entry := entries(t, folder)[2]
	require.Equal(t, ProtocolAdopted, entry.Event)
	require.Equal(t, digestOf(newText), entry.Digest)
	require.Equal(t, map[string]string{"from": digestOf(oldText), "weaker": "2"}, entry.Details)
	require.Equal(t, "uid 7", entry.Actor)
	require.Equal(t, "3:4", entry.Session)
	require.Empty(t, entry.Mode)
}

func TestAnAdoptionCanBeTakenBackByAnother(t *testing.T) {
	folder := newFolder(t)
	serving(t, folder, oldText)
	require.NoError(t, Adopt(context.Background(), folder, adoption()))
	back := adoption()
	back.From, back.To, back.Text = back.To, back.From, oldText
	require.NoError(t, Adopt(context.Background(), folder, back))
	requireInForce(t, folder, oldText, newText)
}

func TestINV4_OnlyWhatAPersonSawIsAdopted(t *testing.T) {
	folder := newFolder(t)
	serving(t, folder, oldText)
	for name, change := range map[string]func(*Adoption){
		"another is in force":    func(a *Adoption) { a.From = digestB },
		"it is in force already": func(a *Adoption) { a.To, a.Text = a.From, oldText },
		"another text":           func(a *Adoption) { a.Text = oldText },
		"no text":                func(a *Adoption) { a.Text = "" },
		"another protocol's id":  func(a *Adoption) { a.Protocol = "other" },
		"a digest that is none":  func(a *Adoption) { a.To = "sha256:../../x" },
	} {
		a := adoption()
		change(&a)
		require.Error(t, Adopt(context.Background(), folder, a), name)
		requireInForce(t, folder, oldText, newText)
	}
	a := adoption()
	a.From = digestB
	require.ErrorIs(t, Adopt(context.Background(), folder, a), ErrPinnedMeanwhile)
}

func TestNothingIsAdoptedWhereNothingIsPinned(t *testing.T) {
	folder := newFolder(t)
	_, err := Pinned(context.Background(), folder, "sample")
	require.ErrorIs(t, err, ErrNotPinned)
	require.ErrorIs(t, Adopt(context.Background(), folder, adoption()), ErrNotPinned)
	left, err := os.ReadDir(folder.Path())
	require.NoError(t, err)
	require.Empty(t, left)

	// A log without an entry pins nothing either, and gets none.
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), nil, 0o600))
	_, err = Pinned(context.Background(), folder, "sample")
	require.ErrorIs(t, err, ErrNotPinned)
	require.ErrorIs(t, Adopt(context.Background(), folder, adoption()), ErrNotPinned)
	require.Empty(t, content(t, folder))
}

func TestINV4_RemovingTheStateFileDoesNotUndoAnAdoption(t *testing.T) {
	folder := newFolder(t)
	serving(t, folder, oldText)
	require.NoError(t, Adopt(context.Background(), folder, adoption()))
	require.NoError(t, os.Remove(filepath.Join(folder.Path(), state.FileName)))
	requireInForce(t, folder, newText, oldText)
}

// interrupted leaves a folder as an adoption that was killed does: with what
// it intended in state.json, and with its entry in the log or without.
func interrupted(t *testing.T, withEntry bool) *state.Folder {
	t.Helper()
	folder := newFolder(t)
	log := serving(t, folder, oldText)
	require.NoError(t, write(log))
	before := parsedState(t, folder)
	pending := &state.Pending{Digest: digestOf(newText), Seq: log.head.Seq + 1, Offset: log.offset}
	if withEntry {
		require.NoError(t, Adopt(context.Background(), folder, adoption()))
	}
	before.Pending = pending
	_, err := folder.Write(before)
	require.NoError(t, err)
	return folder
}

// Whoever comes first settles it, whichever protocol it is a server of.
func TestINV4_AnInterruptedAdoptionIsCompletedWhereItsEntryStands(t *testing.T) {
	for _, first := range []string{oldText, newText} {
		folder := interrupted(t, true)
		serving(t, folder, first)
		requireInForce(t, folder, newText, oldText)
	}
	folder := interrupted(t, true)
	digest, err := Pinned(context.Background(), folder, "sample")
	require.NoError(t, err)
	require.Equal(t, digestOf(newText), digest)
	requireInForce(t, folder, newText, oldText)
}

func TestINV4_AnInterruptedAdoptionIsTakenBackWhereItsEntryIsMissing(t *testing.T) {
	for _, first := range []string{oldText, newText} {
		folder := interrupted(t, false)
		serving(t, folder, first)
		requireInForce(t, folder, oldText, newText)
	}
	t.Run("another entry stands there", func(t *testing.T) {
		folder := interrupted(t, false)
		pending := parsedState(t, folder)
		log := serving(t, folder, oldText) // settles, so the intention is put back behind it
		require.NoError(t, log.Record(context.Background(), call("two", gate.Read)))
		_, err := folder.Write(pending)
		require.NoError(t, err)
		requireInForce(t, folder, oldText, newText)
	})
	t.Run("half of its entry stands there", func(t *testing.T) {
		folder := interrupted(t, true)
		path := filepath.Join(folder.Path(), FileName)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, info.Size()-10))
		requireInForce(t, folder, oldText, newText)
	})
	t.Run("a running server settles it", func(t *testing.T) {
		folder := newFolder(t)
		log := serving(t, folder, oldText)
		intended := parsedState(t, folder)
		intended.Pending = &state.Pending{Digest: digestOf(newText), Seq: 2, Offset: log.offset}
		_, err := folder.Write(intended)
		require.NoError(t, err)
		require.NoError(t, write(log))
		requireInForce(t, folder, oldText, newText)
	})
	t.Run("and the person tries again", func(t *testing.T) {
		folder := interrupted(t, false)
		require.NoError(t, Adopt(context.Background(), folder, adoption()))
		requireInForce(t, folder, newText, oldText)
	})
}

func TestINV3_AnAdoptionIsNotInForceBeforeItsEntryIsDurable(t *testing.T) {
	folder := newFolder(t)
	serving(t, folder, oldText)
	failed := errors.New("no disk")
	err := visit(context.Background(), folder, Options{Protocol: "sample", Digest: digestOf(newText)}, func(l *Log) error {
		l.file = &faulty{file: l.file, sync: func() error { return failed }}
		return l.adopt(adoption())
	})
	require.ErrorIs(t, err, failed)
	parsed := parsedState(t, folder)
	require.Equal(t, digestOf(oldText), parsed.Digest)
	require.NotNil(t, parsed.Pending)
}

// A state that says what cannot be of an adoption is damage.
func TestINV4_APendingAdoptionThatCannotBeIsRefused(t *testing.T) {
	folder := interrupted(t, false)
	for name, change := range map[string][2]string{
		"before the pin": {`"seq":3`, `"seq":1`}, "no digest": {`"pending":{"digest":"` + digestOf(newText) + `"`, `"pending":{"digest":""`},
	} {
		found, err := folder.Read()
		require.NoError(t, err)
		rewrite(t, folder, change[0], change[1])
		_, err = Pinned(context.Background(), folder, "sample")
		refused := new(state.Error)
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, state.Damaged, refused.Reason)
		require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), state.FileName), found, 0o600))
	}
}

func TestATextThatDoesNotFitItsDigestKeepsTheServerFromStarting(t *testing.T) {
	folder := newFolder(t)
	o := options(digestOf(oldText))
	o.Text = newText
	_, err := Open(context.Background(), folder, o)
	refused := new(state.Error)
	require.ErrorAs(t, err, &refused)
}
