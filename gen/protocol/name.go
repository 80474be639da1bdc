package protocol

import "strings"

// maxName is how long a declared name may be; clients cut longer ones.
const maxName = 40

// IsName says whether a name may be declared: ^[a-z][a-z0-9_]{0,39}$.
func IsName(name string) bool {
	if name == "" || len(name) > maxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for _, b := range []byte(name) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '_' {
			return false
		}
	}
	return true
}

// Fold is a name as clients may mangle it: in lower case, with everything but
// letters and digits turned into an underscore.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// GoName is the exported Go identifier of a declared name: list_files becomes
// ListFiles. Names that differ only in underscores share one.
func GoName(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// suggestName turns any text into a declared name, or "" where nothing is left.
func suggestName(text string) string {
	var out strings.Builder
	for i, r := range text {
		lower := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		upper := r >= 'A' && r <= 'Z'
		switch {
		case upper && i > 0 && !strings.HasSuffix(out.String(), "_") && out.Len() > 0 && previousLower(text, i):
			out.WriteByte('_')
			fallthrough
		case upper:
			out.WriteRune(r + 'a' - 'A')
		case lower:
			out.WriteRune(r)
		default:
			out.WriteByte('_')
		}
		if out.Len() >= maxName {
			break
		}
	}
	name := strings.Trim(strings.TrimLeft(out.String(), "0123456789_"), "_")
	name = name[:min(len(name), maxName)]
	if !IsName(name) || name == text {
		return ""
	}
	return name
}

func previousLower(text string, at int) bool {
	previous := text[at-1]
	return previous >= 'a' && previous <= 'z' || previous >= '0' && previous <= '9'
}
