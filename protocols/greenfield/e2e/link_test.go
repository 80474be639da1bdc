package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The binary of a mode contains the handlers of its mode and none of another
// mode's. A handler can vanish by being inlined, so this builds without
// inlining, and finding the mode's own handlers is the control.
func TestINV2_HandlersOfOtherModesAreNotLinked(t *testing.T) {
	handlers := map[string][]string{
		"plan": {"List", "Read", "Search", "Branches", "Reviews", "WritePlan"},
		"implement": {
			"List", "Read", "Search", "Branches", "Diff", "Reviews", "Create", "Write", "Edit", "Move", "Delete", "Switch", "Update", "Revert", "RunTests", "Commit",
		},
		"review":    {"List", "Read", "Search", "Branches", "Diff", "Reviews", "Comment", "RequestChanges", "Reject", "Approve"},
		"integrate": {"List", "Read", "Search", "Branches", "Diff", "Reviews", "Merge"},
	}
	folder := t.TempDir()
	build := exec.Command("go", "build", "-gcflags=github.com/gatewright/gatewright/...=-l", "-o", folder+"/", "./generated/greenfield/cmd/...")
	build.Dir = "../../.."
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))

	all := map[string]bool{}
	for _, held := range handlers {
		for _, name := range held {
			all[name] = true
		}
	}
	for mode, held := range handlers {
		symbols, err := exec.Command("go", "tool", "nm", filepath.Join(folder, "greenfield-"+mode)).Output()
		require.NoError(t, err)
		var found []string
		for name := range all {
			if strings.Contains(string(symbols), "protocols/greenfield."+name+"[") {
				found = append(found, name)
			}
		}
		require.ElementsMatch(t, held, found, "mode %s", mode)
	}
}
