// Package servertest lets the tests of a protocol's handlers call them the
// only way there is: through a server, its gate, its audit log and a client.
// Nothing is faked but the streams between client and server.
//
// It refuses to run outside a test.
package servertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/server"
)

// connectTimeout bounds the start of a session.
const connectTimeout = 30 * time.Second

// Options say where a server works. The zero value is a workspace and a state
// folder of its own, both empty.
type Options struct {
	Workspace string // folder to work on; a temporary one where empty
	StateDir  string // servers that are given the same one share the audit log; a temporary one where empty
	Actor     string // "test" where empty
	// ProtocolVersion of MCP that the client speaks; the newest where empty.
	ProtocolVersion string
	// Person decides what a tool wants an approval for, as somebody at the queue
	// would. Nobody does where it is nil.
	Person func(approval.Request) bool
}

// A Client is connected to one mode's server.
type Client struct {
	session   *mcp.ClientSession
	stop      func() error
	workspace string
	stateDir  string
	progress  *progress
}

// Start serves a mode and connects a client to it. Both end with the test.
func Start(t testing.TB, mode server.Mode, options Options) *Client {
	t.Helper()
	// A testing.TB can be faked by embedding one; this cannot.
	if !testing.Testing() {
		panic("servertest is for tests")
	}
	if options.Workspace == "" {
		options.Workspace = t.TempDir()
	}
	// testing.Testing can be faked by a linker flag. What is made only for a test
	// is not worth faking it for.
	if err := temporary(options.Workspace); err != nil {
		panic("servertest is for tests: " + err.Error())
	}
	if options.StateDir == "" {
		options.StateDir = t.TempDir()
	}
	// A state folder is for its owner alone, and t.TempDir is not that.
	options.StateDir = filepath.Join(options.StateDir, "state")
	if options.Actor == "" {
		options.Actor = "test"
	}
	client, err := start(mode, options)
	if err != nil {
		t.Fatalf("start mode %q of protocol %q: %v", mode.Mode, mode.Protocol, err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("stop mode %q of protocol %q: %v", mode.Mode, mode.Protocol, err)
		}
	})
	return client
}

// temporary refuses a folder that is not below the system's folder for
// temporary files.
func temporary(folder string) error {
	below, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return fmt.Errorf("find the folder for temporary files: %w", err)
	}
	actual, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("find the workspace: %w", err)
	}
	if within, err := filepath.Rel(below, actual); err != nil || !filepath.IsLocal(within) {
		return fmt.Errorf("the workspace %s is not a temporary folder", folder)
	}
	return nil
}

func start(mode server.Mode, options Options) (*Client, error) {
	requests, fromClient := io.Pipe()
	answers, toClient := io.Pipe()
	stop, err := server.Start(seal.Make(), mode, server.Place{
		Workspace: options.Workspace, StateDir: options.StateDir, Actor: options.Actor,
	}, requests, toClient, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	person, err := seat(mode, options)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	end := func() error { return errors.Join(stop(), toClient.Close(), requests.Close(), person.leave()) }
	c := &Client{stop: end, workspace: options.Workspace, stateDir: options.StateDir, progress: new(progress)}
	client := mcp.NewClient(&mcp.Implementation{Name: "servertest", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, ProgressNotificationHandler: c.progress.note,
	})
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	c.session, err = client.Connect(ctx, &mcp.IOTransport{Reader: answers, Writer: fromClient},
		&mcp.ClientSessionOptions{ProtocolVersion: options.ProtocolVersion})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), end())
	}
	return c, nil
}

// Workspace is the folder that the server works on.
func (c *Client) Workspace() string { return c.workspace }

// StateDir is the folder in which the server keeps the audit log.
func (c *Client) StateDir() string { return c.stateDir }

// Close ends the session and the server, as a client that goes away does. It
// is called at the end of the test; calling it before is allowed once.
func (c *Client) Close() error {
	if c.stop == nil {
		return nil
	}
	stop := c.stop
	c.stop = nil
	return errors.Join(stop(), c.session.Close())
}
