package approval

import (
	"context"
	"time"
)

// A Provider asks one kind of somebody else. It is safe for concurrent use.
type Provider interface {
	// Ask puts a request, within the bounds of its provider, and returns sooner
	// when ctx ends. An error is a no. After one that matches [ErrUnreachable],
	// [ErrDeclined] or [ErrDismissed] the next provider is tried; after any other
	// the request has failed. [ErrTimedOut] in it says that nobody answered in
	// time.
	Ask(ctx context.Context, inquiry Inquiry) (Answer, error)
}

// An Inquiry is a request with what belongs to the call that asks.
type Inquiry struct {
	Request   Request
	Identical []Request     // others of the same subject a short while ago, the newest first
	Call      string        // id of the call that asks now
	Hold      time.Duration // how long a call may wait for a person
	Client    Client        // how the client of the call can be asked; nil where there is none
	Progress  func(done, total float64, message string)
}

// An Answer is what a provider says. Anything but the three decisions is a no.
type Answer struct {
	Decision string    // Approved, Denied, or Undecided
	Approver string    // who decided, as far as the provider can tell
	Reason   string    // in the approver's words
	Question *Question // with Undecided: the client has to be asked, and the call comes again with its answer
	Settled  bool      // the book holds the decision already
}

// The decisions of a provider.
const (
	Approved  = "approved"
	Denied    = "denied"
	Undecided = "undecided" // none yet: the request stays open
)

// Errors that a provider's error may match.
const (
	ErrUnreachable providerError = "the provider cannot be reached"
	ErrTimedOut    providerError = "nobody answered in time"
	ErrDeclined    providerError = "whoever was asked turned the question down" // without deciding it
	ErrDismissed   providerError = "whoever was asked left the question"
)

// unkept is an error of the book that a provider asks. It refuses the call, and
// says nothing about the request, which stays as it is.
type unkept struct{ error }

func (u unkept) Unwrap() error { return u.error }

type providerError string

func (e providerError) Error() string { return string(e) }
