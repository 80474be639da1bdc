package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/protocol"
)

const many = 1000

// largeText has a thousand tools with schemas, and a thousand modes with a few
// of them each.
func largeText() []byte {
	var out strings.Builder
	out.WriteString("protocol_id: large\ninitial_mode: m0\ntools:\n")
	for i := range many {
		fmt.Fprintf(&out, "  t%d:\n    description: the tool number %d\n    input: {properties: {path: {type: string}, text: {type: string}, count: {type: integer}}, required: [path]}\n    output: {properties: {done: {type: boolean}}, required: [done]}\n", i, i)
	}
	out.WriteString("modes:\n")
	for i := range many {
		fmt.Fprintf(&out, "  m%d: {tools: [t%d, t%d, t%d], transitions: {complete: m%d}}\n", i, i, (i*7+1)%many, (i*13+2)%many, (i+1)%many)
	}
	return []byte(out.String())
}

func BenchmarkFile1000Modes1000Tools(b *testing.B) {
	text := largeText()
	for b.Loop() {
		_, found := check.File("protocol.yaml", text, check.Options{})
		require.Empty(b, found)
	}
}

// Every mode holds every tool: a million holdings.
func BenchmarkRunFullMatrix(b *testing.B) {
	p := &protocol.Protocol{ID: protocol.Text{Value: "large"}, InitialMode: protocol.Text{Value: "m0"}}
	var held []protocol.Text
	for i := range many {
		name := protocol.Text{Value: fmt.Sprintf("t%d", i)}
		held = append(held, name)
		p.Tools = append(p.Tools, &protocol.Tool{Name: name, Effect: protocol.Write, Run: protocol.Text{Value: fmt.Sprintf("T%d", i)}})
	}
	for i := range many {
		p.Modes = append(p.Modes, &protocol.Mode{Name: protocol.Text{Value: fmt.Sprintf("m%d", i)}, Tools: held})
	}
	for b.Loop() {
		require.Empty(b, check.Run(p, check.Options{}))
	}
}

// A file that is all mistakes stays cheap.
func BenchmarkFileOfMistakes(b *testing.B) {
	var out strings.Builder
	out.WriteString("protocol_id: large\ninitial_mode: m\ntools: {a: {}}\nmodes:\n")
	for i := range 10 * many {
		fmt.Fprintf(&out, "  m%d: {tools: [approve, x%d], transitions: {complete: y%d}}\n", i, i, i)
	}
	text := []byte(out.String())
	for b.Loop() {
		_, found := check.File("protocol.yaml", text, check.Options{})
		require.NotEmpty(b, found)
	}
}
