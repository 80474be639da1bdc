package audit

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what an entry keeps, in bytes as written. maxLine holds the
// largest entry within the others, which a test checks.
const (
	maxName  = 256
	maxText  = 1024
	maxPairs = 16       // of recorded
	maxLine  = 32 << 10 // with its newline
)

const (
	ellipsis = "…"
	cutSize  = len(`\u2026`)
)

// bound returns text as valid UTF-8 that takes at most limit bytes when it is
// written. What is cut ends in an ellipsis.
func bound(text string, limit int) string {
	if len(text) <= limit && plain(text) == len(text) {
		return text
	}
	size, keep := 0, 0
	for i, r := range text {
		if size <= limit-cutSize {
			keep = i
		}
		if size += written(r); size > limit {
			return valid(text[:keep]) + ellipsis
		}
	}
	return valid(text)
}

// boundAll bounds the names and texts of a map. Of more than maxPairs it keeps
// the first, sorted by name, and says how many it left out.
func boundAll(pairs map[string]string) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	kept := make(map[string]string, min(len(pairs), maxPairs))
	for _, name := range sorted(pairs, nil) {
		if len(kept) == maxPairs-1 && len(pairs) > maxPairs {
			kept[ellipsis] = "cut"
			break
		}
		kept[bound(name, maxName)] = bound(pairs[name], maxText)
	}
	return kept
}

// sorted appends the names of a map to names, sorted.
func sorted(pairs map[string]string, names []string) []string {
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// valid returns text with U+FFFD for each byte that is not UTF-8, which is
// what ranging over it gives.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// written is the size that appendText gives a character.
func written(r rune) int {
	switch {
	case r == '"' || r == '\\':
		return 2
	case r >= ' ' && r <= '~':
		return 1
	case r > 0xffff:
		return 12
	}
	return 6
}

// plain returns how many bytes at the start of text are written as they are.
func plain(text string) int {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b > '~' || b == '"' || b == '\\' {
			return i
		}
	}
	return len(text)
}

// appendText appends a JSON string in printable ASCII.
func appendText(line []byte, text string) []byte {
	line = append(line, '"')
	same := plain(text)
	line = append(line, text[:same]...)
	for _, r := range text[same:] {
		switch {
		case r == '"' || r == '\\':
			line = append(line, '\\', byte(r))
		case r >= ' ' && r <= '~':
			line = append(line, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			line = appendEscape(appendEscape(line, high), low)
		default:
			line = appendEscape(line, r)
		}
	}
	return append(line, '"')
}

func appendEscape(line []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(line, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
