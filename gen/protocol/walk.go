package protocol

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/gatewright/gatewright/gen/diag"
)

// The YAML library says where it could not go on, which is often far behind
// what is to blame. Once it has failed, a walk over the text finds the first
// value that ends wrongly, and says so in terms of what stands there.

// A fault is the first thing that a walk finds wrong.
type fault struct {
	start, end    int // what is wrong
	from          int // where the value begins that it is in
	message, help string
}

// A walker goes over a text once.
type walker struct {
	text []byte
	keys *regexp.Regexp // a key at the start of a line
}

func newWalker(text []byte) walker {
	return walker{text, regexp.MustCompile(`^([\w$./-]+|"[^"]*"|'[^']*'):(?:[ \t]+|$)`)}
}

// line is what a walk takes a line for.
type line struct {
	start, end int // without its ending
	indent     int
	value      int    // where the value begins; end where there is none
	key        string // in front of the value, may be empty
}

func (w walker) line(start int) line {
	end := len(w.text)
	if n := bytes.IndexByte(w.text[start:], '\n'); n >= 0 {
		end = start + n
	}
	if end > start && w.text[end-1] == '\r' {
		end--
	}
	at := line{start: start, end: end, indent: indent(w.text[start:end])}
	at.value = start + at.indent
	for bytes.HasPrefix(w.text[at.value:end], []byte("- ")) {
		at.value += 1 + indent(w.text[at.value+1:end])
	}
	if found := w.keys.FindSubmatchIndex(w.text[at.value:end]); found != nil {
		at.key = string(w.text[at.value : at.value+found[3]])
		at.value += found[1]
	}
	return at
}

// first is the first fault of the text. A text that goes on over lines, and one
// that is introduced by | or >, is passed over.
func (w walker) first() (fault, bool) {
	deeper := -1 // lines indented deeper than this belong to the text above
	for start := 0; start < len(w.text); {
		at := w.line(start)
		start = w.next(at.end)
		rest := bytes.TrimSpace(w.text[at.start:at.end])
		if len(rest) == 0 || rest[0] == '#' || deeper >= 0 && at.indent > deeper {
			continue
		}
		deeper = -1
		if at.value >= at.end {
			continue
		}
		var stop int
		var wrong fault
		var found bool
		switch char := w.text[at.value]; char {
		case '{', '[':
			stop, wrong, found = w.flow(at.value)
		case '"', '\'':
			stop, found = w.quote(at.value)
			if !found {
				return fault{}, false // where it should have ended nobody knows
			}
			found = false
		default:
			deeper = at.indent
			continue
		}
		if !found {
			wrong, found = w.behind(at, stop)
		}
		if found {
			return wrong, true
		}
		start = w.next(w.line(w.lineStart(stop)).end)
	}
	return fault{}, false
}

func (w walker) next(end int) int {
	if n := bytes.IndexByte(w.text[end:], '\n'); n >= 0 {
		return end + n + 1
	}
	return len(w.text)
}

func (w walker) lineStart(at int) int { return bytes.LastIndexByte(w.text[:at], '\n') + 1 }

// behind finds text behind a value that has ended. A colon makes the value a
// key, which is fine.
func (w walker) behind(at line, stop int) (fault, bool) {
	end := w.line(w.lineStart(stop)).end
	rest := bytes.TrimLeft(w.text[stop:end], " \t")
	if len(rest) == 0 || rest[0] == ':' || rest[0] == '#' && len(rest) < end-stop {
		return fault{}, false
	}
	whole := string(bytes.TrimRight(w.text[at.value:end], " \t"))
	if first, last := whole[0], whole[len(whole)-1]; len(whole) > 1 && first == last && (first == '"' || first == '\'') {
		whole = whole[1 : len(whole)-1]
	}
	return fault{
		start: end - len(rest), end: end, from: at.value,
		message: fmt.Sprintf("text goes on behind the closing `%c`", w.text[stop-1]),
		help:    "put quotes around all of it:\n" + at.with(quoted(whole)),
	}, true
}

// with is the line's key with another value.
func (l line) with(value string) string {
	if l.key == "" {
		return value
	}
	return l.key + ": " + value
}

// quote is behind the quote that closes the one at at, and whether there is one.
func (w walker) quote(at int) (int, bool) {
	quote := w.text[at]
	for at++; at < len(w.text); at++ {
		switch {
		case quote == '"' && w.text[at] == '\\', quote == '\'' && w.text[at] == quote && at+1 < len(w.text) && w.text[at+1] == quote:
			at++
		case w.text[at] == quote:
			return at + 1, true
		}
	}
	return len(w.text), false
}

// sharpen puts what the walk finds in the place of what the library says, where
// both speak of the same value.
func (r *reader) sharpen(d *diag.Diagnostic, number int) {
	if len(r.text) > searchBytes {
		return
	}
	wrong, found := newWalker(r.text).first()
	if !found {
		return
	}
	from, _ := r.source.Position(wrong.from, 1)
	at, _ := r.source.Position(wrong.start, from)
	if number < from-1 || number > at+2 {
		return
	}
	d.Message, d.Help, d.Related, d.Notes = wrong.message, visibleLines(wrong.help), nil, nil
	d.Span = r.span(wrong.start, wrong.end, from)
}
