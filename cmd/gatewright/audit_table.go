package main

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

const (
	tableAhead = 256 // entries that are held back to see how wide they are
	tableCell  = 28  // characters of a cell before it is cut; the last one is not
	tableTime  = "2006-01-02T15:04:05.000Z"
)

// A logTable prints entries in columns. It takes their widths from the first
// entries, and makes a column wider where one comes that needs it.
type logTable struct {
	out    *bufio.Writer
	colour bool
	widths []int
	held   []tableRow
	ahead  int
	headed bool
}

type tableRow struct {
	cells []string
	tone  string // how it is coloured; the text says the same
}

// Tones of the terminal's own colours.
const (
	toneRefused  = "31"
	toneApproval = "33"
	toneLog      = "36"
)

func newLogTable(out io.Writer, colour bool) *logTable {
	return &logTable{out: bufio.NewWriter(out), colour: colour, ahead: tableAhead}
}

func (t *logTable) put(e *audit.Entry, _ []byte) error {
	if !t.headed {
		t.headed = true
		t.take(tableRow{cells: []string{"SEQ", "TIME", "MODE", "ACTOR", "EVENT", "TOOL", "CALL", "WHAT"}, tone: "1"})
	}
	t.take(tableRow{cells: []string{
		strconv.FormatUint(e.Seq, 10), e.Time.UTC().Format(tableTime), cell(e.Mode), cell(e.Actor), cell(string(e.Event)), cell(e.Tool),
		cell(shortCall(e.Call)), what(e),
	}, tone: tone(e)})
	if len(t.held) > t.ahead {
		return t.write()
	}
	return nil
}

func (t *logTable) take(row tableRow) {
	if t.widths == nil {
		t.widths = make([]int, len(row.cells))
	}
	for i, text := range row.cells {
		t.widths[i] = max(t.widths[i], lipgloss.Width(text))
	}
	t.held = append(t.held, row)
}

func (t *logTable) flush() error {
	if err := t.write(); err != nil {
		return err
	}
	return printed(t.out.Flush())
}

// write prints what is held back. What comes after is printed at once.
func (t *logTable) write() error {
	t.ahead = 0
	for _, row := range t.held {
		line := t.line(row.cells)
		if t.colour && row.tone != "" {
			line = "\x1b[" + row.tone + "m" + line + "\x1b[m"
		}
		if _, err := t.out.WriteString(line + "\n"); err != nil {
			return printed(err)
		}
	}
	t.held = t.held[:0]
	return nil
}

func (t *logTable) line(cells []string) string {
	var line strings.Builder
	for i, text := range cells {
		line.WriteString(text)
		if i < len(cells)-1 {
			line.WriteString(strings.Repeat(" ", t.widths[i]-lipgloss.Width(text)+2))
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// cell is a text as one cell shows it: on one line, and not too long.
func cell(text string) string {
	if text == "" {
		return "-"
	}
	shown := []rune(approval.CardQuote(text))
	if len(shown) > tableCell {
		return string(shown[:tableCell-1]) + "…"
	}
	return string(shown)
}

func shortCall(id string) string {
	const enough = 8
	if len(id) > enough && plainID(id) {
		return id[:enough]
	}
	return id
}

// plainID reports whether an id looks like one that a server made.
func plainID(id string) bool {
	return strings.IndexFunc(id, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) < 0
}

// what says in one line what an entry tells beside who and when.
func what(e *audit.Entry) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, approval.CardQuote(text))
		}
	}
	add(e.Decision)
	add(e.Outcome)
	add(string(e.Code))
	if a := e.Approval; a != nil {
		parts = append(parts, approvalWords(e, a))
	}
	for _, pairs := range []map[string]string{e.Recorded, e.Details} {
		for _, name := range sortedNames(pairs) {
			parts = append(parts, approval.CardQuote(name)+"="+cell(pairs[name]))
		}
	}
	return strings.Join(parts, " ")
}

// approvalWords say what came of an approval.
func approvalWords(e *audit.Entry, a *gate.Approval) string {
	text := "approval " + cell(shortCall(a.ID)) + " " + approval.CardQuote(a.Decision)
	if e.Event == gate.ToolResult {
		return text
	}
	if a.Approver != "" {
		text += " by " + cell(a.Approver)
	}
	if a.Provider != "" {
		text += " through " + cell(a.Provider)
	}
	if a.Waited != "" {
		text += " after " + cell(a.Waited)
	}
	if a.Reason != "" {
		text += ": " + cell(a.Reason)
	}
	return text
}

func tone(e *audit.Entry) string {
	switch {
	case e.Decision == gate.Refused, e.Outcome == gate.Failed:
		return toneRefused
	case e.Event == gate.ApprovalRequest, e.Event == gate.ApprovalDecision:
		return toneApproval
	case e.Event != gate.ToolCall && e.Event != gate.ToolResult:
		return toneLog
	}
	return ""
}

func sortedNames(pairs map[string]string) []string {
	names := make([]string, 0, len(pairs))
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
