package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/runtime/gate"
)

// instructions tell a model where it is, what it holds, and who holds the rest.
func instructions(mode Mode) string {
	var text strings.Builder
	fmt.Fprintf(&text, "This server is the mode %q of the protocol %q.", mode.Mode, mode.Protocol)
	if mode.Description != "" {
		fmt.Fprintf(&text, " %s", strings.TrimSpace(mode.Description))
	}
	text.WriteString("\n")
	for _, effect := range []gate.Effect{gate.Read, gate.Write} {
		if held := holding(mode, effect); len(held) > 0 {
			fmt.Fprintf(&text, "Its tools with effect %s: %s.\n", effect, strings.Join(held, ", "))
		}
	}
	for _, other := range slices.Sorted(maps.Keys(others(mode))) {
		fmt.Fprintf(&text, "Mode %q, which is not yours, holds: %s.\n", other, strings.Join(others(mode)[other], ", "))
	}
	text.WriteString("A refused call says in its code, message and next what to do. " +
		"What belongs to another mode is that mode's work: hand it over, and do not look for another way to do it.")
	return text.String()
}

func holding(mode Mode, effect gate.Effect) []string {
	var names []string
	for _, tool := range mode.Tools {
		if tool.Effect == effect {
			names = append(names, tool.Name)
		}
	}
	return names
}

// others lists the foreign tools by the mode that holds them.
func others(mode Mode) map[string][]string {
	held := map[string][]string{}
	for _, tool := range mode.Foreign {
		for _, other := range tool.Modes {
			held[other] = append(held[other], tool.Name)
		}
	}
	return held
}
