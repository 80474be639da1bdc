package gate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gatewright/gatewright/runtime/internal/seal"
)

// Bounds that nothing can lift.
const (
	DefaultDeadline = 10 * time.Minute // for a handler whose tool declares none
	StopGrace       = 5 * time.Second  // for a handler to return once its context has ended
	recordDeadline  = 10 * time.Second // for the log to take an outcome, whatever became of the request
	maxName         = 120              // bytes of an unknown tool's name that are kept
	maxWords        = 8 << 10          // bytes of the words of how a commit failed
	maxListed       = 256 << 10        // bytes of each list of a commit that was carried out in part
)

// A Tool is one tool of the mode.
type Tool struct {
	Name      string
	Effect    Effect
	Exclusive bool // it confers approval
	Codec     Codec
	Handler   Handler
	Approval  []string      // providers to ask, in order; empty where the protocol asks for none
	Deadline  time.Duration // for the handler alone; 0 is DefaultDeadline

	Phase Phase
	Base  string        // of a phase: name of the two-phase tool
	Plan  Codec         // of a phase: reads the plan; the Codec of a commit reads a [Commitment]
	TTL   time.Duration // of a preview: how long its plan can be carried out
}

// A Foreign tool is one that other modes of the protocol hold.
type Foreign struct {
	Name      string
	Exclusive bool
	Modes     []string
}

// A Config is everything a gate is made of. Only Log may be missing, and Plans
// where no tool needs them.
type Config struct {
	Key       *Key
	Protocol  string // its id
	Digest    string // of the protocol
	Mode      string
	Actor     string
	Session   string
	Workspace string
	Tools     []Tool
	Foreign   []Foreign

	Ledger   Ledger
	Approver Approver
	Plans    Plans // nil where no tool has phases
	Clock    Clock
	Log      *slog.Logger
}

// A Gate admits the calls of one mode. It is safe for concurrent use. A nil
// Gate and the zero Gate refuse everything.
type Gate struct {
	config  Config
	tools   map[string]Tool
	foreign map[string]Foreign
	stop    context.Context
	halt    context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running int
	idle    chan struct{} // closed when the gate is closed and nothing runs
}

// New builds a gate. It can be called from runtime alone: see package seal.
func New[S seal.Only](s S, config Config) (*Gate, error) {
	switch {
	case !seal.Made(s):
		return nil, errors.New("make a gate: the seal was not made by runtime")
	case config.Key == nil || config.Ledger == nil || config.Approver == nil || config.Clock == nil:
		return nil, errors.New("make a gate: key, ledger, approver and clock are all needed")
	case config.Protocol == "" || config.Digest == "" || config.Mode == "" || config.Actor == "":
		return nil, errors.New("make a gate: protocol, digest, mode and actor are all needed")
	case config.Key.protocol != config.Protocol:
		return nil, fmt.Errorf("make a gate: the key is one of protocol %q, not of %q", config.Key.protocol, config.Protocol)
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	g := &Gate{
		config:  config,
		tools:   make(map[string]Tool, len(config.Tools)),
		foreign: make(map[string]Foreign, len(config.Foreign)),
		idle:    make(chan struct{}),
	}
	g.stop, g.halt = context.WithCancel(context.Background())
	for _, tool := range config.Tools {
		if tool.Name == "" || tool.Codec == nil || tool.Handler == nil || (tool.Effect != Read && tool.Effect != Write) {
			return nil, fmt.Errorf("make a gate: tool %q needs a name, an effect, a codec and a handler", tool.Name)
		}
		if tool.Exclusive && tool.Effect != Write {
			return nil, fmt.Errorf("make a gate: tool %q confers approval and must have effect write", tool.Name)
		}
		if err := tool.phased(config.Plans); err != nil {
			return nil, fmt.Errorf("make a gate: tool %q: %w", tool.Name, err)
		}
		if _, twice := g.tools[tool.Name]; twice {
			return nil, fmt.Errorf("make a gate: tool %q is declared twice", tool.Name)
		}
		if tool.Deadline <= 0 {
			tool.Deadline = DefaultDeadline
		}
		g.tools[tool.Name] = tool
	}
	for _, tool := range config.Foreign {
		g.foreign[tool.Name] = tool
	}
	return g, nil
}

// phased refuses a tool whose phase does not fit the rest of it.
func (t *Tool) phased(plans Plans) error {
	switch {
	case t.Phase == Single:
		return nil
	case plans == nil || t.Base == "":
		return errors.New("a phase needs plans and the name of its tool")
	case t.Plan == nil:
		return errors.New("a phase needs a codec of its plan")
	case t.Phase == Preview && (t.Effect != Read || t.TTL <= 0):
		return errors.New("a preview reads, and its plan has a time to live")
	case t.Phase == Commit && t.Effect != Write:
		return errors.New("a commit writes")
	case t.Phase > Commit:
		return errors.New("there is no such phase")
	}
	return nil
}

// A Request is one call as it came in. Nothing in it is trusted.
type Request struct {
	Tool      string
	Arguments []byte // raw JSON; nil, empty and null stand for no arguments
	Progress  func(done, total float64, message string)

	Client   any  // for the approver alone: how the client of this request can be asked
	Answered bool // it carries an answer of the client to some question
}

// A Result is what became of a request: an output or a refusal.
type Result struct {
	CallID  string
	Output  []byte // JSON that satisfies the output schema; nil with a refusal
	Refusal *Refusal
}

// A Refusal says no, or that a call went wrong after it was admitted; the
// words of its code tell which.
type Refusal struct {
	Code      Code
	Message   string
	Next      string
	Retryable bool
	Approval  *Approval
	Output    []byte   // the result of a call that ran but could not be recorded
	Question  any      // with ApprovalPending: what the client has to be asked; the call is not over
	Partial   *Partial // with CommitPartial: how far it got
	Detail    string   // for the server's log alone
}

func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// Refuse returns a refusal with the words of its code.
func Refuse(code Code, format string, args ...any) *Refusal {
	words, _ := Explain(code)
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...), Next: words.Next, Retryable: words.Retryable}
}

// Call is the one path from a request to a handler. See the package comment
// for its order. It returns within the tool's deadline and [StopGrace] of the
// moment the handler starts, and sooner when ctx or the gate ends; waiting for
// an approval is bounded by the approver. Every refusal is in the log, except
// that of a closed gate, whose log may be closed as well.
func (g *Gate) Call(ctx context.Context, request Request) Result {
	a := &admission{gate: g, request: request, id: rand.Text()}
	if g == nil || g.stop == nil || !g.enter() {
		return Result{CallID: a.id, Refusal: Refuse(GateClosed, "this server takes no more calls")}
	}
	defer g.leave()
	ctx, end := context.WithCancelCause(ctx)
	defer end(errOver)
	defer context.AfterFunc(g.stop, func() { end(errShutdown) })()
	output, refusal := a.run(ctx)
	return Result{CallID: a.id, Output: output, Refusal: refusal}
}

// Close lets no further call in, ends the context of those that run, and waits
// for them until ctx is done.
func (g *Gate) Close(ctx context.Context) error {
	if g == nil || g.stop == nil {
		return nil
	}
	g.shut()
	g.halt()
	select {
	case <-g.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the gate: calls are still running: %w", context.Cause(ctx))
	}
}

func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running++
	return true
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.closed && g.running == 0 {
		close(g.idle)
	}
}

// shut closes the gate to further calls.
func (g *Gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		if g.running == 0 {
			close(g.idle)
		}
	}
}

// binding is the digest an approval is bound to. Each part is preceded by its
// length, so that no two different lists of parts run together.
func binding(parts ...[]byte) string {
	sum := sha256.New()
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		sum.Write(size[:])
		sum.Write(part)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
