package emit

import (
	"fmt"
	"strings"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// A phase is what an operation is of its tool.
type phase uint8

// The phases.
const (
	whole phase = iota // all of a tool in one phase
	preview
	commit
)

// phasesOf lists the phases of a tool, in the order in which they run.
func phasesOf(t *protocol.Tool) []phase {
	if t.Phases == nil {
		return []phase{whole}
	}
	return []phase{preview, commit}
}

// suffix is what the phase puts behind the name of a tool.
func (p phase) suffix() string {
	switch p {
	case preview:
		return protocol.PreviewSuffix
	case commit:
		return protocol.CommitSuffix
	default:
		return ""
	}
}

// argument is what handlers call what they take.
func (p phase) argument() string {
	if p == commit {
		return "plan"
	}
	return "in"
}

// An operation is one tool as clients see it: a tool in one phase, or the
// preview or the commit of a tool in two. Each has a handler and a permit of
// its own.
type operation struct {
	tool  *tool
	phase phase
	name  string // as clients see it
	names operationNames

	takes         *schema.Schema
	gives         *schema.Schema // nil where the handler returns no value
	input, output string         // types in the contracts; output is empty where gives is nil
}

// operations lists what clients see of a tool.
func (e *emitter) operations(t *tool) []*operation {
	all := make([]*operation, 0, len(t.names.operations))
	for i, phase := range phasesOf(t.Tool) {
		o := &operation{tool: t, phase: phase, name: t.Name.Value + phase.suffix(), names: t.names.operations[i], takes: t.input, gives: t.output, input: t.names.input, output: t.names.output}
		switch phase {
		case preview:
			o.gives, o.output = t.plan, t.names.plan
		case commit:
			o.takes, o.input = t.plan, t.names.plan
		case whole:
		}
		if o.gives == nil {
			o.output = ""
		}
		all = append(all, o)
	}
	return all
}

// every lists what clients see of all tools, in source order.
func (e *emitter) every() []*operation {
	var all []*operation
	for _, source := range e.protocol.Tools {
		all = append(all, e.tools[source.Name.Value].operations...)
	}
	return all
}

// of lists what clients see of the tools of a mode.
func (e *emitter) of(m *protocol.Mode) []*operation {
	var all []*operation
	for _, name := range m.Tools {
		all = append(all, e.tools[name.Value].operations...)
	}
	return all
}

// effect is that of the operation: a preview only reads, whatever its tool does.
func (o *operation) effect() protocol.Effect {
	if o.phase == preview {
		return protocol.Read
	}
	return o.tool.Effect
}

// exclusive reports whether running the operation confers approval.
func (o *operation) exclusive() bool { return o.tool.exclusive && o.phase != preview }

// description is what the protocol says of the tool and, of a tool in two
// phases, what the operation has to do with the other one.
func (o *operation) description() string {
	said := o.tool.Description.Value
	var more string
	switch o.phase {
	case preview:
		more = fmt.Sprintf("Shows what would be done and returns a handle, which %s takes within %s; nothing is changed.", o.tool.Name.Value+protocol.CommitSuffix, protocol.Shorten(o.tool.Phases.TTL))
	case commit:
		more = fmt.Sprintf("Runs exactly the plan of a handle from %s, once and within %s of the preview; needs confirmed: true.", o.tool.Name.Value+protocol.PreviewSuffix, protocol.Shorten(o.tool.Phases.TTL))
	case whole:
		return said
	}
	said = strings.TrimRight(said, " \t\n")
	switch {
	case said == "":
		return more
	case strings.Contains(said, "\n"):
		return said + "\n" + more
	case strings.HasSuffix(said, "."), strings.HasSuffix(said, "!"), strings.HasSuffix(said, "?"), strings.HasSuffix(said, ":"):
		return said + " " + more
	}
	return said + ". " + more
}

// inPhases reports whether a mode holds a tool in two phases.
func (e *emitter) inPhases(m *protocol.Mode) bool {
	for _, name := range m.Tools {
		if e.tools[name.Value].Phases != nil {
			return true
		}
	}
	return false
}
