package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// vouched is the content of state.json that was last held against the log.
type vouched struct {
	content []byte
	state   state.State
}

// inForce refuses a write of a protocol that is not the pinned one. The lock is
// held, so what it finds holds until the entry is written.
func (l *Log) inForce(entry gate.Entry) error {
	if entry.Protocol != l.options.Protocol {
		return fmt.Errorf("the entry is one of protocol %q, and the log belongs to %q", entry.Protocol, l.options.Protocol)
	}
	digest, err := l.pinned()
	if err != nil {
		return err
	}
	if digest != entry.Digest {
		return gate.Refuse(gate.ProtocolMismatch,
			"%q did not run: this server was built from protocol %s of %q, and %s is in force here; a person can look at the difference and change that with `gatewright adopt`",
			entry.Tool, short(entry.Digest), entry.Protocol, short(digest))
	}
	return nil
}

// pinned returns the digest in force. It reads state.json each time, which is
// small, so that a change by another process is never missed.
func (l *Log) pinned() (string, error) {
	content, err := l.folder.Read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l.pin()
	case err != nil:
		return "", err
	case l.vouch.content != nil && bytes.Equal(content, l.vouch.content):
		return l.vouch.state.Digest, nil
	}
	found, err := l.folder.Parse(content)
	if err != nil {
		return "", err
	}
	if err := l.holds(found); err != nil {
		return "", disagreement(l.folder, &found, err)
	}
	if found.Pending != nil {
		return l.settle(found)
	}
	l.vouch = vouched{content: content, state: found}
	return found.Digest, nil
}

// holds checks that the entry a state names is in the log and says the same.
func (l *Log) holds(s state.State) error {
	if s.SetBy.Offset >= l.base+l.offset || s.SetBy.Seq > l.head.Seq {
		return errors.New("the log has no such entry")
	}
	entry, err := l.at(s.SetBy.Offset)
	if err != nil {
		return err
	}
	if problem := pinnedBy(&entry, &s); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// at reads the entry that starts at an offset, in the whole log, before the
// end.
func (l *Log) at(offset int64) (Entry, error) {
	if offset < l.base {
		return l.atOld(offset)
	}
	offset -= l.base
	return entryAt(l.file, offset, l.offset)
}

// entryAt reads the entry that starts at an offset in a file of a size.
func entryAt(file io.ReaderAt, offset, size int64) (Entry, error) {
	line := make([]byte, min(maxLine, size-offset))
	if _, err := file.ReadAt(line, offset); err != nil {
		return Entry{}, err
	}
	line, _, _ = bytes.Cut(line, []byte{'\n'})
	return parse(line)
}

// pins reports whether an entry puts its digest in force.
func pins(e *Entry) bool { return e.Event == ProtocolPinned || e.Event == ProtocolAdopted }

// pin makes state.json where it is missing: from the last entry of the log that
// pins a protocol, and from one for this program's protocol where there is
// none. So whatever was killed between the entry and the file, and whoever
// removed the file, the same digest comes out.
func (l *Log) pin() (string, error) {
	made, err := l.lastPin()
	if err != nil {
		return "", err
	}
	if made == nil && l.guest {
		return "", ErrNotPinned
	}
	if made == nil {
		offset := l.base + l.offset
		entry := l.own(ProtocolPinned, nil)
		if err := l.write(&entry); err != nil {
			return "", fmt.Errorf("pin the protocol: %w", err)
		}
		made = &state.State{Protocol: entry.Protocol, Digest: entry.Digest,
			SetBy: state.SetBy{Seq: entry.Seq, Offset: offset, Hash: entry.Hash}}
	}
	if err := l.putInForce(*made); err != nil {
		return "", fmt.Errorf("pin the protocol: %w", err)
	}
	return made.Digest, nil
}

// putInForce writes state.json. The file must never name an entry that a crash
// can take away.
func (l *Log) putInForce(made state.State) error {
	if err := l.syncNow(); err != nil {
		return err
	}
	if err := l.folder.Sync(); err != nil {
		return err
	}
	content, err := l.folder.Write(made)
	if err != nil {
		return err
	}
	l.vouch = vouched{content: content, state: made}
	return nil
}

// lastPin reads the whole log for the last entry that pins a protocol.
func (l *Log) lastPin() (last *state.State, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	r := &Reader{folder: l.folder, end: info, size: l.offset}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		entry, err := r.Next()
		if errors.Is(err, io.EOF) {
			return last, nil
		}
		if err != nil {
			return nil, err
		}
		if pins(&entry) {
			last = &state.State{Protocol: entry.Protocol, Digest: entry.Digest,
				SetBy: state.SetBy{Seq: entry.Seq, Offset: r.at.Start, Hash: entry.Hash}}
		}
	}
}

// short is enough of a digest to tell two apart.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}
