package approval

import (
	"strings"
	"unicode/utf8"
)

// exact writes one line of a text so that a person can tell what it holds. A
// tab is an arrow to the next multiple of four; what does not show as itself,
// and an arrow of the text's own, are written \u2192. So that they can be told
// from a text that has a backslash there, backslashes before them, and before a
// u, are doubled.
func exact(line string) string {
	var shown strings.Builder
	slashes, column := 0, 0
	for _, r := range strings.ToValidUTF8(line, "\uFFFD") {
		written := string(r)
		switch {
		case r == '\t':
			written = "→" + strings.Repeat(" ", 3-column%4)
		case r == '→':
			written = `\u2192`
		case !plain(r):
			written = Visible(string(r))
		}
		if len(written) > 0 && written[0] == '\\' && r != '\\' || r == 'u' {
			shown.WriteString(strings.Repeat(`\`, slashes))
			column += slashes
		}
		slashes++
		if r != '\\' {
			slashes = 0
		}
		shown.WriteString(written)
		column += utf8.RuneCountInString(written)
	}
	return shown.String()
}

// hiddenIn counts what would not show as itself. Tabs and ends of lines are
// what everybody expects in a text.
func hiddenIn(text string) (hidden int) {
	for _, r := range text {
		if r != '\t' && r != '\n' && !plain(r) {
			hidden++
		}
	}
	return hidden
}

// diffKinds says what each line of a text is: in a unified diff, what it adds
// and removes; in any other, nothing but quoted.
func diffKinds(lines []string) []CardKind {
	kinds, within := make([]CardKind, len(lines)), false
	for i, line := range lines {
		kinds[i] = CardQuoted
		switch {
		case strings.HasPrefix(line, "@@ -") && strings.Contains(line[3:], " @@"):
			kinds[i], within = CardHunk, true
		case strings.HasPrefix(line, "diff --git "):
			kinds[i], within = CardHunk, false
		case !within && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
			kinds[i] = CardHunk
		case within && strings.HasPrefix(line, "+"):
			kinds[i] = CardAdded
		case within && strings.HasPrefix(line, "-"):
			kinds[i] = CardRemoved
		}
	}
	return kinds
}
