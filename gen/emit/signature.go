package emit

import (
	"fmt"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A Signature is what a handler has to look like, in the names of the emitted
// contracts.
type Signature struct {
	Tool     string // as clients see it
	Handler  string
	Permit   string // the constraint, in the contracts
	Argument string // what a stub calls what the handler takes
	Input    string
	Output   string    // empty where the handler returns nothing but an error
	Span     diag.Span // in the protocol
}

// Signatures returns the signature of each handler, in source order. A tool in
// two phases has two.
func Signatures(p *protocol.Protocol) ([]Signature, error) {
	names, err := newNames(p, Options{})
	if err != nil {
		return nil, fmt.Errorf("name the handlers of protocol %q: %w", p.ID.Value, err)
	}
	var all []Signature
	for _, t := range p.Tools {
		for i, phase := range phasesOf(t) {
			all = append(all, signature(t, phase, names.tools[t.Name.Value], i))
		}
	}
	return all, nil
}

func signature(t *protocol.Tool, phase phase, names toolNames, at int) Signature {
	n := names.operations[at]
	s := Signature{Tool: t.Name.Value + phase.suffix(), Handler: n.handler, Permit: n.permit, Argument: phase.argument(), Input: names.input, Span: t.Run.Span}
	if t.Output != nil {
		s.Output = names.output
	}
	switch phase {
	case preview:
		s.Output, s.Span = names.plan, t.Phases.Preview.Span
	case commit:
		s.Input = names.plan
	case whole:
	}
	if s.Span == (diag.Span{}) {
		s.Span = t.Name.Span
	}
	return s
}
