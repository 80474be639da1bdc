package gate

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// What a handler meets when it holds no admission for what it tries. They are
// constants, since a variable could be set to nil by any package of the
// process, and no error at all is what lets a call through.
const (
	ErrNoGrant       grantError = "this permit was not given by the gate"
	ErrGrantOver     grantError = "the call this permit was given for is over"
	ErrForeignGrant  grantError = "this permit belongs to another protocol"
	ErrGrantReadOnly grantError = "this permit is a read permit; a guarded client needs a write permit"
)

type grantError string

func (e grantError) Error() string { return string(e) }

// Effect says what a tool may do to the world. The zero value is no effect at
// all, and a tool without an effect is refused.
type Effect uint8

// The effects a protocol can declare.
const (
	Read Effect = iota + 1
	Write
)

func (e Effect) String() string {
	switch e {
	case Read:
		return "read"
	case Write:
		return "write"
	}
	return "none"
}

// A Key stands for one protocol. The generated package keeps its key where
// nobody else can import it, so grants and guarded clients of one protocol are
// of no use to another, whoever builds a server around the same names.
type Key struct{ protocol string }

// NewKey returns a key that equals no other key.
func NewKey(protocol string) *Key { return &Key{protocol: protocol} }

// A Grant is one running admission. Only a [Gate] makes a live one; the zero
// value and nil are refused everywhere. It is safe for concurrent use.
type Grant struct {
	key    *Key
	effect Effect
	call   *Call
	over   atomic.Bool
}

// live returns the call behind the grant while that call is running: a copy, so
// that whoever changes it changes nothing for the next. A copy of a grant is no
// grant: it would not learn that the call is over.
func (g *Grant) live(key *Key) (*Call, error) {
	switch {
	case g == nil || g.key == nil || g.call == nil || g.call.grant != g || key == nil:
		return nil, ErrNoGrant
	case g.key != key:
		return nil, ErrForeignGrant
	case g.over.Load():
		return nil, ErrGrantOver
	}
	call := *g.call
	return &call, nil
}

// Open returns the call that a grant admits. Generated code calls it with its
// protocol's key. It fails once the call is over.
func Open(key *Key, grant *Grant) (*Call, error) { return grant.live(key) }

// A Guarded client is one that only a running write can reach. Its zero value
// is reached by nobody.
type Guarded[C any] struct {
	key  *Key
	open func(*Call) (C, error)
}

// Guard puts a client behind the protocol of key. open runs at each [Use], for
// the call that uses it; a client that holds resources releases them when the
// context of that call is done.
func Guard[C any](key *Key, open func(*Call) (C, error)) Guarded[C] {
	return Guarded[C]{key: key, open: open}
}

// Use opens a guarded client for a running write call of the same protocol.
func Use[C any](key *Key, grant *Grant, client Guarded[C]) (C, error) {
	var none C
	call, err := grant.live(key)
	switch {
	case err != nil:
		return none, err
	case grant.effect != Write:
		return none, ErrGrantReadOnly
	case client.key != key:
		return none, ErrForeignGrant
	case client.open == nil:
		return none, ErrNoGrant
	}
	return client.open(call)
}

// A Call is what a handler may know about the call it serves.
type Call struct {
	ID        string // unique; the audit log's entries of this call carry it
	Protocol  string
	Mode      string
	Tool      string
	Actor     string // a claim of whoever started the server, not a proof
	Workspace string // absolute path of the folder the call works on

	ctx      context.Context
	log      *slog.Logger
	progress func(done, total float64, message string)
	grant    *Grant
}

// Context ends when the call does: at its deadline, when the client cancels,
// when the server shuts down, and at the latest when the handler has returned.
func (c *Call) Context() context.Context { return c.ctx }

// Log writes to the server's own log, never to the client.
func (c *Call) Log() *slog.Logger { return c.log }

// Progress tells the client how far the call has come; total is 0 where it is
// not known. It does nothing once the call is over or where the client did not
// ask for progress.
func (c *Call) Progress(done, total float64, message string) {
	if c.progress != nil && !c.grant.over.Load() {
		c.progress(done, total, message)
	}
}
