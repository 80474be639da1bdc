package server

import (
	"context"
	"fmt"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/codec"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// A Mode is what generated code knows of one mode: data, and the sealed
// functions of its tools.
type Mode struct {
	Key         *gate.Key
	Protocol    string // id
	Version     string
	Digest      string // of the protocol
	Text        string // the protocol itself in canonical form, kept in the state folder while it is pinned; may be empty
	Mode        string
	Description string
	Tools       []Tool
	Foreign     []gate.Foreign
	// OpenBook opens where approvals are kept; nil where no tool of the mode wants
	// one, so that what it needs is not linked there.
	OpenBook func(context.Context, *state.Folder) (approval.Book, error)
	// OpenPlans opens where plans are kept; nil where no tool of the mode has
	// phases.
	OpenPlans func(context.Context, *state.Folder) (preview.Plans, error)
	// OpenDeps opens what the protocol's handlers share, once a process; nil
	// where the protocol declares no deps. What it returns is closed at the end
	// if it has a Close method.
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
	Approval    *approval.Policy // nil where the protocol asks for none
	Handler     Handler

	// Of a half of a two-phase tool. The output of a preview and the input of a
	// commit are the plan; what clients see around them is this package's.
	Phase Phase
	Base  string // name of the two-phase tool
	TTL   time.Duration
}

// A Handler is a sealed tool: a [Func].
type Handler interface {
	sealed() bool // there is a function
	decode(canonical []byte, strict codec.Strict) (any, error)
	call(ctx context.Context, grant *gate.Grant, deps, input any) (any, error)
}

// A Func is a sealed tool that a Go function implements. It is a plain struct
// around a function so that the linker can drop what a mode does not use.
type Func[In, Out any] struct {
	Run func(ctx context.Context, grant *gate.Grant, deps any, in In) (Out, error)
}

func (f Func[In, Out]) sealed() bool { return f.Run != nil }

func (f Func[In, Out]) decode(canonical []byte, strict codec.Strict) (any, error) {
	return codec.Typed[In](canonical, strict)
}

func (f Func[In, Out]) call(ctx context.Context, grant *gate.Grant, deps, input any) (any, error) {
	in, ok := input.(In)
	if !ok {
		return nil, fmt.Errorf("the input is a %T", input)
	}
	return f.Run(ctx, grant, deps, in)
}
