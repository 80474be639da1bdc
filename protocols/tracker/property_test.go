package tracker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/generated/tracker/trackertest"
	"github.com/gatewright/gatewright/runtime/gate"
)

// A step writes a document and previews it, or commits a preview of before.
type step struct {
	preview bool
	titles  []string // of the document
	at      int      // which preview
}

func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			preview: rapid.Bool().Draw(t, "preview"), at: rapid.IntRange(0, 9).Draw(t, "at"),
			titles: rapid.SliceOfNDistinct(rapid.StringMatching(`[a-e]`), 1, 5, rapid.ID).Draw(t, "titles"),
		}
	}), 6, 10)
}

// An importer carries steps out, and knows what has to come of each.
type importer struct {
	t        *testing.T
	planner  *trackertest.PlannerClient
	folder   string
	document string
	stored   map[string]bool // titles
	previews []waiting
	counted  map[string]int
}

type waiting struct {
	handle string
	titles []string
}

// Whatever becomes of a document, and in whatever order previews of it are
// committed, each of its titles is created once, and every commit says exactly
// what came of it.
func TestImportingTwiceCreatesNothingTwice(t *testing.T) {
	folder := scratch(t)
	planner, drawn, counted := newKit(t, folder).Planner(t), steps(), map[string]int{}
	for seed := range 15 {
		i := &importer{t: t, planner: planner, folder: folder, document: fmt.Sprintf("docs/drawn-%d.md", seed), stored: map[string]bool{}, counted: counted}
		for _, s := range drawn.Example(seed) {
			if s.preview || len(i.previews) == 0 {
				i.preview(s.titles)
			} else {
				i.commit(s.at % len(i.previews))
			}
		}
		i.check()
	}
	for _, came := range []string{"nothing to preview", "none", "some", "all"} {
		require.NotZero(t, counted[came], "no commit came to %s", came)
	}
}

func (i *importer) fresh(titles []string) []string {
	return slices.DeleteFunc(slices.Clone(titles), func(title string) bool { return i.stored[title] })
}

func (i *importer) preview(titles []string) {
	i.t.Helper()
	write(i.t, i.folder, i.document, "- [ ] "+strings.Join(titles, "\n- [ ]  ")+"\n- [ ] "+titles[0]+"\n")
	preview, err := i.planner.ImportPreview(i.t.Context(), tracker.ImportInput{Document: i.document})
	fresh := i.fresh(titles)
	if len(fresh) == 0 {
		i.counted["nothing to preview"]++
		refused(i.t, err, "NOTHING_TO_IMPORT")
		return
	}
	require.NoError(i.t, err)
	var planned []string
	for _, item := range preview.Plan.Items {
		planned = append(planned, item.Title)
	}
	require.Equal(i.t, fresh, planned)
	i.previews = append(i.previews, waiting{preview.Handle, planned})
}

func (i *importer) commit(at int) {
	i.t.Helper()
	chosen := i.previews[at]
	i.previews = slices.Delete(i.previews, at, at+1)
	fresh := i.fresh(chosen.titles)
	out, err := i.planner.ImportCommit(i.t.Context(), confirmed(chosen.handle))
	switch {
	case len(fresh) == 0:
		i.counted["none"]++
		refused(i.t, err, "ITEMS_EXIST")
	case len(fresh) < len(chosen.titles):
		i.counted["some"]++
		said := refused(i.t, err, gate.CommitPartial)
		require.Len(i.t, said.Partial.Finished, len(fresh))
		require.Len(i.t, said.Partial.Failed, len(chosen.titles)-len(fresh))
	default:
		i.counted["all"]++
		require.NoError(i.t, err)
		require.Len(i.t, out.Created, len(fresh))
	}
	for _, title := range fresh {
		i.stored[title] = true
	}
}

func (i *importer) check() {
	i.t.Helper()
	listed, err := i.planner.ListItems(i.t.Context(), tracker.ListItemsInput{Document: &i.document})
	require.NoError(i.t, err)
	seen := map[string]bool{}
	for _, item := range listed.Items {
		require.False(i.t, seen[item.Title], "%s was created twice", item.Title)
		seen[item.Title] = true
	}
	require.Equal(i.t, i.stored, seen)
}
