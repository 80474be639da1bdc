package preview

import (
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A Status is what became of a plan.
type Status string

// The statuses. From ready a plan is begun, or it is over; from begun it goes
// back to ready where its handler was not started. Nothing else leads back.
const (
	Ready       Status = "ready"       // it can be carried out
	Begun       Status = "begun"       // it is being carried out
	Committed   Status = "committed"   // it was carried out
	Failed      Status = "failed"      // it was carried out, and failed
	Partial     Status = "partial"     // it was carried out in part
	Interrupted Status = "interrupted" // whoever carried it out is gone, and nobody knows how far that got
	Resolved    Status = "resolved"    // it was interrupted, and a person said what was done
	Expired     Status = "expired"     // it was not carried out in time
	Stale       Status = "stale"       // another protocol was adopted before it was carried out
)

// An Outcome is what a person found of a commit that was interrupted.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"     // everything was done
	NotDone Outcome = "not_done" // nothing was
	Partly  Outcome = "partly"   // some of it was
)

// A Resolution says what became of an interrupted commit.
type Resolution struct {
	Outcome Outcome
	Note    string // what was found, in the person's words
	By      string // who said so, as far as the system tells
}

// A Commit is a plan that was begun, without the handle: that is a capability.
type Commit struct {
	ID      string // made from the hash of the handle
	Status  Status
	Tool    string // two-phase name, without the phase
	Digest  string // of the protocol
	Actor   string // of the preview; a claim
	Preview string // id of the call that made the plan
	Call    string // id of the call that began to carry it out
	Mode    string // of that call
	Key     string // its idempotency key; may be empty

	Body     []byte            // the plan; nil once it has ended
	Recorded map[string]string // the fields that the protocol records; nil once it has ended
	Ending   *gate.Ending      // nil while there is none, and where it is kept no longer

	MadeAt    time.Time
	ExpiresAt time.Time
	BegunAt   time.Time
	EndedAt   time.Time // zero while it has not ended; of a resolved one, when it was resolved

	Resolution Resolution // of a resolved one
}

// Errors that an error about a commit may match.
const (
	ErrUnknown        previewError = "there is no such commit"
	ErrNotInterrupted previewError = "the commit is not interrupted"
)

type previewError string

func (e previewError) Error() string { return string(e) }
