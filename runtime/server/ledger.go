package server

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// A record is the audit log of a service together with the folder it is in.
type record struct {
	*audit.Log
	folder *state.Folder
}

// openRecord opens the state folder and the audit log in it. The folder says
// what the workspace really is.
func openRecord(ctx context.Context, mode Mode, with setup) (*record, error) {
	folder, err := state.Open(state.Options{Dir: with.stateDir, Protocol: mode.Protocol, Workspace: with.workspace})
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(ctx, folder, audit.Options{
		Protocol: mode.Protocol, Digest: mode.Digest, Text: mode.Text, Mode: mode.Mode, Actor: with.actor, Session: state.Session(),
	})
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &record{Log: log, folder: folder}, nil
}

// Close syncs and closes the log, and gives up the folder.
func (r *record) Close(ctx context.Context) error {
	return errors.Join(r.Log.Close(ctx), r.folder.Close())
}
