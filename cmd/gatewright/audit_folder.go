package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// find opens the state folder that is meant.
func (a *auditing) find() (*state.Folder, error) {
	if a.stateDir != "" {
		place, err := state.PlaceAt(a.stateDir)
		if err != nil {
			return nil, err
		}
		folder, err := place.Open()
		if missing := new(state.Error); a.protocol != "" && errors.As(err, &missing) && missing.Reason == state.Missing {
			// Without state.json the folder does not tell whose it is.
			return state.Open(state.Options{Dir: a.stateDir, Protocol: a.protocol, Workspace: a.workspace, Existing: true})
		}
		if err == nil && a.protocol != "" && folder.Protocol() != a.protocol {
			err = errors.Join(fmt.Errorf("the folder is one of protocol %s, not of %s", approval.CardQuote(folder.Protocol()), approval.CardQuote(a.protocol)), folder.Close())
		}
		return folder, err
	}
	places, err := state.Places()
	if err != nil {
		return nil, err
	}
	var all []*state.Folder
	var problems strings.Builder
	for _, place := range places {
		folder, err := place.Open()
		switch {
		case err != nil:
			fmt.Fprintf(&problems, "\n  %v", err)
		case a.protocol != "" && folder.Protocol() != a.protocol:
			_ = folder.Close()
		default:
			all = append(all, folder)
		}
	}
	chosen, err := a.choose(all)
	for _, folder := range all {
		if folder != chosen {
			_ = folder.Close()
		}
	}
	if err != nil && problems.Len() > 0 {
		err = fmt.Errorf("%w\nleft out:%s", err, problems.String())
	}
	return chosen, err
}

// choose takes the folder of the workspace, or the only one.
func (a *auditing) choose(all []*state.Folder) (*state.Folder, error) {
	var ofWorkspace []*state.Folder
	for _, folder := range all {
		if a.belongs(folder) {
			ofWorkspace = append(ofWorkspace, folder)
		}
	}
	switch {
	case len(ofWorkspace) == 1:
		return ofWorkspace[0], nil
	case len(ofWorkspace) > 1:
		return nil, fmt.Errorf("several protocols have a log for this workspace; name one with --protocol or --state-dir:%s", pathsOf(ofWorkspace))
	case a.here:
		return nil, fmt.Errorf("no server has written a log for the workspace %s", approval.CardQuote(a.workspace))
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return nil, errors.New("no server has written a log here; name its folder with --state-dir")
	}
	return nil, fmt.Errorf("no server has written a log for this workspace; name another with --workspace, or one of these with --state-dir:%s", pathsOf(all))
}

// belongs reports whether a folder is the one for its protocol and the
// workspace.
func (a *auditing) belongs(folder *state.Folder) bool {
	mine, err := state.Open(state.Options{Protocol: folder.Protocol(), Workspace: a.workspace, Existing: true})
	if err != nil {
		return false
	}
	defer func() { _ = mine.Close() }()
	return mine.Path() == folder.Path()
}

func pathsOf(folders []*state.Folder) string {
	var lines strings.Builder
	for _, folder := range folders {
		fmt.Fprintf(&lines, "\n  %s", folder.Path())
	}
	return lines.String()
}
