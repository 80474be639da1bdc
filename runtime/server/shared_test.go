package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// starts runs a mode's binary as a child of this process, or of a shell.
func starts(t *testing.T, dir, mode string, ofShell bool) *process {
	t.Helper()
	p := prepare(t, dir)
	p.cmd.Env = append(os.Environ(), runAs+"="+mode)
	if ofShell {
		p.cmd.Args = append([]string{"sh", "-c", `"$0" "$@"; true`, p.cmd.Path}, p.cmd.Args[1:]...)
		p.cmd.Path = "/bin/sh"
		p.cmd.WaitDelay = time.Second // a shell that is killed leaves its server behind
	}
	return p.run().hello()
}

type toolResult struct {
	Result struct {
		Meta struct {
			Warnings []struct{ Code, Message string } `json:"gatewright/warnings"`
		} `json:"_meta"`
		Content           []struct{ Text string }
		StructuredContent map[string]any
		IsError           bool
	}
}

func (p *process) result(tool, arguments string) toolResult {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
	var got toolResult
	require.NoError(p.t, json.Unmarshal([]byte(p.receive()), &got))
	return got
}

// warned says whether a result warns, which it does in both places or in none.
func warned(t *testing.T, got toolResult) bool {
	t.Helper()
	last := got.Result.Content[len(got.Result.Content)-1].Text
	in := len(got.Result.Meta.Warnings) > 0
	require.Equal(t, in, strings.HasPrefix(last, "SHARED_SESSION: "))
	return in
}

func reports(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, _ := entries(t, dir)
	found := map[string]string{}
	for _, entry := range all {
		if entry.Event == audit.SharedSession {
			require.Empty(t, found[entry.Mode], "once")
			require.NotEmpty(t, entry.Session)
			found[entry.Mode] = entry.Details["mode"]
		}
	}
	return found
}

func presences(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "present-*"))
	require.NoError(t, err)
	return names
}

func TestTwoModesOfOneParentAreBothReported(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	work := starts(t, dir, "work", false)
	require.False(t, warned(t, work.result("merge", `{"a":1}`)))
	review := starts(t, dir, "review", false)
	review.stderr.await(t, "SHARED_SESSION")
	require.Equal(t, map[string]string{"review": "work"}, reports(t, dir))

	got := review.result("merge", `{"a":1,"b":2}`)
	require.True(t, warned(t, got))
	require.False(t, got.Result.IsError)
	require.Equal(t, map[string]any{"sum": 3.0}, got.Result.StructuredContent, "it still is what the schema says")
	require.True(t, warned(t, review.result("merge", `{}`)), "a refusal, too")
	require.False(t, warned(t, review.result("look", `{}`)), "a tool that confers nothing says nothing")

	// The one that was there first finds out with its next call.
	require.NotContains(t, work.stderr.String(), "SHARED_SESSION")
	require.False(t, warned(t, work.result("add", `{"a":1}`)))
	work.stderr.await(t, "SHARED_SESSION")
	require.True(t, warned(t, work.result("merge", `{}`)), "an exclusive tool of another mode")
	require.Equal(t, map[string]string{"review": "work", "work": "review"}, reports(t, dir))

	// Whoever had both has had both, also when one ends.
	require.Len(t, presences(t, dir), 2)
	require.NoError(t, work.in.Close())
	require.Zero(t, work.exit())
	require.Len(t, presences(t, dir), 1)
	require.True(t, warned(t, review.result("merge", `{"a":1}`)))
}

func TestModesOfDifferentParentsAreNotReported(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	work, review := starts(t, dir, "work", true), starts(t, dir, "review", true)
	require.False(t, warned(t, review.result("merge", `{"a":1}`)))
	require.False(t, warned(t, work.result("merge", `{}`)))
	require.Empty(t, reports(t, dir))
	require.NotContains(t, work.stderr.String()+review.stderr.String(), "SHARED_SESSION")
	for _, each := range []*process{work, review} { // a shell that is killed would leave its server behind
		require.NoError(t, each.in.Close())
		require.Zero(t, each.exit())
	}
}

func TestOneModeTwiceIsNotReported(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	first, second := starts(t, dir, "review", false), starts(t, dir, "review", false)
	require.False(t, warned(t, second.result("merge", `{"a":1}`)))
	require.False(t, warned(t, first.result("merge", `{"a":1}`)))
	require.Empty(t, reports(t, dir))
}

func TestAServerThatWasKilledIsNotReported(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	work := starts(t, dir, "work", false)
	work.signal(syscall.SIGKILL)
	work.exit()
	require.Len(t, presences(t, dir), 1)
	review := starts(t, dir, "review", false)
	require.False(t, warned(t, review.result("merge", `{"a":1}`)))
	require.Empty(t, reports(t, dir))
	require.Len(t, presences(t, dir), 1, "what the killed one left is gone")
}

// Another folder is another workspace.
func TestModesOnDifferentFoldersAreNotReported(t *testing.T) {
	t.Parallel()
	here, there := stateDir(t), stateDir(t)
	starts(t, here, "work", false)
	review := starts(t, there, "review", false)
	require.False(t, warned(t, review.result("merge", `{"a":1}`)))
}

// A presence file that somebody put there keeps a server from starting only
// where it cannot be told whether it is one.
func TestINV4_APresenceThatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	first := starts(t, dir, "work", false)
	require.NoError(t, os.Symlink(filepath.Join(dir, state.FileName), filepath.Join(dir, "present-1-x.json")))
	second := prepare(t, dir).run()
	require.Equal(t, 2, second.exit())
	second.stderr.await(t, "symbolic link")
	require.False(t, warned(t, first.result("merge", `{}`)))
	first.stderr.await(t, "cannot be told")
}
