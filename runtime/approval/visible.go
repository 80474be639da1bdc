package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Visible writes out every character that a terminal would act on, hide or
// draw in another order, in the manner of JSON: \u202e. New lines and plain
// spaces stay. What is a string inside JSON text stays valid JSON.
func Visible(text string) string {
	var shown strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || plain(r):
			shown.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&shown, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&shown, `\u%04x`, r)
		}
	}
	return shown.String()
}

// plain reports whether a character shows as itself. Control and format
// characters, spaces other than the plain one and private characters are not
// printable in the sense of package unicode; the rest of the list is drawn as
// nothing or changes what stands beside it.
func plain(r rune) bool {
	switch {
	case !unicode.IsPrint(r):
		return false
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false
	case r == '\u2800': // a braille pattern without dots
		return false
	case unicode.Is(unicode.Me, r), r == '\u0335', r == '\u0336', r == '\u0337', r == '\u0338':
		return false // enclose or strike through what stands before
	}
	return true
}
