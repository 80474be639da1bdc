package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the demonstration promises is what it shows.
func TestDemoShowsWhatItPromises(t *testing.T) {
	t.Chdir("../../..")
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out), out.String())
	for _, expected := range []string{
		"a plan of 2 items, 1 skipped", "REFUSED NOT_CONFIRMED", "REFUSED APPROVAL_PENDING", "Approve it? [y/N] y", `committed {"created":[1,2]`,
		"the same bytes, and nothing ran", "REFUSED HANDLE_USED", "REFUSED ITEM_CHANGED",
		"1|Move the greeting|doing|2|planner-agent\n2|Say what changed|open|1|planner-agent\n", "one unbroken chain, 0 calls in flight",
	} {
		require.Contains(t, out.String(), expected)
	}
	require.NotContains(t, out.String(), "Give the agent the keys", "what the document says by now is nowhere")
}
