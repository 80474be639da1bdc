package approval

import (
	"context"
	"reflect"
	"time"
)

// A Request asks for the approval of exactly one call.
type Request struct {
	ID        string // 128 random bits or more, opaque
	Binding   string // digest of protocol digest, mode, tool, actor and arguments
	Subject   string // the same without the protocol digest: by it a request of another protocol is recognised
	Protocol  string // id
	Digest    string // of the protocol
	Mode      string
	Tool      string
	Actor     string // a claim
	Session   string // the process that started the server
	Workspace string
	Call      string // id of the call that asked first
	Arguments []byte // canonical JSON; of a request that has ended they may be kept no more, and are empty then
	Why       string // the protocol's words on why an approval is needed
	Shown     string // what the tool named by Policy.Show says of the call, as JSON; may be empty
	By        []string
	AskedAt   time.Time
	ExpiresAt time.Time // when it can be decided and used no longer

	Status    Status
	Round     int       // of questions through a client; see [Request.Questions]
	DecidedAt time.Time // zero while it is pending
	Provider  string    // that decided
	Approver  string    // who decided, as far as the provider can tell
	Reason    string    // in the approver's words
	UsedAt    time.Time // when a call used it up
	UsedBy    string    // id of that call
}

// Equal reports whether two requests say the same. From where their times are
// told does not count.
func (r Request) Equal(other Request) bool {
	for _, request := range []*Request{&r, &other} {
		for _, t := range []*time.Time{&request.AskedAt, &request.ExpiresAt, &request.DecidedAt, &request.UsedAt} {
			*t = t.UTC().Round(0)
		}
	}
	return reflect.DeepEqual(r, other)
}

// Questions is how many questions about the request were put through a client.
// Each takes two rounds: an odd one while it can be answered, and the even one
// after it once an answer to it was taken.
func (r Request) Questions() int { return (r.Round + 1) / 2 }

// answered reports whether an answer to the last question was taken. Of a
// request that is pending still it decided nothing.
func (r Request) answered() bool { return r.Round > 0 && r.Round%2 == 0 }

// A Status is what became of a [Request].
type Status string

// The statuses. Pending and approved requests are live: a binding has at most
// one of them. From the others nothing leads back.
const (
	StatusPending  Status = "pending"
	StatusApproved Status = "approved"
	StatusDenied   Status = "denied"
	StatusFailed   Status = "failed"    // a provider answered nothing that counts, or there was nobody to ask
	StatusTimedOut Status = "timed_out" // nobody decided before it expired
	StatusExpired  Status = "expired"   // it was approved, and not used before it expired
	StatusStale    Status = "stale"     // another protocol was adopted before it was used
	StatusUsed     Status = "used"      // a call used the approval up
)

// A Ruling decides a request.
type Ruling struct {
	Status   Status // StatusApproved, StatusDenied or StatusFailed
	Provider string
	Approver string
	Reason   string
}

// A Book keeps requests. All its methods are atomic, across the processes that
// share it, and what they report is durable. Time is the book's own clock: a
// live request whose time has come is timed out or expired before anything else
// is done with it, and stays so whatever the clock does then.
type Book interface { //nolint:interfacebloat // what is done to one kind of record, all of it
	// Ask returns the request that a call with the binding of fresh stands
	// before: the live one; else one that ended without anybody having been told,
	// which counts as told from then on (also a stale one of the same subject);
	// else fresh itself, pending, with its times set from ttl. A hand-over of
	// nil error and made true says that it is fresh. Too many pending requests
	// are [ErrFull].
	Ask(ctx context.Context, fresh Request, ttl time.Duration) (request Request, made bool, err error)
	// Get returns a request, or an error that matches [ErrUnknown].
	Get(ctx context.Context, id string) (Request, error)
	// Pending returns the requests that wait for a decision, oldest first.
	Pending(ctx context.Context) ([]Request, error)
	// Recent returns requests for calls of this subject that were asked or ended
	// at a time or later, without the one whose id is but: the newest in front,
	// not all where they are very many, and without Arguments and Shown.
	Recent(ctx context.Context, subject, but string, from time.Time) ([]Request, error)
	// Stands reports whether Ask would return a request that is there already.
	Stands(ctx context.Context, binding, subject string) (bool, error)
	// Put counts one more question through a client, and returns its round.
	// Only a pending request can be asked about.
	Put(ctx context.Context, id string) (round int, err error)
	// Take takes the answer to the question of a round. It returns nil once for a
	// question, in whatever process; an answer to one that was answered, or asked
	// again since, is [ErrAnswered]. Only of a pending request it can be taken.
	Take(ctx context.Context, id string, round int) error
	// Decide decides a pending request. One that is not pending is returned as
	// it is with an error that matches [ErrNotPending].
	Decide(ctx context.Context, id string, ruling Ruling) (Request, error)
	// Told says that a call was told how the request ended.
	Told(ctx context.Context, id string) error
	// Claim uses an approved request of this binding up for a call. It returns
	// nil once; later, and for anything but a live approval of exactly this
	// binding, it returns the request as it is and an error that matches
	// [ErrNotApproved].
	Claim(ctx context.Context, id, binding, call string) (Request, error)
	Close() error
}

// Errors that a book's error may match.
const (
	ErrUnknown     bookError = "there is no such request"
	ErrNotPending  bookError = "the request is not pending"
	ErrNotApproved bookError = "the request is not approved"
	ErrFull        bookError = "too many requests are waiting"
	ErrAnswered    bookError = "the question was answered, or asked again since"
)

type bookError string

func (e bookError) Error() string { return string(e) }
