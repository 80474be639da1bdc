package approval

import "strings"

// wrapped breaks lines that are wider than the card may be. A terminal that
// broke them itself would start the rest at its left edge, where only our own
// words may stand.
func (c *carding) wrapped() []CardLine {
	if c.options.Width <= 0 {
		return c.lines
	}
	width := max(c.options.Width, minimalWrap)
	var all []CardLine
	for _, line := range c.lines {
		all = append(all, wrap(line, width)...)
	}
	return all
}

func wrap(line CardLine, width int) []CardLine {
	var all []CardLine
	for room := width - len(line.Label); ; {
		head, rest := split(line.Text, room)
		all = append(all, CardLine{Kind: line.Kind, Label: line.Label, Text: head})
		if rest == "" {
			return all
		}
		line.Text = rest
		switch {
		case strings.HasPrefix(line.Label, quoteMark):
			line.Label = goesOn
		case line.Label == "":
			line.Label = "    "
		case line.Label != goesOn:
			line.Label = strings.Repeat(" ", len(line.Label))
		}
		room = width - len(line.Label)
	}
}

// split breaks a text at a column. It breaks where it has to, not where a word
// ends: no space is ever dropped or moved.
func split(text string, room int) (head, rest string) {
	column := 0
	for i, r := range text {
		if column += Columns(r); column > room && i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// Columns is how many columns of a terminal a character takes at the most.
// Terminals differ, and a line that is broken early does no harm.
func Columns(r rune) int {
	if r < 0x1100 {
		return 1
	}
	return 2
}
