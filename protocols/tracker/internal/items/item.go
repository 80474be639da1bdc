package items

import "time"

// A State is how far an item has come.
type State string

// The states.
const (
	Open    State = "open"
	Doing   State = "doing"
	Done    State = "done"
	Blocked State = "blocked"
)

// A Draft is an item to be inserted.
type Draft struct {
	Key         string // no two items have the same
	Document    string
	Line        int64
	Title       string
	Description string
	Estimate    int64 // 0 where there is none
}

// An Item is an item of the tracker.
type Item struct {
	Draft

	ID       int64
	State    State
	Revision int64 // 1 at first, and 1 more with each report
	By       By
	At       time.Time
}

// By says on whose behalf something was written.
type By struct {
	Actor string // a claim
	Call  string // id, as the audit log has it
}

// A Change is a report on an item.
type Change struct {
	Item     int64
	Revision int64 // that the item still has to have
	Before   State // that the item still has to be in
	After    State
	Note     string
}

// A Report is a change that was made.
type Report struct {
	Change // Revision is the one that it led to

	By By
	At time.Time
}
