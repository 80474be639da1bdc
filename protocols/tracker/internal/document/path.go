package document

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// top is the folder of the workspace that documents lie in.
const top = "docs"

// Bounds of a path, in bytes.
const (
	maxPath      = 512
	maxComponent = 255
)

// parsePath holds a path that somebody wrote against the one form that
// documents are named in, and returns it without redundant dots and slashes.
func parsePath(text string) (string, error) {
	invalid := func(why string) (string, error) {
		return "", refusal.New(refusal.PathInvalid, "%q is no path of a document: %s", text, why)
	}
	switch {
	case len(text) > maxPath:
		return "", refusal.New(refusal.PathInvalid, "the path is longer than %d bytes", maxPath)
	case !printable(text):
		return invalid("it holds characters that are not printable")
	case strings.Contains(text, `\`):
		return invalid("it holds a backslash")
	}
	clean := path.Clean(text)
	if !strings.HasPrefix(clean, top+"/") || strings.HasPrefix(text, "/") || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return invalid("it does not start with docs/")
	}
	for component := range strings.SplitSeq(text, "/") {
		switch {
		case component == "..":
			return invalid("it holds ..")
		case len(component) > maxComponent:
			return invalid("a part of it is too long")
		case component != "." && strings.HasPrefix(component, "."):
			return invalid("a part of it is hidden")
		}
	}
	switch path.Ext(clean) {
	case ".md", ".markdown", ".txt":
		return clean, nil
	}
	return invalid("it ends neither in .md nor in .txt")
}

// printable reports whether a name is UTF-8 without control characters and
// without what reorders the text around it.
func printable(name string) bool {
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
