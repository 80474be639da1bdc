package worktree

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Text refuses content that is no text: what holds a NUL, or is not UTF-8.
func Text(name string, data []byte) error {
	if bytes.IndexByte(data, 0) >= 0 {
		return refusal.New(refusal.FileBinary, "%q is binary: it holds NUL bytes", name)
	}
	if !utf8.Valid(data) {
		return refusal.New(refusal.FileBinary, "%q is not UTF-8 text", name)
	}
	return nil
}

// A Substitution is text to be put in the place of other text.
type Substitution struct {
	Old, New string
	All      bool // every occurrence; else there must be exactly one
}

// A Substituted text says what was done.
type Substituted struct {
	Text  []byte
	Count int
	Line  int // of the first occurrence, from 1
}

// Apply makes the substitution in the text of a file.
func (s Substitution) Apply(name string, data []byte) (Substituted, error) {
	var done Substituted
	if err := Text(name, data); err != nil {
		return done, err
	}
	if strings.IndexByte(s.New, 0) >= 0 {
		return done, refusal.New(refusal.FileBinary, "new_text holds a NUL character")
	}
	if s.Old == "" || s.Old == s.New {
		return done, refusal.New(refusal.TextUnchanged, "replacing the text by itself changes nothing in %q", name)
	}
	text := string(data)
	done.Count = strings.Count(text, s.Old)
	switch {
	case done.Count == 0:
		return done, s.notFound(name, text)
	case done.Count > 1 && !s.All:
		return done, refusal.New(refusal.TextAmbiguous, "old_text stands in %q %d times", name, done.Count)
	case overlaps(text, s.Old) && !s.All:
		return done, refusal.New(refusal.TextAmbiguous, "old_text stands in %q twice, one overlapping the other", name)
	}
	before, _, _ := strings.Cut(text, s.Old)
	done.Line = 1 + strings.Count(before, "\n")
	done.Text = []byte(strings.ReplaceAll(text, s.Old, s.New))
	return done, nil
}

// overlaps reports whether another occurrence starts within the first one:
// which of them is meant cannot be told.
func overlaps(text, part string) bool {
	first := strings.Index(text, part)
	_, width := utf8.DecodeRuneInString(part)
	return strings.Contains(text[first+width:], part)
}

func (s Substitution) notFound(name, text string) error {
	lines := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
	if strings.Contains(lines(text), lines(s.Old)) {
		ends := `\n`
		if strings.Contains(text, "\r\n") {
			ends = `\r\n`
		}
		return refusal.New(refusal.TextNotFound, "old_text stands in %q with other line ends: the file uses %s", name, ends)
	}
	return refusal.New(refusal.TextNotFound, "old_text does not stand in %q", name)
}
