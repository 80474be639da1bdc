package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/gatewright/gatewright/runtime/state"
)

// An Adoption puts one protocol in the place of another.
type Adoption struct {
	From     string            // digest of the protocol that was in force when a person was asked
	To       string            // digest of the one that is adopted
	Text     string            // of that one, in canonical form
	Actor    string            // who was asked, as far as that can be told
	Session  string            // the process that asked was started by
	Details  map[string]string // what else is worth keeping
	Protocol string            // id
}

// Pinned returns the digest of the protocol in force in a folder. It pins
// nothing: where no server has, its error matches [ErrNotPinned].
func Pinned(ctx context.Context, folder *state.Folder, protocol string) (digest string, err error) {
	err = visit(ctx, folder, Options{Protocol: protocol}, func(l *Log) error {
		digest, err = l.pinned()
		return err
	})
	return digest, err
}

// Adopt puts a protocol in force, and the entry protocol_adopted into the log.
// From then on a server of the old digest writes nothing. Where another
// protocol than From is in force by now, nothing changes, and the error matches
// [ErrPinnedMeanwhile]. When it returns nil, both are durable; after any other
// error, either both protocols' servers see the new digest or neither does.
func Adopt(ctx context.Context, folder *state.Folder, a Adoption) error {
	options := Options{Protocol: a.Protocol, Digest: a.To, Actor: a.Actor, Session: a.Session}
	err := visit(ctx, folder, options, func(l *Log) error { return l.adopt(a) })
	if err != nil {
		return fmt.Errorf("adopt a protocol: %w", err)
	}
	return nil
}

// visit does something under the lock, for a program that is no server.
func visit(ctx context.Context, folder *state.Folder, options Options, do func(*Log) error) error {
	l, err := open(ctx, folder, options, true)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrNotPinned, err)
	}
	if err != nil {
		return err
	}
	if err = l.enter(ctx, l.catchUp); err == nil {
		err = errors.Join(do(l), l.leave())
	}
	return errors.Join(err, l.Close(ctx))
}

func (l *Log) adopt(a Adoption) error {
	digest, err := l.pinned()
	switch {
	case err != nil:
		return err
	case digest != a.From:
		return fmt.Errorf("%w: %s", ErrPinnedMeanwhile, short(digest))
	case digest == a.To:
		return fmt.Errorf("protocol %s is in force already", short(digest))
	}
	if err := l.folder.Keep(a.To, a.Text); err != nil {
		return err
	}
	intended := l.vouch.state
	intended.Pending = &state.Pending{Digest: a.To, Seq: l.head.Seq + 1, Offset: l.base + l.offset}
	if _, err := l.folder.Write(intended); err != nil {
		return err
	}
	details := map[string]string{"from": a.From}
	maps.Copy(details, boundAll(a.Details))
	entry := l.own(ProtocolAdopted, details)
	if err := l.write(&entry); err != nil {
		return err
	}
	return l.putInForce(adopted(&entry, intended.Pending))
}

// adopted is the state that an adoption leads to. Work starts again at the
// initial mode, since the mode it had come to may mean something else now.
func adopted(entry *Entry, pending *state.Pending) state.State {
	return state.State{Protocol: entry.Protocol, Digest: entry.Digest,
		SetBy: state.SetBy{Seq: entry.Seq, Offset: pending.Offset, Hash: entry.Hash}}
}

// settle completes an adoption whose entry is in the log, and takes back one
// whose entry is not.
func (l *Log) settle(found state.State) (string, error) {
	pending, made := found.Pending, found
	made.Pending = nil
	if pending.Offset < l.base+l.offset {
		entry, err := l.at(pending.Offset)
		if err == nil && entry.Seq == pending.Seq && entry.Event == ProtocolAdopted && entry.Protocol == found.Protocol &&
			entry.Digest == pending.Digest && entry.Details["from"] == found.Digest {
			made = adopted(&entry, pending)
		}
	}
	if err := l.putInForce(made); err != nil {
		return "", fmt.Errorf("settle an adoption that was interrupted: %w", err)
	}
	return made.Digest, nil
}
