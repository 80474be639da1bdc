package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The screen's libraries are linked into this command alone.
func TestTheScreenStaysInTheCommand(t *testing.T) {
	links := 0
	for _, p := range list(t, "./...") {
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, "charm.land/") || strings.HasPrefix(dep, "github.com/charmbracelet/") {
				require.Equal(t, thisModule+"cmd/gatewright", p.ImportPath, "%s links %s", p.ImportPath, dep)
				links++
			}
		}
	}
	require.NotZero(t, links)
}
