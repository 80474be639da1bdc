package state

import "fmt"

// A Reason names one kind of [Error].
type Reason string

// The reasons for which a state folder, or a file in it, is not used.
const (
	BadOptions      Reason = "bad_options"      // no protocol id, or no workspace that exists
	NoHome          Reason = "no_home"          // the user database names no home folder
	IsLink          Reason = "is_link"          // a symbolic link where none is followed
	Missing         Reason = "missing"          // it does not exist, and was not to be made
	NotFolder       Reason = "not_a_folder"     // something else stands where the folder should
	NotRegular      Reason = "not_a_file"       // something else stands where a file should
	NotOurs         Reason = "not_ours"         // it belongs to another user
	TooOpen         Reason = "too_open"         // its mode lets others in
	InWorkspace     Reason = "in_workspace"     // the workspace holds the state folder
	HoldsWorkspace  Reason = "holds_workspace"  // the state folder holds the workspace
	Replaced        Reason = "replaced"         // it changed while it was being opened
	Inaccessible    Reason = "inaccessible"     // the system refused
	Damaged         Reason = "damaged"          // state.json is not what this program writes
	Newer           Reason = "newer"            // state.json was written by a newer version
	AnotherProtocol Reason = "another_protocol" // state.json belongs to another protocol
	Unsupported     Reason = "unsupported"      // owners and modes cannot be checked on this system
)

// An Error says why the state folder, or a file in it, was refused, and what
// to do about it.
type Error struct {
	Reason  Reason
	Path    string
	Message string
	Next    string // what a person can do
	Err     error  // of the system, may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("state folder: %s: %s", e.Path, e.Message)
	if e.Err != nil {
		text += fmt.Sprintf(": %v", e.Err)
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

const elsewhere = "pass --state-dir with a folder outside the workspace"

func inaccessible(path, doing string, err error) *Error {
	return &Error{Reason: Inaccessible, Path: path, Message: doing, Err: err,
		Next: "make it accessible to this user, or pass --state-dir with another folder"}
}
