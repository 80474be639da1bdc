package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/server"
)

func begin(t *testing.T, mode server.Mode, state string) (stop func() error, err error) {
	t.Helper()
	return server.Start(seal.Make(), mode, server.Place{Workspace: t.TempDir(), StateDir: state, Actor: "t"},
		strings.NewReader(""), io.Discard, slog.New(slog.DiscardHandler))
}

func TestINV4_AModeThatIsNotWholeDoesNotStart(t *testing.T) {
	for says, change := range map[string]func(*server.Mode){
		"key":                    func(m *server.Mode) { m.Key = nil },
		"the key is one of":      func(m *server.Mode) { m.Key = gate.NewKey("another") },
		"protocol":               func(m *server.Mode) { m.Protocol = "" },
		"digest":                 func(m *server.Mode) { m.Digest = "" },
		"mode":                   func(m *server.Mode) { m.Mode = "" },
		"it has no handler":      func(m *server.Mode) { m.Tools[0].Handler = nil },
		`tool "add": it has no`:  func(m *server.Mode) { m.Tools[0].Handler = server.Func[addInput, addOutput]{} },
		"an effect":              func(m *server.Mode) { m.Tools[0].Effect = 0 },
		"must have effect write": func(m *server.Mode) { m.Tools[0].Exclusive = true },
		"declared twice":         func(m *server.Mode) { m.Tools[1].Name = "add" },
		"the input: read":        func(m *server.Mode) { m.Tools[0].Input = "" },
		"the output: resolve":    func(m *server.Mode) { m.Tools[0].Output = `{"properties":{"a":{"pattern":"("}}}` },
		"open the deps":          func(m *server.Mode) { m.OpenDeps = func(context.Context) (any, error) { return nil, errors.New("no") } },
		"panic: as it was told":  func(m *server.Mode) { m.OpenDeps = func(context.Context) (any, error) { panic("as it was told") } },
		"invalid parameter header": func(m *server.Mode) {
			m.Tools[0].Input = `{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"a b"}}}`
		},
	} {
		t.Run(says, func(t *testing.T) {
			mode := fixture()
			change(&mode)
			_, err := begin(t, mode, stateDir(t))
			require.ErrorContains(t, err, says)
		})
	}
}

func TestINV1_StartNeedsASealThatRuntimeMade(t *testing.T) {
	var zero seal.Seal
	_, err := server.Start(zero, fixture(), server.Place{Workspace: t.TempDir(), StateDir: stateDir(t), Actor: "t"}, nil, nil, nil)
	require.ErrorContains(t, err, "the seal was not made by runtime")
}

// deps is what the handlers of a protocol share.
type deps struct{ closed bool }

func (d *deps) Close() error {
	d.closed = true
	return nil
}

func TestDepsAreOpenedOnceAndClosedLast(t *testing.T) {
	shared := new(deps)
	opened := 0
	mode := fixture()
	mode.OpenDeps = func(context.Context) (any, error) { opened++; return shared, nil }
	mode.Tools = append(mode.Tools, server.Tool{
		Name: "shared", Effect: gate.Read, Input: emptySchema,
		Handler: server.Func[empty, empty]{Run: func(_ context.Context, _ *gate.Grant, got any, _ empty) (empty, error) {
			if got != any(shared) || shared.closed {
				return empty{}, errors.New("not what was opened")
			}
			return empty{}, nil
		}},
	})
	w := dial(t, mode)
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.receive()
	for range 2 {
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shared"}}`)
		require.Contains(t, w.receive(), "done")
	}
	require.NoError(t, w.stop())
	require.Equal(t, 1, opened)
	require.True(t, shared.closed)
}

func TestAServerOfAnotherProtocolDigestRefusesWritesAndGoesOnReading(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	stop, err := begin(t, fixture(), state)
	require.NoError(t, err)
	require.NoError(t, stop())

	mode := fixture()
	mode.Digest = "sha256:f2"
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	stop, err = server.Start(seal.Make(), mode, server.Place{Workspace: t.TempDir(), StateDir: state, Actor: "t"},
		requests, answers, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	p := &wire{t: t, in: in, lines: bufio.NewReader(out)}
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	p.receive()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":{"path":"a"}}}`)
	require.Contains(t, p.receive(), string(gate.ProtocolMismatch))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`)
	require.Contains(t, p.receive(), `"sum":1`)
	require.NoError(t, stop())
}

func TestINV5_DigestsOfEqualArgumentsAreEqual(t *testing.T) {
	w := dial(t, fixture())
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.receive()
	for _, arguments := range []string{`{"a":1,"b":2}`, `{"b":2.0,"a":1e0}`, `{"a":2,"b":1}`} {
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":` + arguments + `}}`)
		w.receive()
	}
	require.NoError(t, w.stop())
	all, _ := entries(t, w.state)
	calls := of(all, "add")
	require.Equal(t, calls[0].Args, calls[2].Args)
	require.NotEqual(t, calls[0].Args, calls[4].Args)
}
