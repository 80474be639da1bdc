package protocol

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/gatewright/gatewright/gen/diag"
)

// maxCharacters is how many places with bad characters are reported one by one.
const maxCharacters = 50

// readable makes the text fit for the YAML library, which stops at the first
// character it does not like and counts some of them as ends of lines. Each
// such character is reported and replaced by one that is harmless and takes
// the same place. It says whether going on makes sense.
func (r *reader) readable(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	clean := make([]byte, 0, len(text))
	line, column := 1, 1
	var run diag.Span // of neighbouring bad characters
	var first string
	flush := func() {
		if first != "" {
			r.badCharacter(run, first)
			first = ""
		}
	}
	for at := 0; at < len(text); {
		char, size := utf8.DecodeRune(text[at:])
		bad, what := badRune(char, size, text[at:])
		switch {
		case bad:
			if first == "" {
				first, run = what, diag.Span{File: r.file, Line: line, Column: column, EndLine: line, EndColumn: column}
			}
			run.EndColumn++
			clean = append(clean, replacement(char)...)
		default:
			flush()
			clean = append(clean, text[at:at+size]...)
		}
		at += size
		if column++; char == '\n' {
			line, column = line+1, 1
		}
	}
	flush()
	r.text, r.source = clean, diag.NewSource(r.file, clean)
	if len(r.bad) > maxCharacters {
		r.found = slices.Delete(r.found, 1, len(r.found))
		r.found[0].Message = "this is not a text file: " + r.found[0].Message
		r.found[0].Notes = append(r.found[0].Notes, fmt.Sprintf("there are %d more such places", len(r.bad)-1))
		return false
	}
	return r.withinParts()
}

func badRune(char rune, size int, rest []byte) (bad bool, what string) {
	switch {
	case char == utf8.RuneError && size == 1:
		return true, "a byte that is not UTF-8"
	case char == '\r' && (len(rest) > 1 && rest[1] == '\n'):
		return false, ""
	case char == '\r':
		return true, "a carriage return without a line feed"
	case diag.Invisible(char):
		return true, fmt.Sprintf("the invisible character U+%04X", char)
	}
	return false, ""
}

func replacement(char rune) string {
	if char == '\r' || char == '\u0085' || char == '\u2028' || char == '\u2029' {
		return " "
	}
	return "\ufffd"
}

func (r *reader) badCharacter(span diag.Span, what string) {
	r.bad = append(r.bad, span)
	r.report(diag.Diagnostic{
		Rule: ruleCharacter, Message: "the file holds " + what, Span: span,
		Notes: []string{"whoever reviews a protocol must see what a program reads"},
		Help:  "remove it; save the file as UTF-8 with LF or CRLF at the end of lines",
	})
}

// withinParts refuses a file that would cost much more memory than its size:
// every scalar and collection stands behind one of these characters.
func (r *reader) withinParts() bool {
	parts := 0
	for _, b := range r.text {
		switch b {
		case '\n', ',', '[', '{', ':', '-', '?':
			parts++
		}
	}
	if parts <= maxParts {
		return true
	}
	r.report(diag.Diagnostic{
		Rule: ruleSize, Message: fmt.Sprintf("the file has more than %d parts", maxParts),
		Span: diag.Span{File: r.file, Line: 1, Column: 1, EndLine: 1, EndColumn: 1},
	})
	return false
}
