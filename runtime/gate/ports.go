package gate

import (
	"context"
	"time"
)

// A Codec stands between JSON and the Go values of one tool.
type Codec interface {
	// Decode reads a tool's arguments. It refuses, with an *[ArgumentError],
	// whatever is not exactly one object of the declared shape: duplicate,
	// unknown or differently spelled keys, wrong types, numbers that would lose
	// digits, and anything the input schema does not allow. Absent arguments and
	// null stand for the empty object.
	Decode(arguments []byte) (Input, error)
	// Encode writes a handler's result and holds it against the output schema.
	Encode(output any) ([]byte, error)
}

// Input is a tool's decoded arguments.
type Input struct {
	Value     any               // what the handler takes
	Canonical []byte            // RFC 8785 form of the decoded value, integers exact; the digest is over this
	Recorded  map[string]string // JSON pointer to bounded JSON text: the fields the protocol records
}

// An ArgumentError says why arguments were refused.
type ArgumentError struct {
	Code    Code // ArgumentsMalformed or ArgumentsInvalid
	Message string
}

func (e *ArgumentError) Error() string { return e.Message }

// A Handler does the work of one tool. Generated code implements it; the gate
// alone calls it.
type Handler interface {
	Call(ctx context.Context, grant *Grant, input any) (output any, err error)
}

// A Failure is an error with which a handler names its own code, in upper case
// with underscores. A code that is the gate's own, or no code, is reported as
// [HandlerFailed].
type Failure struct {
	Code      Code
	Message   string
	Next      string // what to do about it, said to a model
	Retryable bool   // the same call may succeed later with nothing changed; never of a commit, which uses its handle up
}

func (f *Failure) Error() string { return f.Message }

// A Ledger is the audit log. When a method returns nil the entry is in the log,
// in order; when it returns an error nobody may rely on it.
type Ledger interface {
	// Admit records that a call is about to run. For a write the entry is
	// durable before Admit returns, and a write of a protocol that is not the one
	// in force is refused with a *[Refusal].
	Admit(ctx context.Context, entry Entry) error
	// Record records anything else.
	Record(ctx context.Context, entry Entry) error
}

// An Event is the kind of an [Entry].
type Event string

// The events of the gate.
const (
	ToolCall     Event = "tool_call"     // a request, with its final decision
	ToolResult   Event = "tool_result"   // the outcome of an admitted one
	WF1Violation Event = "wf1_violation" // a request, refused, for an exclusive tool of another mode

	ApprovalRequest  Event = "approval_request"  // somebody else is asked about a request
	ApprovalDecision Event = "approval_decision" // what they said; a tool_call uses it up
)

// An Entry is what the gate tells the ledger. The ledger adds the sequence and
// the chain.
type Entry struct {
	Event    Event
	Time     time.Time
	Protocol string
	Digest   string // of the protocol
	Mode     string
	Tool     string
	Effect   Effect
	CallID   string
	Actor    string
	Session  string
	Args     string            // "sha256:…" of the canonical arguments, "raw:sha256:…" where they were not decoded; of a commit whose plan was found, of handle and plan, as they are approved
	Plan     string            // digest of the plan that a preview made or a commit carries out
	Recorded map[string]string // see [Input]
	Decision string            // Admitted, Refused or Replayed, of a request
	Outcome  string            // Succeeded or Failed, of an admitted request
	Code     Code              // why it was refused or failed
	Approval *Approval         // where one was asked for
}

// Words of an [Entry].
const (
	Admitted  = "admitted"
	Refused   = "refused"
	Replayed  = "replayed" // of a commit that ended before: its ending was handed out again
	Succeeded = "succeeded"
	Failed    = "failed"
)

// An Approver asks somebody other than the caller.
type Approver interface {
	// Decide finds or obtains a decision about exactly what is asked.
	Decide(ctx context.Context, ask Ask) (Decision, error)
	// Claim uses up the approval that Decide returned. It decides Approved once
	// for an approval, whoever else claims it at the same time, in whatever
	// process; what it has decided so is durable.
	Claim(ctx context.Context, ask Ask, id string) (Decision, error)
}

// An Ask is the whole of what an approver is asked about.
type Ask struct {
	Binding   string // digest of protocol digest, mode, tool, actor and canonical arguments
	CallID    string
	Protocol  string
	Digest    string
	Mode      string
	Tool      string
	Actor     string
	Session   string
	Workspace string
	Arguments []byte   // canonical JSON
	By        []string // providers, in the order in which they are to be tried
	Client    any      // [Request.Client]
	Progress  func(done, total float64, message string)
	// Continue makes this call the one with an id, which ended in a question: once
	// its answer is proved to be of that call, and can be used by no other any
	// more. It is called by Decide, before it returns.
	Continue func(call string)
	// Record writes an approval_request or an approval_decision of this call to
	// the log. Nobody is asked and nothing is decided when it fails.
	Record func(ctx context.Context, event Event, approval Approval) error
}

// A Verdict is how an approver decided. The zero value is no decision, which
// refuses.
type Verdict uint8

// The verdicts. Only Approved lets a call run.
const (
	Undecided Verdict = iota
	Approved
	Denied
	Pending
	Expired
	Stale
	TimedOut
	Nobody
	Used    // by another call
	Unasked // the call carries an answer to no question of ours
)

// A Decision answers an [Ask]. It counts only with the binding of that ask.
type Decision struct {
	Verdict   Verdict
	Binding   string
	ID        string // of the approval
	Provider  string
	Approver  string // who decided, as far as the provider can tell
	Reason    string
	ExpiresAt time.Time     // of the approval; zero where it is not known
	Waited    time.Duration // from the request to the decision
	Detail    string        // for the server's log alone
	Question  any           // with Pending: what the client has to be asked; the call then comes again
}

// Approval is what a decision leaves in the log and in a refusal.
type Approval struct {
	ID        string `json:"id,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Approver  string `json:"approver,omitempty"`
	Decision  string `json:"decision"`
	Reason    string `json:"reason,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"` // RFC 3339
	Waited    string `json:"waited,omitempty"`     // as time.Duration prints it
}

// A Clock tells the time and measures waits.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives once d has passed, and a function
	// that gives the timer back.
	After(d time.Duration) (<-chan time.Time, func())
}
