package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// kill -9 in mid-commit: a plan is carried out once or not at all, and whoever
// asks again is told which, and never makes it run a second time.
func TestINV6_KilledWhileCommitting(t *testing.T) {
	s := newSite(t, document)
	s.importAll()
	const rounds = 10
	ran := map[string]bool{} // notes of which a client was told that they are in
	for round := range rounds {
		c := s.connect("reporter", "modern")
		type attempt struct{ note, handle string }
		tried := make(chan attempt, 1000)
		answered := make(chan attempt, 1000)
		var caller sync.WaitGroup
		caller.Go(func() {
			for i := 0; ; i++ {
				a := attempt{note: fmt.Sprintf("note %d of %d", i, round)}
				preview, err := c.session.CallTool(context.Background(), &mcp.CallToolParams{
					Name: "progress_preview", Arguments: object{"item": 1, "state": "doing", "note": a.note},
				})
				if err != nil {
					return
				}
				a.handle = preview.StructuredContent.(object)["handle"].(string)
				tried <- a
				result, err := c.session.CallTool(context.Background(), &mcp.CallToolParams{
					Name: "progress_commit", Arguments: object{"handle": a.handle, "confirmed": true, "idempotency_key": a.note},
				})
				if err != nil || result.IsError {
					return
				}
				answered <- a
			}
		})
		for range 1 + round%3 {
			ran[(<-answered).note] = true
		}
		for range 2 + round%3 {
			<-tried
		}
		require.NoError(t, c.process.Kill())
		caller.Wait()
		close(tried)
		close(answered)
		for a := range answered {
			ran[a.note] = true
		}
		again := s.connect("reporter", "modern")
		for a := range tried {
			result := again.settled("progress_commit", object{"handle": a.handle, "confirmed": true, "idempotency_key": a.note})
			said := result.StructuredContent.(object)
			if !result.IsError {
				ran[a.note] = true
				continue
			}
			require.Contains(t, []any{"COMMIT_INTERRUPTED", "ITEM_CHANGED"}, said["code"], "%v", said)
			require.False(t, ran[a.note], "what was said to be done is not taken back")
		}
		require.NoError(t, again.session.Close())
	}
	notes := map[string]int{}
	for _, note := range s.query(`SELECT note FROM reports`) {
		notes[note]++
	}
	for note, times := range notes {
		require.Equal(t, 1, times, "%s was reported twice", note)
	}
	for note := range ran {
		require.Equal(t, 1, notes[note], "%s was said to be reported", note)
	}
	require.Equal(t, []string{fmt.Sprint(1 + len(notes))}, s.query(`SELECT revision FROM items WHERE id = 1`))
	require.Equal(t, []string{"ok"}, s.query(`PRAGMA integrity_check`))
	s.log()
}

// kill -9 in mid-import: the document is imported as a whole or not at all, who
// asks again is told what is known, and a new preview shows what is left.
func TestINV6_KilledWhileImporting(t *testing.T) {
	const many = 500
	var text strings.Builder
	for i := range many {
		fmt.Fprintf(&text, "- [ ] item %d\n", i)
	}
	for name, reached := range map[string]string{"at once": ".", "when the tracker is made": ".tracker", "when it is written": ".tracker/tracker.db-wal"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, text.String())
			c := s.connect("planner", "modern")
			commit := object{"handle": c.do("import_preview", object{"document": "docs/plan.md"})["handle"], "confirmed": true, "idempotency_key": "k"}
			s.decide("approve", c.pending("import_commit", commit))
			var caller sync.WaitGroup
			caller.Go(func() {
				_, _ = c.session.CallTool(context.Background(), &mcp.CallToolParams{Name: "import_commit", Arguments: commit})
			})
			for deadline := time.Now().Add(10 * time.Second); ; { // a timer would come too late
				if _, err := os.Stat(filepath.Join(s.workspace, filepath.FromSlash(reached))); err == nil {
					break
				}
				require.True(t, time.Now().Before(deadline))
			}
			require.NoError(t, c.process.Kill())
			caller.Wait()

			again := s.connect("planner", "modern")
			result := again.settled("import_commit", commit)
			stored := len(again.stored())
			require.Contains(t, []int{0, many}, stored, "it was imported in part")
			if !result.IsError {
				require.Equal(t, many, stored)
				require.Len(t, result.StructuredContent.(object)["result"].(object)["created"], many)
			} else {
				// Where the approval was used and nothing begun, it is asked for anew.
				require.Contains(t, []any{"COMMIT_INTERRUPTED", "APPROVAL_PENDING"}, result.StructuredContent.(object)["code"])
			}
			if stored == many {
				require.Equal(t, "NOTHING_TO_IMPORT", again.refused("import_preview", object{"document": "docs/plan.md"}))
			} else {
				require.Len(t, again.do("import_preview", object{"document": "docs/plan.md"})["plan"].(object)["items"], many)
			}
			require.Len(t, again.stored(), stored, "nothing runs by itself")
			s.log()
		})
	}
}

// settled calls a commit until no other process is seen to carry it out: one
// that was killed may take a moment to be gone.
func (c *client) settled(tool string, arguments object) *mcp.CallToolResult {
	c.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		result := c.call(tool, arguments)
		if said := result.StructuredContent.(object); said["code"] != "COMMIT_IN_PROGRESS" {
			return result
		}
		require.True(c.t, time.Now().Before(deadline))
	}
}

// stored lists the items of the tracker.
func (c *client) stored() (all []any) {
	c.t.Helper()
	for after := 0.0; ; {
		listed := c.do("list_items", object{"after": after})
		all = append(all, listed["items"].([]any)...)
		if listed["more"] != true {
			return all
		}
		after = all[len(all)-1].(object)["id"].(float64)
	}
}

// Two servers report on one item at the same time: each revision is led to by
// one report, and who comes second is told.
func TestTwoServersAtOnce(t *testing.T) {
	s := newSite(t, document)
	s.importAll()
	const each = 25
	kept, changed := make([]int, 2), make([]int, 2)
	var both sync.WaitGroup
	for i, era := range []string{"legacy", "modern"} {
		c := s.connect("reporter", era, "--actor", era)
		both.Go(func() {
			for j := range each {
				handle := c.do("progress_preview", object{"item": 2, "state": "doing", "note": fmt.Sprint(era, j)})["handle"]
				result := c.call("progress_commit", object{"handle": handle, "confirmed": true})
				switch {
				case !result.IsError:
					kept[i]++
				case result.StructuredContent.(object)["code"] == "ITEM_CHANGED":
					changed[i]++
				default:
					t.Errorf("%v", result.StructuredContent)
				}
			}
		})
	}
	both.Wait()
	require.Equal(t, 2*each, kept[0]+kept[1]+changed[0]+changed[1])
	require.Equal(t, []string{fmt.Sprint(1 + kept[0] + kept[1])}, s.query(`SELECT revision FROM items WHERE id = 2`))
	require.Equal(t, []string{fmt.Sprint(kept[0] + kept[1])}, s.query(`SELECT count(*) FROM reports`))
	s.log()
}
