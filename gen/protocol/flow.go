package protocol

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// An opened bracket, and what has been read behind it.
type opened struct {
	at    int
	value bool // a value has ended, and a comma or the closing bracket has to follow
	plain bool // it was text without quotes, which the next line may go on with
}

func (w walker) name(at int) string {
	if w.text[at] == '[' {
		return "list"
	}
	return "mapping"
}

func closing(open byte) byte {
	if open == '[' {
		return ']'
	}
	return '}'
}

// flow walks a value in brackets from the one that opens it. It returns the
// place behind the one that closes it, or what is wrong inside.
func (w walker) flow(from int) (int, fault, bool) {
	fail := func(start, end int, message, help string) (int, fault, bool) {
		return end, fault{start: start, end: end, from: from, message: message, help: help}, true
	}
	outer := indent(w.text[w.lineStart(from):])
	stack := []opened{{at: from}}
	for at := from + 1; ; {
		top := &stack[len(stack)-1]
		next, comment := w.pass(at)
		newLine := bytes.IndexByte(w.text[at:next], '\n') >= 0
		if next == len(w.text) || newLine && w.outside(next, outer) {
			return w.unclosed(from, top.at, comment)
		}
		at = next
		char := w.text[at]
		switch {
		case char == ',':
			top.value = false
			at++
		case char == ']' || char == '}':
			if char != closing(w.text[top.at]) {
				return fail(at, at+1, fmt.Sprintf("`%c` closes a %s that `%c` opened", char, w.name(top.at), w.text[top.at]),
					fmt.Sprintf("write `%c`", closing(w.text[top.at])))
			}
			if stack, at = stack[:len(stack)-1], at+1; len(stack) == 0 {
				return at, fault{}, false
			}
			stack[len(stack)-1].value, stack[len(stack)-1].plain = true, false
		case char == ':' && top.value:
			top.value = false
			at++
		case top.value && (!top.plain || !newLine):
			return w.noComma(from, top.at, at, newLine)
		case char == '[' || char == '{':
			stack = append(stack, opened{at: at})
			at++
		case char == '"' || char == '\'':
			end, closed := w.quote(at)
			if !closed {
				return fail(at, at+1, "a quote is opened and never closed", fmt.Sprintf("put `%c` behind the text", char))
			}
			top.value, top.plain, at = true, false, end
		case bytes.HasPrefix(w.text[at:], []byte("//")):
			return fail(at, at+2, "`//` does not start a comment", "write `#` in its place")
		default:
			end := w.plain(at)
			if end < len(w.text) && (w.text[end] == '[' || w.text[end] == '{') {
				end = w.bracketed(at)
				return fail(at, end, fmt.Sprintf("text with brackets in it needs quotes inside `%c` and `%c`", w.text[top.at], closing(w.text[top.at])),
					"write "+quoted(string(w.text[at:end])))
			}
			top.value, top.plain, at = true, true, max(end, at+1)
		}
	}
}

// pass goes over blanks, ends of lines and comments, and says where the first
// comment began, or -1.
func (w walker) pass(at int) (next, comment int) {
	comment = -1
	for at < len(w.text) {
		switch {
		case blank(w.text[at]):
			at++
		case w.text[at] == '#' && at > 0 && blank(w.text[at-1]):
			if comment < 0 {
				comment = at
			}
			at = w.next(at)
		default:
			return at, comment
		}
	}
	return at, comment
}

// outside says whether a line that begins at at, and is indented no deeper than
// the brackets' own, is a key of what stands around them.
func (w walker) outside(at, outer int) bool {
	line := w.line(w.lineStart(at))
	return line.indent <= outer && line.key != "" && line.key[0] != '"' || bytes.HasPrefix(w.text[w.lineStart(at):], []byte("- "))
}

func (w walker) unclosed(from, open, comment int) (int, fault, bool) {
	what := fmt.Sprintf("a %s opened with `%c` is not closed", w.name(open), w.text[open])
	wrong := fault{start: open, end: open + 1, from: from, message: what, help: fmt.Sprintf("put `%c` behind its last entry", closing(w.text[open]))}
	if line := w.line(w.lineStart(open)); comment >= 0 && comment < line.end {
		text := strings.TrimRight(string(w.text[comment:line.end]), " \t")
		if closed := strings.TrimRight(text, "]} \t"); closed != text {
			wrong.start, wrong.end = comment, comment+len(text)
			wrong.message = what + ": a blank and `#` start a comment"
			wrong.help = "put quotes around the text: " + quoted(closed)
		}
	}
	return len(w.text), wrong, true
}

func (w walker) noComma(from, open, at int, newLine bool) (int, fault, bool) {
	end := at + 1
	if w.text[at] == '"' || w.text[at] == '\'' {
		end, _ = w.quote(at)
	} else if word := regexp.MustCompile(`^[\w$./-]+`).FindIndex(w.text[at:]); word != nil {
		end = at + word[1]
	}
	if line := w.line(w.lineStart(at)); end > line.end {
		end = line.end
	}
	help := "put `,` in front of this"
	if !newLine {
		help += "; or put quotes around all of the text if it is one"
	}
	return end, fault{
		start: at, end: end, from: from,
		message: fmt.Sprintf("a comma is missing in the %s that `%c` opens", w.name(open), w.text[open]),
		help:    help,
	}, true
}

// plain is the end of text without quotes, at the end of its line at the latest.
func (w walker) plain(at int) int {
	for ; at < len(w.text); at++ {
		switch char := w.text[at]; {
		case strings.IndexByte(",[]{}\r\n", char) >= 0:
			return at
		case char == ':' && (at+1 == len(w.text) || strings.IndexByte(" \t\r\n,[]{}", w.text[at+1]) >= 0):
			return at
		case char == '#' && blank(w.text[at-1]):
			return at
		}
	}
	return at
}

// bracketed is the end of text that was meant to hold its brackets: the comma
// or the bracket that belongs to what stands around it.
func (w walker) bracketed(at int) int {
	depth := 0
	for ; at < len(w.text); at++ {
		switch char := w.text[at]; {
		case char == '\n' || char == '\r' || depth == 0 && strings.IndexByte(",]}", char) >= 0:
			return at
		case char == '[' || char == '{' || char == '(':
			depth++
		case char == ']' || char == '}' || char == ')':
			depth--
		}
	}
	return at
}
