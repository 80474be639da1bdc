package emit

import (
	"fmt"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A Signature is what a handler has to look like, in the names of the emitted
// contracts.
type Signature struct {
	Tool    string
	Handler string
	Permit  string // the constraint, in the contracts
	Input   string
	Output  string    // empty where the tool has no output
	Span    diag.Span // in the protocol
}

// Signatures returns the signature of each tool's handler, in source order.
func Signatures(p *protocol.Protocol) ([]Signature, error) {
	names, err := newNames(p, Options{})
	if err != nil {
		return nil, fmt.Errorf("name the handlers of protocol %q: %w", p.ID.Value, err)
	}
	var all []Signature
	for _, t := range p.Tools {
		n := names.tools[t.Name.Value]
		s := Signature{Tool: t.Name.Value, Handler: n.handler, Permit: n.permit, Input: n.input, Span: t.Run.Span}
		if s.Span == (diag.Span{}) {
			s.Span = t.Name.Span
		}
		if t.Output != nil {
			s.Output = n.output
		}
		all = append(all, s)
	}
	return all, nil
}
