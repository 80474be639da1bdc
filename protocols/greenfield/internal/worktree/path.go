package worktree

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Bounds of a path, in bytes.
const (
	maxPath      = 1024
	maxComponent = 255
)

// Parse holds a path that somebody wrote against the form that all tools take,
// and returns it without redundant dots and slashes. "." is the top folder.
func Parse(text string) (string, error) {
	switch {
	case text == "":
		return "", refusal.New(refusal.PathInvalid, "the path is empty")
	case len(text) > maxPath:
		return "", refusal.New(refusal.PathInvalid, "the path is longer than %d bytes", maxPath)
	case !Printable(text):
		return "", refusal.New(refusal.PathInvalid, "the path %q holds characters that are not printable", text)
	case strings.HasPrefix(text, "/"), hasDrive(text):
		return "", refusal.New(refusal.PathOutside, "the path %q is absolute", text)
	case strings.Contains(text, `\`):
		return "", refusal.New(refusal.PathInvalid, "the path %q holds a backslash", text)
	}
	for component := range strings.SplitSeq(text, "/") {
		if component == ".." {
			return "", refusal.New(refusal.PathOutside, "the path %q holds ..", text)
		}
		if len(component) > maxComponent {
			return "", refusal.New(refusal.PathInvalid, "a part of the path is longer than %d bytes", maxComponent)
		}
	}
	clean := path.Clean(text)
	if !filepath.IsLocal(filepath.FromSlash(clean)) { // device names of Windows
		return "", refusal.New(refusal.PathOutside, "the path %q does not lie in the work tree", text)
	}
	return clean, nil
}

// Printable reports whether a name is UTF-8 without control characters and
// without what reorders the text around it.
func Printable(name string) bool {
	if !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// Shown is a name in printable form: the name itself where it is printable.
func Shown(name string) string {
	if Printable(name) {
		return name
	}
	return strconv.QuoteToASCII(name)
}

// hasDrive reports whether a path starts with a drive of Windows.
func hasDrive(text string) bool {
	return len(text) > 1 && text[1] == ':' && (text[0]|0x20) >= 'a' && (text[0]|0x20) <= 'z' && (len(text) == 2 || text[2] == '/' || text[2] == '\\')
}
