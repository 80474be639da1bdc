// Package server serves one mode of a protocol as an MCP server over stdio.
package server

import (
	"context"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A Mode is what generated code knows of one mode: data, and the sealed
// functions of its tools.
type Mode struct {
	Key         *gate.Key
	Protocol    string // id
	Version     string
	Digest      string // of the protocol
	Mode        string
	Description string
	Tools       []Tool
	Foreign     []gate.Foreign
	// OpenDeps opens what the protocol's handlers share, once a process; nil
	// where the protocol declares no deps.
	OpenDeps func(context.Context) (any, error)
}

// A Tool is one tool of a [Mode].
type Tool struct {
	Name        string
	Description string
	Effect      gate.Effect
	Exclusive   bool
	Input       string   // JSON Schema
	Output      string   // JSON Schema; empty where the protocol declares none
	Record      []string // JSON pointers of the input fields that go into the audit log
	Deadline    time.Duration
	Handler     Handler
}

// A Handler is a sealed tool: a [Func].
type Handler interface {
	decode(raw []byte) (any, error)
	call(ctx context.Context, grant *gate.Grant, deps, input any) (any, error)
}

// A Func is a sealed tool that a Go function implements. It is a plain struct
// around a function so that the linker can drop what a mode does not use.
type Func[In, Out any] struct {
	Run func(ctx context.Context, grant *gate.Grant, deps any, in In) (Out, error)
}

func (f Func[In, Out]) decode(raw []byte) (any, error) { return nil, nil }
func (f Func[In, Out]) call(ctx context.Context, grant *gate.Grant, deps, input any) (any, error) {
	return f.Run(ctx, grant, deps, input.(In))
}

// Main ...
func Main(mode Mode) int { return 0 }
