package emit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/protocol"
)

// many is a protocol of count tools in four modes.
func many(t testing.TB, count int) *protocol.Protocol {
	t.Helper()
	var text strings.Builder
	text.WriteString("protocol_id: many\ninitial_mode: m0\ntools:\n")
	for i := range count {
		fmt.Fprintf(&text, "  tool%d:\n    description: Does number %d.\n    input: {properties: {a: {type: string, description: What.}, b: {type: integer}, c: {type: array, items: {type: string}}}, required: [a]}\n    output: {properties: {x: {type: string}, y: {type: number}, z: {type: boolean}}, required: [x, y, z]}\n", i, i)
	}
	text.WriteString("modes:\n")
	for m := range 4 {
		fmt.Fprintf(&text, "  m%d:\n    tools:\n", m)
		for i := m; i < count; i += 4 {
			fmt.Fprintf(&text, "    - tool%d\n", i)
		}
	}
	p, found := protocol.Load("protocol.yaml", []byte(text.String()))
	require.Empty(t, found)
	return p
}

// BenchmarkEmit gives the time and the lines of one tool.
func BenchmarkEmit(b *testing.B) {
	const count = 1000
	p := many(b, count)
	for b.Loop() {
		lines := 0
		for _, data := range emitted(b, p) {
			lines += bytes.Count(data, []byte("\n"))
		}
		b.ReportMetric(float64(lines)/count, "lines/tool")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/count, "µs/tool")
}
