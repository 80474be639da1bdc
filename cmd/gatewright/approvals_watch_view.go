package main

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/gatewright/gatewright/runtime/approval"
)

// View implements tea.Model. Every part of a request in it went through
// approval.Visible, so nothing that a request holds reaches the terminal as
// anything but text.
func (w *watching) View() tea.View {
	var lines []string
	switch {
	case w.width == 0 || w.height == 0:
	case w.tooSmall():
		lines = []string{fit("too small: make the terminal", w.width), fit(fmt.Sprintf("%d by %d or larger", minWidth, minHeight), w.width)}
		lines = lines[:min(len(lines), w.height)]
	default:
		lines = append(append([]string{w.header()}, w.body()...), w.footer()...)
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	return view
}

func (w *watching) header() string {
	text := " gatewright approvals   " + plural(len(w.waiting), "waits", "wait")
	if !w.looked {
		text = " gatewright approvals   looking"
	}
	return styles{}.bar().Render(pad(fit(text, w.width), w.width))
}

func (w *watching) body() []string {
	queue, request := w.queueLines(), w.requestLines()
	if !w.wide() {
		return append(queue, request...)
	}
	lines := make([]string, w.bodyRows())
	for i := range lines {
		left, right := "", ""
		if i < len(queue) {
			left = queue[i]
		}
		if i < len(request) {
			right = request[i]
		}
		lines[i] = pad(left, w.queueWidth()) + styles{}.dim().Render(" │ ") + right
	}
	return lines
}

// requestLines are the card, below a title, and above the question where there
// is one.
func (w *watching) requestLines() []string {
	rows := w.cardHeight()
	lines := []string{w.paneTitle(requestPane, w.cardTitle())}
	card := w.cardLines()
	for i := w.scroll; i < min(len(card), w.scroll+rows); i++ {
		lines = append(lines, styles{}.line(card[i]))
	}
	for len(lines) < rows+1 {
		lines = append(lines, "")
	}
	if w.confirming != nil {
		lines = append(lines, w.questionLines()...)
	}
	return lines
}

func (w *watching) cardTitle() string {
	selected, ok := w.current()
	if !ok {
		return "no request"
	}
	total := len(w.cardLines())
	return fmt.Sprintf("request %s, lines %d to %d of %d", short(selected), w.scroll+1, min(total, w.scroll+w.cardHeight()), total)
}

func (w *watching) paneTitle(of pane, text string) string {
	width := w.cardWidth()
	if of == queuePane {
		width = w.queueWidth()
	}
	text = fit(text, width-2)
	if w.focus == of {
		return styles{}.title().Render("▌" + text)
	}
	return styles{}.dim().Render(" " + text)
}

func (w *watching) footer() []string {
	notice := w.notice
	if notice == "" && len(w.problems) > 0 {
		notice = "left out: " + strings.ReplaceAll(w.problems[0].String(), "\n", " ")
		if more := len(w.problems) - 1; more > 0 {
			notice = fmt.Sprintf("%d folders left out, the first: %s", more+1, strings.TrimPrefix(notice, "left out: "))
		}
	}
	help := "a approve  d deny  n/p next/previous  tab queue/request  j/k move  pgup/pgdn read  q quit"
	if columns(help) >= w.width {
		help = "a approve  d deny  n/p  tab  j/k  pgup/pgdn  q quit"
	}
	if w.confirming != nil {
		help = "return answers  tab changes the line  pgup/pgdn read on  esc leaves"
	}
	return []string{styles{}.notice().Render(fit(" "+notice, w.width)), styles{}.dim().Render(fit(" "+help, w.width))}
}

// questionLines ask. They stand at the bottom, where no text of a request is.
func (w *watching) questionLines() []string {
	c, width := w.confirming, w.cardWidth()
	what, word := "Approve", "approve"
	if c.status == approval.StatusDenied {
		what, word = "Deny", "deny"
	}
	warning := ""
	if unseen := w.unseen(); unseen > 0 {
		warning = fmt.Sprintf("! %s not been on the screen", plural(unseen, "line of it has", "lines of it have"))
	}
	prompt := "type y or yes, then return: "
	if warning != "" && c.status == approval.StatusApproved {
		prompt = "type yes, then return: "
	}
	lines := []string{
		styles{}.dim().Render(strings.Repeat("─", width)),
		styles{}.title().Render(fit(fmt.Sprintf("%s exactly this call of %s?", what, approval.CardQuote(c.item.request.Tool)), width)),
		styles{}.notice().Render(fit(warning, width)),
		w.field("reason, which is kept: ", c.reason, !c.atAnswer),
		w.field("to "+word+", "+prompt, c.answer, c.atAnswer),
		"",
	}
	if c.status == approval.StatusDenied {
		lines[3] = w.field("reason, for the agent: ", c.reason, !c.atAnswer)
	}
	if c.busy {
		lines[5] = styles{}.dim().Render("deciding")
	}
	return lines
}

// field shows the end of what was typed, which is where typing goes on.
func (w *watching) field(label, text string, active bool) string {
	text = strings.ReplaceAll(approval.Visible(text), "\n", " ")
	room := w.cardWidth() - len(label) - 1
	for columns(text) > room {
		_, text = cutFirst(text)
	}
	if !active {
		return styles{}.dim().Render(label) + text
	}
	return label + text + styles{}.cursor().Render(" ")
}

func cutFirst(text string) (first, rest string) {
	for i := range text {
		if i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func columns(text string) (n int) {
	for _, r := range text {
		n += approval.Columns(r)
	}
	return n
}

// fit cuts a text of ours, or one that stands whole elsewhere on the screen.
func fit(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	used := 0
	for i, r := range text {
		if used += approval.Columns(r); used > width-1 {
			return text[:i] + "…"
		}
	}
	return text
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

// compact tells a length of time in few columns, with seconds while they count.
func compact(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if hours > 0 {
		return fmt.Sprintf("%dh%02dm", hours, minutes)
	}
	return fmt.Sprintf("%d:%02d", minutes, seconds)
}
