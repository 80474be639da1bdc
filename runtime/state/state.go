package state

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// FileName is the file that a [State] is kept in.
const FileName = "state.json"

const (
	version = 1
	maxFile = 64 << 10 // bytes; the file has a few hundred
)

// A State is what is in force for a protocol and a workspace.
type State struct {
	V           int    `json:"v"`
	Protocol    string `json:"protocol"`
	Digest      string `json:"digest"`                 // of the protocol that may write
	CurrentMode string `json:"current_mode,omitempty"` // empty: the initial mode
	SetBy       SetBy  `json:"set_by"`
	// Pending is there while another protocol is being adopted, and after a
	// crash in the midst of it.
	Pending *Pending `json:"pending,omitempty"`
}

// Pending says where the audit log holds the entry that adopts another
// protocol, if that came to be written.
type Pending struct {
	Digest string `json:"digest"`
	Seq    uint64 `json:"seq"`
	Offset int64  `json:"offset"` // in bytes, of the start of its line
}

// SetBy names the entry of the audit log that a [State] comes from. The offset
// says where to look; seq and hash say whether it is the entry.
type SetBy struct {
	Seq    uint64 `json:"seq"`
	Offset int64  `json:"offset"` // in bytes, of the start of its line
	Hash   string `json:"hash"`
}

// Read returns the bytes of state.json, for [Folder.Parse]. A file that does
// not exist is an error that matches fs.ErrNotExist.
func (f *Folder) Read() ([]byte, error) {
	file, err := f.OpenFile(FileName, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, inaccessible(filepath.Join(f.Path(), FileName), "it cannot be read", err)
	}
	return content, nil
}

// Parse reads what [Folder.Read] returned. It refuses whatever this version
// would not have written for this protocol.
func (f *Folder) Parse(content []byte) (State, error) {
	var state State
	refuse := func(reason Reason, message string, err error) (State, error) {
		return State{}, &Error{Reason: reason, Path: filepath.Join(f.Path(), FileName), Message: message, Err: err,
			Next: "restore the file or have a person look into what changed it"}
	}
	if len(content) > maxFile {
		return refuse(Damaged, "it is longer than a state file can be", nil)
	}
	var header struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(content, &header); err != nil {
		return refuse(Damaged, "it is not a state file", err)
	}
	if header.V > version {
		return refuse(Newer, fmt.Sprintf("it has version %d, and this program knows versions up to %d", header.V, version), nil)
	}
	if err := json.Unmarshal(content, &state, json.RejectUnknownMembers(true)); err != nil {
		return refuse(Damaged, "it is not a state file", err)
	}
	switch {
	case state.V != version || state.Protocol == "" || state.Digest == "" || state.SetBy.Seq == 0 || state.SetBy.Offset < 0 || len(state.SetBy.Hash) != 64:
		return refuse(Damaged, "it lacks what a state file holds", nil)
	case state.Pending != nil && (state.Pending.Digest == "" || state.Pending.Seq <= state.SetBy.Seq || state.Pending.Offset <= state.SetBy.Offset):
		return refuse(Damaged, "what it says of a protocol that is being adopted cannot be", nil)
	case state.Protocol != f.protocol:
		return refuse(AnotherProtocol, fmt.Sprintf("it belongs to protocol %q, not to %q", state.Protocol, f.protocol), nil)
	}
	return state, nil
}

// Write replaces state.json and returns its bytes. The caller holds the lock
// of the audit log.
func (f *Folder) Write(state State) ([]byte, error) {
	state.V = version
	content, err := json.Marshal(state, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the state: %w", err)
	}
	content = append(content, '\n')
	if _, err := f.Parse(content); err != nil {
		return nil, err
	}
	return content, f.Replace(FileName, content)
}
