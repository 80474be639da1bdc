package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tabWidth   = 4
	quoteRunes = 60 // the most of a foreign text that a message repeats
)

// Invisible says whether a rune can deceive the eye of whoever reads a text
// that holds it: controls, marks that turn the direction of writing, and what
// takes no room at all. Tab and line feed are not among them, nor are the
// joiners that some scripts need.
func Invisible(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\u200c' || r == '\u200d':
		return false
	case unicode.IsControl(r):
		return true
	case r == '\u2028' || r == '\u2029' || r == '\u00ad' || r == '\u180e':
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags: text that no one sees
		return true
	}
	return unicode.Is(unicode.Cf, r) && !subtending(r)
}

// subtending are format characters of Arabic and Syriac that do show.
func subtending(r rune) bool {
	return r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r >= 0x890 && r <= 0x891 || r == 0x8e2 || r == 0x110bd || r == 0x110cd
}

// Visible is a text as it may be shown on a terminal: what would be invisible
// is spelled out, tabs become blanks, and line feeds become a sign.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		out.WriteString(visibleRune(r))
	}
	return out.String()
}

// plain says whether a text is visible as it is, as most are.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func visibleRune(r rune) string {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabWidth)
	case r == '\n':
		return "\u240a"
	case r >= 0 && r < 0x20:
		return string('\u2400' + r)
	case r == 0x7f:
		return "\u2421"
	case Invisible(r):
		return fmt.Sprintf("<U+%04X>", r)
	}
	return string(r)
}

// Quote is a foreign text as a message may repeat it: between backquotes, what
// is invisible spelled out, and cut where it gets long.
func Quote(text string) string {
	cut := ""
	if utf8.RuneCountInString(text) > quoteRunes {
		runes := 0
		for at := range text {
			if runes == quoteRunes {
				text, cut = text[:at], "…"
				break
			}
			runes++
		}
	}
	return "`" + strings.ReplaceAll(Visible(text), "`", "'") + cut + "`"
}

// width is how many columns of a terminal a visible text takes.
func width(text string) int {
	columns := 0
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me) || r == '\u200c' || r == '\u200d':
		return 0
	case wide(r):
		return 2
	}
	return 1
}

// wide are the ranges of East Asian wide and full-width characters, and of
// emoji, that terminals draw over two columns.
func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0x33ff, r >= 0x3400 && r <= 0x4dbf,
		r >= 0x4e00 && r <= 0x9fff, r >= 0xa000 && r <= 0xa4cf, r >= 0xa960 && r <= 0xa97f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x16fe0 && r <= 0x18aff, r >= 0x1b000 && r <= 0x1b2ff, r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff,
		r >= 0x1f900 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}
