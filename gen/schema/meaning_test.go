package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/protocol"
)

// The form in which values are compared grows with a value and not with its
// depth.
func TestDeepValuesStayCheap(t *testing.T) {
	value := &protocol.Value{Kind: protocol.String, Literal: `"`}
	for range 32 {
		value = &protocol.Value{Kind: protocol.Object, Members: []protocol.Member{
			{Key: protocol.Text{Value: "a"}, Value: &protocol.Value{Kind: protocol.Array, Items: []*protocol.Value{value}}},
		}}
	}
	require.Less(t, len(canonical(value)), 1000)
}

func TestCanonicalTellsValuesApart(t *testing.T) {
	text := func(s string) *protocol.Value { return &protocol.Value{Kind: protocol.String, Literal: s} }
	list := func(items ...*protocol.Value) *protocol.Value {
		return &protocol.Value{Kind: protocol.Array, Items: items}
	}
	different := []*protocol.Value{
		list(), list(list()), list(text("")), list(text("a"), text("b")), list(text(`a","b`)), text("[]"), text("null"), {Kind: protocol.Null},
		{Kind: protocol.Number, Literal: "1"}, text("1"), {Kind: protocol.Object},
		{Kind: protocol.Object, Members: []protocol.Member{{Key: protocol.Text{Value: "a"}, Value: text("b")}}},
		{Kind: protocol.Object, Members: []protocol.Member{{Key: protocol.Text{Value: `a":"b`}, Value: text("")}}},
	}
	seen := map[string]bool{}
	for _, value := range different {
		require.False(t, seen[canonical(value)], canonical(value))
		seen[canonical(value)] = true
	}
	require.Equal(t, canonical(&protocol.Value{Kind: protocol.Number, Literal: "1.0"}), canonical(different[8]))
	require.True(t, strings.HasPrefix(canonical(different[11]), "{"))
}
