package diag

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// stride is how many runes lie between two remembered offsets of a long line
// that is not plain ASCII.
const stride = 1024

// A Source is the text of a file, indexed by line. Lines end in LF or CRLF.
type Source struct {
	File  string
	text  []byte
	lines []line
}

type line struct {
	start, end int // without the line's ending
	ascii      bool
	marks      []int // offset of every stride-th rune, made when first needed
}

// NewSource indexes a text. It keeps the text, which must not change.
// A byte order mark at its start is no part of it.
func NewSource(file string, text []byte) *Source {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	source := &Source{File: file, text: text}
	for start := 0; ; {
		end, next := len(text), -1
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end, next = start+n, start+n+1
		}
		stop := end
		if next >= 0 && stop > start && text[stop-1] == '\r' {
			stop--
		}
		source.lines = append(source.lines, line{start: start, end: stop, ascii: isASCII(text[start:stop])})
		if next < 0 {
			return source
		}
		start = next
	}
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Lines is how many lines there are; an empty text has one.
func (s *Source) Lines() int { return len(s.lines) }

// Line returns the text of a line, counted from 1, without its ending; nil for
// a line that is not there.
func (s *Source) Line(number int) []byte {
	if number < 1 || number > len(s.lines) {
		return nil
	}
	line := s.lines[number-1]
	return s.text[line.start:line.end]
}

// Offset is where a line and column, both counted from 1, stand in the text. A
// column behind the line's end stands at that end.
func (s *Source) Offset(number, column int) int {
	if number < 1 {
		return 0
	}
	if number > len(s.lines) {
		return len(s.text)
	}
	line := &s.lines[number-1]
	runes := max(column-1, 0)
	if line.ascii {
		return min(line.start+runes, line.end)
	}
	if line.marks == nil {
		line.marks = marks(s.text, line.start, line.end)
	}
	at := line.marks[min(runes/stride, len(line.marks)-1)]
	for left := runes - min(runes/stride, len(line.marks)-1)*stride; left > 0 && at < line.end; left-- {
		_, size := utf8.DecodeRune(s.text[at:line.end])
		at += size
	}
	return at
}

func marks(text []byte, start, end int) []int {
	found := []int{start}
	for at, runes := start, 0; at < end; {
		_, size := utf8.DecodeRune(text[at:end])
		at += size
		if runes++; runes%stride == 0 {
			found = append(found, at)
		}
	}
	return found
}

// Position is the line and column of an offset, both counted from 1. It looks
// forward from the line given, which makes a run through a text cheap.
func (s *Source) Position(offset, from int) (number, column int) {
	number = min(max(from, 1), len(s.lines))
	for number > 1 && s.lines[number-1].start > offset {
		number--
	}
	for number < len(s.lines) && s.lines[number].start <= offset {
		number++
	}
	line := &s.lines[number-1]
	offset = min(max(offset, line.start), line.end)
	if line.ascii {
		return number, offset - line.start + 1
	}
	if line.marks == nil {
		line.marks = marks(s.text, line.start, line.end)
	}
	mark := sort.SearchInts(line.marks, offset+1) - 1
	return number, mark*stride + utf8.RuneCount(s.text[line.marks[mark]:offset]) + 1
}
