package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
)

// Whatever names pass the check, Go can tell what is made of them apart.
func TestNamesThatPassTheCheckCompile(t *testing.T) {
	checker := newTypeChecker(t)
	accepted := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.Custom(func(t *rapid.T) string {
			parts := []string{
				rapid.SampledFrom([]string{"", "", "new_", "for_"}).Draw(t, "front"), "a",
				rapid.SampledFrom([]string{"", "", "_preview", "_commit", "__commit", "_plan", "_input", "_permit"}).Draw(t, "back"),
				rapid.SampledFrom([]string{"", "", "_tool", "_preview", "_permit"}).Draw(t, "end"),
			}
			return strings.Join(parts, "")
		})
		tools := rapid.SliceOfNDistinct(name, 1, 6, rapid.ID[string]).Draw(rt, "tools")
		var text strings.Builder
		text.WriteString("protocol_id: p\ninitial_mode: m\ntools:\n")
		for i, tool := range tools {
			keys := fmt.Sprintf("run: H%d", i)
			if rapid.Bool().Draw(rt, "in two phases") {
				keys = fmt.Sprintf("plan: {properties: {x: {type: object}}}, output: {}, run: {preview: P%d, commit: C%d}", i, i)
			}
			fmt.Fprintf(&text, "  %s: {%s}\n", tool, keys)
		}
		fmt.Fprintf(&text, "modes: {m: {tools: [%s]}}\n", strings.Join(tools, ", "))
		p, found := check.File("protocol.yaml", []byte(text.String()), check.Options{})
		_, err := emit.Emit(p, options(p))
		if diag.HasErrors(found) {
			return
		}
		accepted++
		require.NoError(rt, err, "%s", text.String())
		compile(t, checker, p, nil)
	})
	require.NotZero(t, accepted)
}
