package program

import (
	"fmt"
	"strings"
)

// A Reason says why a program was refused, or did not do its work.
type Reason string

// The reasons for which a program is refused.
const (
	BadName       Reason = "bad_name"       // neither an absolute path nor a bare name
	Missing       Reason = "missing"        // nothing of that name
	Unreadable    Reason = "unreadable"     // it cannot be looked at
	NotRegular    Reason = "not_regular"    // a folder, a pipe, a device
	NotExecutable Reason = "not_executable" // not by this user
	InWorkspace   Reason = "in_workspace"   // it, or something on the way to it
	Exposed       Reason = "exposed"        // others can put something else in its place
	Changed       Reason = "changed"        // it is not what was resolved
)

// The reasons for which a run fails.
const (
	BadCall    Reason = "bad_call"    // the call cannot be made as it is
	NotStarted Reason = "not_started" // the system did not start it
	TimedOut   Reason = "timed_out"   // it was stopped at its deadline
	Cancelled  Reason = "cancelled"   // it was stopped because nobody waits for it
	Flooded    Reason = "flooded"     // it was stopped because it printed too much
	Failed     Reason = "failed"      // it exited with another status than 0, or a signal ended it
	Lingering  Reason = "lingering"   // it exited, and a process that left its group keeps its output open
)

// An Error is a program that was refused or a run that failed.
type Error struct {
	Reason  Reason
	Program string // as it was named, or where it was found
	Message string
	Exit    int    // with [Failed]: the exit status, or -1 after a signal
	Signal  string // with [Failed]: the signal that ended it
	Stderr  string // of a run: the end of what it printed there, as it came
	Err     error
}

// Error shows what the program printed in quotes: it is foreign text.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "program %q: %s", e.Program, e.Message)
	if e.Err != nil {
		fmt.Fprintf(&text, ": %v", e.Err)
	}
	if e.Stderr != "" {
		fmt.Fprintf(&text, "; its last words were %+q", e.Stderr)
	}
	return text.String()
}

// Unwrap returns what lies behind the error.
func (e *Error) Unwrap() error { return e.Err }
