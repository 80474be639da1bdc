package emit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/preview"
)

// What a protocol may choose is what the runtime takes: gen cannot import the
// numbers, so it has its own.
func TestBoundsAreThoseOfTheRuntime(t *testing.T) {
	require.Equal(t, approval.DefaultTTL, protocol.DefaultTTL)
	require.Equal(t, approval.MinTTL, protocol.MinTTL)
	require.Equal(t, approval.MaxTTL, protocol.MaxTTL)
	require.Equal(t, approval.DefaultHold, protocol.DefaultHold)
	require.Equal(t, approval.MaxHold, protocol.MaxHold)
	require.Equal(t, approval.DefaultTimeout, protocol.DefaultTimeout)
	require.Equal(t, approval.MaxTimeout, protocol.MaxTimeout)
	require.Equal(t, preview.MaxTTL, protocol.MaxTTL)
	require.Equal(t, approval.QueueProvider, protocol.Queue)
	require.Equal(t, approval.ElicitProvider, protocol.Elicit)
	require.Equal(t, approval.CommandProvider, protocol.Command)
}
