package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/internal/stdio"
)

// Bounds of the end of a session, after the gate has closed.
const (
	drainAnswers = 2 * time.Second // for answers to be written
	endSession   = time.Second     // for the SDK to let go
)

// A session is a service that a client is connected to.
type session struct {
	service *service
	conn    *stdio.Conn
	gone    chan struct{} // closed when the SDK has let go of the connection
}

// connect starts to serve a connection.
func (s *service) connect(conn *stdio.Conn) (*session, error) {
	server, err := s.protocol()
	if err != nil {
		return nil, err
	}
	connected, err := server.Connect(context.Background(), conn, nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &session{service: s, conn: conn, gone: wait(connected)}, nil
}

func wait(connected *mcp.ServerSession) chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = connected.Wait() // the client is gone, however that came about
	}()
	return gone
}

// ended is closed when the client will send nothing more, or cannot be
// answered any more.
func (s *session) ended() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-s.conn.Ended():
		case <-s.gone:
		}
	}()
	return ended
}

// end takes nothing more in, tells handlers to stop, answers what can still be
// answered, and closes the log. It is bounded, whatever handlers and the
// client do.
func (s *session) end() error {
	s.conn.Stop()
	err := s.service.closeGate()
	ctx, cancel := context.WithTimeout(context.Background(), drainAnswers)
	defer cancel()
	s.conn.Drain(ctx)
	err = errors.Join(err, s.service.closeRest(), s.conn.Close())
	select {
	case <-s.gone:
	case <-time.After(endSession):
	}
	return err
}
