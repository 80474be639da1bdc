package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// Enter writes down what a program that is no server did about a call: that a
// person decided on it, with details for the log alone. The entry is durable
// when it returns nil. Where no server has pinned a protocol its error matches
// [ErrNotPinned].
func Enter(ctx context.Context, folder *state.Folder, entry gate.Entry, details map[string]string) error {
	if entry.Protocol == "" || entry.Digest == "" || entry.Event == "" {
		return errors.New("write to the audit log: protocol, digest and event are all needed")
	}
	options := Options{Protocol: entry.Protocol, Digest: entry.Digest, Mode: entry.Mode, Actor: entry.Actor, Session: entry.Session}
	err := visit(ctx, folder, options, func(l *Log) error {
		if _, err := l.pinned(); err != nil {
			return err
		}
		made := entryOf(entry)
		made.Details = boundAll(details)
		if err := l.write(&made); err != nil {
			return err
		}
		return l.syncNow()
	})
	if err != nil {
		return fmt.Errorf("write to the audit log: %w", err)
	}
	return nil
}
