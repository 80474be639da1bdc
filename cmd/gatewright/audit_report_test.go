package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
)

func (j *journal) report(tb testing.TB, more ...string) (string, auditRun) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "report.html")
	run := runAudit(tb.Context(), append([]string{"report", "--state-dir", j.dir, "-o", path}, more...)...)
	page, err := os.ReadFile(path)
	require.NoError(tb, err, run.err)
	return string(page), run
}

var rowTag = regexp.MustCompile(`<div role="listitem" id="e(\d+)" class="row (\w+)"`)

func rowsIn(page string) []string {
	var all []string
	for _, found := range rowTag.FindAllStringSubmatch(page, -1) {
		all = append(all, found[1])
	}
	return all
}

func TestTheReportHoldsTheLog(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 500))
	page, run := j.report(t)
	require.Zero(t, run.code, run.err)
	entries := jsonEntries(t, j.show(t, "--json").out)
	require.Len(t, rowsIn(page), len(entries))
	for _, entry := range entries {
		require.Contains(t, page, entry.Hash)
	}
	require.Contains(t, page, `<title>Audit log of notes</title>`)
	require.Contains(t, page, `<span>refused TOOL_NOT_IN_MODE</span>`)
	require.Contains(t, page, `<dt>approver</dt><dd>ada (uid 7)</dd>`)
	require.Contains(t, page, "The chain is whole up to the last entry read")
	for _, mode := range []string{"plan", "implement", "review"} {
		require.Contains(t, page, `aria-label="timeline of `+mode)
	}
	info, err := os.Stat(strings.TrimSuffix(strings.Fields(run.err)[0], ":"))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())

	page, run = j.report(t, "--last", "30")
	require.Len(t, rowsIn(page), 30)
	require.Equal(t, fmt.Sprint(entries[len(entries)-1].Seq), rowsIn(page)[29])
	require.Contains(t, page, "<dd>30 of "+grouped(uint64(len(entries)))+" that fit, the last ones</dd>")
	require.Contains(t, run.err, fmt.Sprintf("30 entries of %d", len(entries)))
	page, _ = j.report(t, "--mode", "review", "--decision", "refused")
	require.NotEmpty(t, rowsIn(page))
	require.NotContains(t, page, `data-mode="plan"`)
	page, _ = j.report(t, "--actor", "nobody")
	require.Contains(t, page, "No entry fits.")
	whole := runAudit(t.Context(), "report", "--state-dir", j.dir, "-o", "-")
	require.Len(t, rowsIn(whole.out), len(entries))

	require.Equal(t, exitFailed, runAudit(t.Context(), "report", "--state-dir", j.dir, "-o", filepath.Join(t.TempDir(), "no", "such")).code)
	require.Equal(t, exitFailed, runAudit(t.Context(), "report", "--state-dir", j.dir, "-o", t.TempDir()).code)
	require.Equal(t, exitFailed, runAudit(t.Context(), "report", "--state-dir", j.dir).code)
	require.Equal(t, exitFailed, runAudit(t.Context(), "report", "--state-dir", j.dir, "-o", "-", "--last", "0").code)
}

func TestAReportOfADamagedLogSaysSo(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 50))
	lines := bytes.SplitAfter(j.content(t), []byte("\n"))
	j.write(t, bytes.Join(lines[:20], nil), []byte("<script>\x1b\n"), bytes.Join(lines[20:], nil))
	page, run := j.report(t)
	require.Equal(t, exitFindings, run.code)
	require.Len(t, rowsIn(page), 20)
	require.Contains(t, page, `<strong>This log is damaged.</strong> the audit log is damaged at line 21`)
	require.NotContains(t, page, "The chain is whole")
}

// Whatever the log holds, the page has the markup of the template and no other,
// runs its own script and no other, and asks nobody for anything.
func TestINV4_HostileTextStaysTextInAPage(t *testing.T) {
	tame := newJournal(t)
	_, err := tame.call(t.Context(), "plan", "look", nil)
	require.NoError(t, err)
	tamePage, _ := tame.report(t)
	page, run := hostileJournal(t).report(t)
	require.Zero(t, run.code, run.err)

	require.NotContains(t, page, "\x1b")
	for _, r := range "\u202e\u0085\u200b\u2028\x00\x07\r" {
		require.NotContains(t, page, string(r), "%q", r)
	}
	tag := regexp.MustCompile(`<[a-zA-Z!/][^>]*>`)
	names := func(page string) map[string]bool {
		all := map[string]bool{}
		for _, found := range tag.FindAllString(page, -1) {
			all[regexp.MustCompile(`^</?[a-zA-Z!]+`).FindString(found)] = true
			for _, attribute := range regexp.MustCompile(` ([a-zA-Z-]+)=`).FindAllStringSubmatch(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(found, `""`), -1) {
				all[attribute[1]] = true
			}
		}
		return all
	}
	known := names(tamePage)
	for name := range names(page) {
		if name == "role" || strings.HasPrefix(name, "<strong") || name == "y" || name == "height" {
			continue
		}
		require.True(t, known[name], "the page has a new tag or attribute: %s", name)
	}
	require.Equal(t, strings.Count(tamePage, "<script"), strings.Count(page, "<script"))
	require.Equal(t, strings.Count(tamePage, "</script"), strings.Count(page, "</script"))
	require.NotContains(t, page, "<img")
	require.Contains(t, html.UnescapeString(page), `<img src=x onerror=alert(1)>`, "it is shown")
	require.Contains(t, page, html.EscapeString(`{{.}}`))

	for _, page := range []string{page, tamePage} {
		style := between(t, page, "<style>", "</style>")
		script := between(t, page, "<script>", "</script>")
		policy := html.UnescapeString(between(t, page, `<meta http-equiv="Content-Security-Policy" content="`, `">`))
		require.Equal(t, "default-src 'none'; script-src '"+sha(script)+"'; style-src '"+sha(style)+"'; base-uri 'none'; form-action 'none'", policy)
		require.Equal(t, 1, strings.Count(page, "<style"))
		require.NotRegexp(t, `\sstyle=|\son[a-z]+="|javascript:`, page)
	}
	require.NotRegexp(t, `https?:|//[a-z]|\ssrc=|@import|url\(|<link|<iframe|<base`, tamePage)
}

func between(t *testing.T, text, start, end string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, start)
	require.True(t, ok, start)
	found, _, ok := strings.Cut(after, end)
	require.True(t, ok, end)
	return found
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// A clock that jumps, stands still or goes back puts no entry outside of the
// timeline.
func TestTheTimelineTakesAnyClock(t *testing.T) {
	at := func(times ...time.Time) []logRow {
		rows := make([]logRow, len(times))
		for i, each := range times {
			rows[i] = rowOf(&audit.Entry{Seq: uint64(i + 1), Time: each, Mode: "plan"})
		}
		return rows
	}
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	far, old := time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, rows := range [][]logRow{
		at(start), at(start, start, start), at(start, far, start, old, far), at(far, old), at(start, start.Add(time.Second), far, far.Add(time.Second)),
	} {
		page := &logPage{Rows: rows, Modes: []string{"plan"}}
		page.timeline()
		require.Len(t, page.Lanes, 1)
		total := 0
		for _, bar := range page.Lanes[0].Bars {
			require.GreaterOrEqual(t, bar.X, 0)
			require.LessOrEqual(t, bar.X+bar.Wide, slots*slotWide)
			require.Positive(t, bar.High)
			require.LessOrEqual(t, bar.High, barHigh)
		}
		for _, n := range page.Lanes[0].Bars {
			total += strings.Count(n.Title, "in all")
		}
		require.NotZero(t, total)
		require.NotEmpty(t, page.Marks)
		places, _ := placed(rows)
		for i := 1; i < len(places); i++ {
			require.GreaterOrEqual(t, places[i], places[i-1], "the order is that of the log")
		}
	}
	day := []time.Time{}
	for i := range 200 {
		day = append(day, start.Add(time.Duration(i)*time.Minute+time.Duration(i/100)*14*time.Hour))
	}
	places, pauses := placed(at(day...))
	require.Len(t, pauses, 1)
	require.Equal(t, "14 hours 1 minute without an entry", pauses[0].Title)
	require.InDelta(t, slots/2, places[100], 5, "a night takes no room")
}
