package diag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// window is how many runes of a long line are shown before and behind a mark.
const window = 100

// A mark is a span that is underlined, with what stands beside it.
type mark struct {
	span    Span
	label   string
	primary bool
}

// snippet shows the lines of one file that have marks, each line once and in
// order, with the marks below it.
func (p *printer) snippet(gutter string, marks []mark, colour string) {
	source := p.files[marks[0].span.File]
	if source == nil || marks[0].span.Line < 1 {
		p.unseen(gutter, marks)
		return
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return a.span.Compare(b.span) })
	p.row(gutter, "", "")
	shown := 0
	for i := 0; i < len(marks); {
		number := marks[i].span.Line
		if shown > 0 && number == shown+2 {
			p.row(gutter, strconv.Itoa(shown+1), context(source.Line(shown+1)))
		} else if shown > 0 && number > shown+2 {
			fmt.Fprintf(p.out, "%s\n", p.style.paint(blue, "..."))
		}
		next := i
		for next < len(marks) && marks[next].span.Line == number {
			next++
		}
		p.line(gutter, source, marks[i:next], colour)
		i, shown = next, number
	}
	p.row(gutter, "", "")
}

// unseen names places whose text is not at hand.
func (p *printer) unseen(gutter string, marks []mark) {
	for _, m := range marks {
		if m.label != "" && m.span.Line > 0 {
			p.row(gutter, "", fmt.Sprintf("%d:%d: %s", m.span.Line, m.span.Column, Visible(m.label)))
		}
	}
}

func (p *printer) row(gutter, number, text string) {
	line := fmt.Sprintf("%*s |", len(gutter), number)
	if text == "" {
		fmt.Fprintf(p.out, "%s\n", p.style.paint(blue, line))
		return
	}
	fmt.Fprintf(p.out, "%s %s\n", p.style.paint(blue, line), text)
}

// line shows one line, cut around its marks where it is long.
func (p *printer) line(gutter string, source *Source, marks []mark, colour string) {
	number := marks[0].span.Line
	first, last := marks[0].span.Column, 0
	for _, m := range marks {
		last = max(last, m.column())
	}
	if last-first > window { // marks far apart on one long line: each has the line to itself
		for _, m := range marks {
			p.part(gutter, source, number, []mark{m}, colour)
		}
		return
	}
	p.part(gutter, source, number, marks, colour)
}

func (m mark) column() int {
	if m.span.EndLine == m.span.Line {
		return min(max(m.span.EndColumn, m.span.Column), m.span.Column+window)
	}
	return m.span.Column
}

func (p *printer) part(gutter string, source *Source, number int, marks []mark, colour string) {
	first, last := marks[0].span.Column, 0
	for _, m := range marks {
		last = max(last, m.column())
	}
	from := 1
	if first > window {
		from = first - window/2
	}
	start := source.Offset(number, from)
	stop := source.Offset(number, last+window)
	end := source.Offset(number, 1<<40)
	text := string(source.text[start:stop])
	before, after := "", ""
	if from > 1 {
		before = "…"
	}
	if stop < end {
		after = "…"
	}
	p.row(gutter, strconv.Itoa(number), before+Visible(text)+after)
	for _, m := range marks {
		lead := head(text, m.span.Column-from)
		rest := text[len(lead):]
		if m.span.EndLine == m.span.Line {
			rest = head(rest, m.span.EndColumn-m.span.Column)
		}
		sign, paint := "-", blue
		if m.primary {
			sign, paint = "^", colour
		}
		under := strings.Repeat(sign, max(width(Visible(rest)), 1))
		if m.label != "" {
			under += " " + Visible(m.label)
		}
		p.row(gutter, "", strings.Repeat(" ", width(before)+width(Visible(lead)))+p.style.paint(paint, under))
	}
}

// head is the text's first runes.
func head(text string, runes int) string {
	at := 0
	for ; runes > 0 && at < len(text); runes-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at]
}

// context is the beginning of a line that is shown for context alone.
func context(line []byte) string {
	text := head(string(line[:min(len(line), 8*window)]), 2*window)
	if len(text) < len(line) {
		return Visible(text) + "…"
	}
	return Visible(text)
}
