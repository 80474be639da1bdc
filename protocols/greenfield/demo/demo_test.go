package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the README promises of `make demo` is what it shows.
func TestDemoShowsWhatItPromises(t *testing.T) {
	t.Chdir("../../..")
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out), out.String())
	for _, expected := range []string{
		"error[WF1]", "does not satisfy", "REFUSED TOOL_NOT_IN_MODE", "REFUSED APPROVAL_PENDING", "REFUSED APPROVAL_DENIED", "Approve it? [y/N] y", "approval_decision", "wf1_violation", "one unbroken chain, 0 calls in flight",
	} {
		require.Contains(t, out.String(), expected)
	}
}
