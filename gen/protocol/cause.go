package protocol

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gatewright/gatewright/gen/diag"
)

// foreign recognizes what does not belong into a file of YAML at all, in the
// line where the library stopped or the one above.
func (r *reader) foreign(d *diag.Diagnostic, number int) bool {
	for at := max(number-1, 1); at <= number; at++ {
		line := r.source.Line(at)
		switch {
		case regexp.MustCompile(`^(<{7}|={7}|>{7})( |$)`).Match(line):
			d.Message, d.Help = "a conflict of git is left in the file", "keep one of the two versions, and remove the lines that start with <<<<<<<, ======= and >>>>>>>"
		case regexp.MustCompile("^(```|~~~)").Match(line):
			d.Message, d.Help = "a fence of Markdown is left in the file", "remove this line, and the one that closes the fence"
		default:
			if column := strangeBlank(line); column >= 0 {
				char, _ := utf8.DecodeRune(line[column:])
				d.Rule, d.Message = ruleCharacter, fmt.Sprintf("U+%04X looks like a blank, but is none to YAML", char)
				d.Help = "type an ordinary blank in its place"
				d.Span = r.lineSpan(at, column)
				return true
			}
			continue
		}
		d.Span = r.lineSpan(at, -1)
		return true
	}
	return false
}

// strangeBlank is where a blank that is none to YAML stands in front of a key
// or a value, or -1.
func strangeBlank(line []byte) int {
	expected := true
	for at := 0; at < len(line); {
		char, size := utf8.DecodeRune(line[at:])
		switch {
		case char == ' ' || char == '\t':
		case unicode.IsSpace(char):
			if expected {
				return at
			}
		default:
			expected = strings.ContainsRune(":,-[{", char)
		}
		at += size
	}
	return -1
}

// explain says more about a line where the library stopped, as far as the line
// and the one above tell.
func (r *reader) explain(d *diag.Diagnostic, said string, number int) {
	at := newWalker(r.text).line(r.source.Offset(number, 1))
	text := string(bytes.TrimSpace(r.text[at.start:at.end]))
	value := string(bytes.TrimRight(r.text[at.value:at.end], " \t"))
	switch {
	case strings.Contains(said, "mapping values are not allowed") && at.key != "" && strings.Contains(value, ":"):
		d.Help = "put quotes around the text:\n" + at.with(quoted(strings.Trim(value, "“”„‟«»\"")))
		if strings.ContainsAny(value, "“”„‟") {
			d.Notes = []string{"“ and ” are no quotes to YAML"}
		}
	case strings.Contains(said, "mapping values are not allowed"):
		r.deeper(d, at, number)
	case strings.Contains(said, "did not find expected key"), strings.Contains(said, "did not find expected '-' indicator"):
		r.between(d, at, number)
	case strings.Contains(said, "cannot start any token"), strings.Contains(said, "expected alphabetic"):
		if at.key != "" && value != "" {
			d.Help = "put quotes around the text:\n" + at.with(quoted(value))
		}
	case strings.Contains(said, "could not find expected ':'"):
		if above, key := r.above(number); key != "" && regexp.MustCompile(`:[ \t]+[|>][0-9+-]*$`).Match(r.source.Line(above)) {
			d.Message, d.Help = fmt.Sprintf("the text of `%s` is not indented deeper than its key", key), fmt.Sprintf("indent it by %d blanks or more", indent(r.source.Line(above))+2)
		} else if key, rest, found := strings.Cut(text, ":"); found && regexp.MustCompile(`^[\w$-]+$`).MatchString(key) {
			d.Help = fmt.Sprintf("write `%s: %s`, with a blank behind the colon", key, rest)
		} else if regexp.MustCompile(`^[\w$-]+$`).MatchString(text) {
			d.Help = fmt.Sprintf("write `%s:`, or indent it deeper if it goes on with the text above", text)
		}
	}
	d.Help = visibleLines(d.Help)
}

// above is the next line above that is not empty, and its key.
func (r *reader) above(number int) (int, string) {
	for number--; number > 0; number-- {
		if text := bytes.TrimSpace(r.source.Line(number)); len(text) > 0 && text[0] != '#' {
			return number, newWalker(r.text).line(r.source.Offset(number, 1)).key
		}
	}
	return 0, ""
}

// deeper explains a key that is indented deeper than the text above it, which
// YAML takes to be more of that text.
func (r *reader) deeper(d *diag.Diagnostic, at line, number int) {
	above, _ := r.above(number)
	before := indent(r.source.Line(above))
	if above == 0 || before >= at.indent {
		return
	}
	d.Related = []diag.Related{{Span: r.lineSpan(above, before), Message: fmt.Sprintf("indented by %d", before)}}
	d.Label = fmt.Sprintf("the line is indented by %d", at.indent)
	d.Notes = []string{"a line that is indented deeper goes on with the text above it"}
	d.Help = "indent both lines alike"
}

// between explains a line whose indentation is that of nothing around it.
func (r *reader) between(d *diag.Diagnostic, at line, number int) {
	inner, outer := 0, 0
	for line := number - 1; line > 0 && outer == 0; line-- {
		text := bytes.TrimSpace(r.source.Line(line))
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		switch found := indent(r.source.Line(line)); {
		case found == at.indent:
			return
		case found > at.indent && (inner == 0 || found < indent(r.source.Line(inner))):
			inner = line
		case found < at.indent:
			outer = line
		}
	}
	if inner == 0 || outer == 0 {
		return
	}
	d.Message = "this line is indented as nothing around it is"
	d.Help = fmt.Sprintf("indent it by %d, as line %d, or by %d, as line %d", indent(r.source.Line(inner)), inner, indent(r.source.Line(outer)), outer)
}

func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = diag.Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}
