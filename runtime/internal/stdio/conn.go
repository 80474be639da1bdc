package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxInFlight bounds the requests that are being worked on at once.
const MaxInFlight = 1024

// codeBusy is the answer to a request beyond that.
const codeBusy = -32000

// A Conn is the transport and its one connection.
type Conn struct {
	lines *lines

	received chan jsonrpc.Message
	ended    chan struct{} // closed when no further message will be received
	stopped  chan struct{} // closed by Stop
	closed   chan struct{} // closed by Close
	stop     sync.Once
	close    sync.Once

	writing sync.Mutex
	out     io.Writer

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]bool
	pending  int           // requests whose answer has not been written
	drained  chan struct{} // closed when none is pending, while somebody waits for that
}

var (
	_ mcp.Transport  = (*Conn)(nil)
	_ mcp.Connection = (*Conn)(nil)
)

// New returns a connection over a pair of streams. It does not close them.
func New(in io.Reader, out io.Writer) *Conn {
	return &Conn{
		lines: newLines(in, MaxLine), out: out,
		received: make(chan jsonrpc.Message), ended: make(chan struct{}),
		stopped: make(chan struct{}), closed: make(chan struct{}),
		inFlight: map[jsonrpc.ID]bool{},
	}
}

// Connect implements mcp.Transport. It starts reading.
func (c *Conn) Connect(context.Context) (mcp.Connection, error) {
	go c.receive()
	return c, nil
}

// SessionID implements mcp.Connection. There is one session a process.
func (c *Conn) SessionID() string { return "" }

// receive reads lines until the input ends. It runs in a goroutine of its own
// because a read of a pipe cannot be interrupted.
func (c *Conn) receive() {
	defer close(c.ended)
	for {
		line, err := c.lines.next()
		switch {
		case errors.Is(err, errTooLong):
			c.answer(requestFault("the line is longer than %d bytes", MaxLine))
			continue
		case err != nil:
			return
		}
		message, bad := parse(line)
		if bad == nil {
			bad = c.begin(message)
		}
		if bad != nil {
			c.answer(bad)
			continue
		}
		select {
		case <-c.stopped: // first, since the other cases may be open as well
			return
		default:
		}
		select {
		case c.received <- message:
		case <-c.stopped:
			return
		case <-c.closed:
			return
		}
	}
}

// begin notes a request as being worked on.
func (c *Conn) begin(message jsonrpc.Message) *fault {
	request, isRequest := message.(*jsonrpc.Request)
	if !isRequest || !request.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[request.ID] {
		// With the id, this answer would be taken for the first request's.
		return requestFault("the id %v is in use by a request that is still being worked on", request.ID.Raw())
	}
	if len(c.inFlight) >= MaxInFlight {
		return &fault{code: codeBusy, message: "too many requests are being worked on; wait for answers", id: request.ID}
	}
	c.inFlight[request.ID] = true
	c.pending++
	return nil
}

// Read implements mcp.Connection. The end of the input is not the end of the
// connection: what was asked before it can still be answered, until Close.
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-c.received:
		return message, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (c *Conn) Write(_ context.Context, message jsonrpc.Message) error {
	response, isResponse := message.(*jsonrpc.Response)
	if isResponse {
		c.free(response.ID)
		defer c.answered(response.ID)
		message = polite(response)
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return c.line(text)
}

// polite bounds the words of an error, which may repeat what came in, and
// gives a code to those to which the SDK gives none: they are about requests
// that come at the wrong time.
func polite(response *jsonrpc.Response) *jsonrpc.Response {
	if response.Error == nil {
		return response
	}
	said := jsonrpc.Error{Message: response.Error.Error()}
	if wire, ok := errors.AsType[*jsonrpc.Error](response.Error); ok {
		said.Code, said.Data = wire.Code, wire.Data
	}
	if said.Code == 0 {
		said.Code = jsonrpc.CodeInvalidRequest
	}
	if len(said.Message) > 1000 {
		said.Message, said.Data = bounded(said.Message), nil
	}
	return &jsonrpc.Response{ID: response.ID, Error: &said}
}

// free lets the id of a request be used again, which the client may do as soon
// as it has read the answer.
func (c *Conn) free(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inFlight, id)
}

func (c *Conn) answered(id jsonrpc.ID) {
	if !id.IsValid() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending--
	if c.pending == 0 && c.drained != nil {
		close(c.drained)
		c.drained = nil
	}
}

// answer writes an error that the SDK has no part in. That the client does
// not read it is found out by the next write of the SDK.
func (c *Conn) answer(bad *fault) {
	text, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   any    `json:"error"`
	}{"2.0", bad.id.Raw(), jsonrpc.Error{Code: bad.code, Message: bad.message}})
	if err == nil {
		_ = c.line(text)
	}
}

func (c *Conn) line(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}

// Ended is closed when the client has closed its side.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Stop takes no further message in. What is being worked on can still be
// answered, until Close.
func (c *Conn) Stop() { c.stop.Do(func() { close(c.stopped) }) }

// Drain waits until every request has been answered.
func (c *Conn) Drain(ctx context.Context) {
	c.mu.Lock()
	if c.pending == 0 {
		c.mu.Unlock()
		return
	}
	if c.drained == nil {
		c.drained = make(chan struct{})
	}
	drained := c.drained
	c.mu.Unlock()
	select {
	case <-drained:
	case <-ctx.Done():
	}
}

// Close implements mcp.Connection.
func (c *Conn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}
