// Package protocol reads a protocol file: YAML in, a typed Protocol with
// positions out. It is the only importer of the YAML library, and it says
// everything that is wrong with a file's form, not just the first thing.
// Whether a well-formed protocol keeps the rules is package check's business.
package protocol

import "github.com/gatewright/gatewright/gen/diag"

// A Text is a scalar of the file and where it stands. An absent one has the
// zero Span; its value is then the default, or empty.
type Text struct {
	Value string
	Span  diag.Span
}

// IsZero says whether the text is neither written nor has a default.
func (t Text) IsZero() bool { return t == Text{} }

// A Protocol is one file, in source order throughout.
type Protocol struct {
	File        string
	Span        diag.Span // of the document's first key
	ID          Text
	Version     Text // as written, so 1.10 stays "1.10"; "0.0.0" where absent
	Description Text
	InitialMode Text
	Declared    []Text // exclusive_tools as written; see [Protocol.Exclusive]
	Strict      bool
	Go          Go
	Tools       []*Tool
	Modes       []*Mode
}

// Go says where Go handlers live.
type Go struct {
	Package Text // path relative to the protocol's folder; "./" by default
	Deps    Text // name of the deps type, may be absent
}

// An Effect is what a tool may do to the world: "read" or "write".
type Effect string

// The effects.
const (
	Read  Effect = "read"
	Write Effect = "write"
)

// A Tool is one entry of tools.
type Tool struct {
	Name        Text
	Description Text
	Effect      Effect
	EffectSpan  diag.Span // zero where the default stands
	Unclear     bool      // something is said about the effect that could not be understood
	Input       *Value    // JSON Schema with type: object implied; nil where absent: no arguments
	Plan        *Value    // of a tool in two phases: what its preview stores; nil of all others
	Output      *Value    // nil where absent: no structured output
	Record      []Text    // JSON pointers into the input
	Approval    *Approval // nil where nobody has to be asked
	Run         Text      // name of the Go function, of a tool in two phases that of its commit; [GoName] of the tool's where absent
	Phases      *Phases   // nil of a tool in one phase
	Waive       []Waiver
}

// A Mode is one entry of modes.
type Mode struct {
	Name        Text
	Description Text
	Tools       []Text
	Transitions []Transition
	Waive       []Waiver
}

// A Transition leads from the mode that declares it to another.
type Transition struct {
	Event Text
	To    Text
}

// A Waiver takes one finding back in the open.
type Waiver struct {
	Rule Text
	Why  Text
}

// Kind is what a [Value] is, in JSON's terms.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Value is a JSON value of the file, with positions and in source order.
type Value struct {
	Kind    Kind
	Span    diag.Span
	Literal string // of Bool and Number: JSON text; of String: the string itself
	Items   []*Value
	Members []Member
}

// A Member is one key of an object.
type Member struct {
	Key   Text
	Value *Value
}
