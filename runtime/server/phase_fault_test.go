package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/store"
)

// told is what a client is told of a refusal.
type told struct {
	Code      gate.Code `json:"code"`
	Message   string    `json:"message"`
	Next      string    `json:"next"`
	Retryable bool      `json:"retryable"`
}

func (c *caller) told(tool string, arguments map[string]any) told {
	c.t.Helper()
	text, refused := c.raw(tool, arguments)
	require.True(c.t, refused, text)
	require.NotContains(c.t, text, "result_type")
	var got told
	require.NoError(c.t, json.Unmarshal([]byte(text), &got))
	return got
}

// A plan that is too large: the preview ran and changed nothing, and asking for
// the same again is of no use.
func TestINV6_APlanThatIsTooLargeIsNotKept(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	items := make([]int64, 70_000)
	for i := range items {
		items[i] = 1e15 + int64(i)
	}
	got := c.told("import_preview", map[string]any{"items": items})
	require.Equal(t, gate.PlanTooLarge, got.Code)
	require.False(t, got.Retryable)
	require.Contains(t, got.Message, `the plan of "import" may have 1048320 bytes, and this has 11`)
	require.Contains(t, got.Next, "The preview changed nothing")
	require.Contains(t, got.Next, "Ask for less in one preview.")
	require.Empty(t, s.released(t))
	last := s.entries(t)
	require.Equal(t, gate.Failed, last[len(last)-1].Outcome)
	require.Equal(t, gate.PlanTooLarge, last[len(last)-1].Code)
	c.preview("import", 1) // and less is kept
}

// A plan that can be kept can be asked about, whatever its size.
func TestINV5_SomebodyCanBeAskedAboutTheLargestPlan(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	for count := 61_682; ; count-- {
		items := make([]int64, count)
		for i := range items {
			items[i] = 1e15 + int64(i)
		}
		text, refused := c.raw("publish_preview", map[string]any{"items": items})
		if refused {
			continue // until it is as small as it has to be
		}
		var got struct{ Handle string }
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, gate.ApprovalPending, c.told("publish_commit", confirmed(got.Handle)).Code)
		return
	}
}

// A store that is no store: nothing is carried out, and with the store back the
// same call does it.
func TestINV6_WithoutAStoreNothingIsCarriedOut(t *testing.T) {
	s := newSite(t)
	first := s.imports(t)
	handle := first.preview("import", 1)
	require.NoError(t, first.session.Close()) // which leaves nothing beside the file
	path := filepath.Join(s.state, store.FileName)
	require.NoError(t, os.Rename(path, path+".away"))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600))

	c := s.imports(t)
	for tool, arguments := range map[string]map[string]any{
		"import_preview": {"items": []int{2}}, "import_commit": confirmed(handle, "key"),
	} {
		got := c.told(tool, arguments)
		require.Equal(t, gate.PlanStoreFailed, got.Code, tool)
		require.True(t, got.Retryable, tool)
		require.Contains(t, got.Next, "nothing was carried out; a preview that ran changed nothing", tool)
	}
	require.Empty(t, s.released(t))
	ran := map[string]bool{}
	for _, e := range s.entries(t) {
		if e.Code == gate.PlanStoreFailed {
			ran[e.Tool] = e.Event == gate.ToolResult
		}
	}
	require.Equal(t, map[string]bool{"import_preview": true, "import_commit": false}, ran, "the log says what ran")

	require.NoError(t, os.Rename(path+".away", path))
	text, code := s.imports(t).commit("import", confirmed(handle, "key"))
	require.Empty(t, code, text)
	require.Equal(t, []string{"1"}, s.released(t))
}

// However much a commit says of how it failed, it has ended, and the server goes
// on.
func TestINV6_AnEndingWithManyWordsIsStoredAndReplayed(t *testing.T) {
	s := newSite(t)
	c := s.imports(t)
	for item, code := range map[int]gate.Code{-2: gate.HandlerFailed, -3: gate.CommitPartial} {
		handle := c.preview("import", item)
		first, got := c.commit("import", confirmed(handle, fmt.Sprint("key ", item)))
		require.Equal(t, code, got)
		again, got := c.commit("import", confirmed(handle, fmt.Sprint("key ", item)))
		require.Equal(t, code, got)
		require.Equal(t, withoutCall(t, first), withoutCall(t, again))
		require.Less(t, len(first), 3<<20)
		if code == gate.CommitPartial {
			require.Contains(t, first, `"finished":["item 0","item 1",`)
			require.Contains(t, first, " more are not listed")
		}
	}
}

// withoutCall is a refusal without the id of the call, which is each call's own.
func withoutCall(t *testing.T, text string) map[string]any {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	delete(got, "call")
	return got
}
