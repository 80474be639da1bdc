package proof_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every program of the corpus is refused where it says, for the reason it
// says, and its control compiles. Those that the compiler's back end refuses
// are left to the test that builds.
func TestINV1_UngatedExecutionDoesNotCompile(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.check())
	all := proofs(t, "cases")
	require.GreaterOrEqual(t, len(all), 100)
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			p.holds(t, w.attempt(p.name, p.attack))
			require.Empty(t, w.attempt(p.name, p.control), "the control does not compile")
		})
	}
}
