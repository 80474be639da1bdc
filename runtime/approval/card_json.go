package approval

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxIndent bounds how far in a line starts, so that deep nesting does not make
// a card larger than what it shows by more than that.
const maxIndent = 40

// json adds a JSON text, laid out, and returns how many characters of it would
// not have shown as themselves. What is no JSON is shown as it is.
func (c *carding) json(text []byte) (hidden int) {
	layout := &layout{reader: jsontext.NewDecoder(bytes.NewReader(text))}
	err := layout.value("", 0)
	if err == nil {
		if _, err = layout.reader.ReadToken(); errors.Is(err, io.EOF) {
			c.lines = append(c.lines, layout.lines...)
			return layout.hidden
		}
	}
	c.notice("this is not the JSON that it should be, and is shown as it is:")
	layout.lines = nil
	layout.block("", 0, string(text))
	c.lines = append(c.lines, layout.lines...)
	return layout.hidden
}

// A layout writes JSON for a person: one member a line, numbers with every
// digit, and strings of several lines as lines.
type layout struct {
	reader *jsontext.Decoder
	lines  []CardLine
	hidden int
}

func (l *layout) add(kind CardKind, depth int, text string) {
	l.lines = append(l.lines, CardLine{Kind: kind, Label: quoteMark + strings.Repeat(" ", min(2*depth, maxIndent)), Text: text})
}

// value writes one value behind a lead, which is the name of a member.
func (l *layout) value(lead string, depth int) error {
	token, err := l.reader.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		return l.inside(lead, depth, "{", "}", func() error {
			name, err := l.reader.ReadToken()
			if err != nil {
				return err
			}
			return l.value(l.quoted(name.String())+": ", depth+1)
		})
	case '[':
		return l.inside(lead, depth, "[", "]", func() error { return l.value("", depth+1) })
	case '"':
		l.text(lead, depth, token.String())
	default:
		l.add(CardQuoted, depth, lead+token.String()+l.comma())
	}
	return nil
}

// inside writes what stands between two brackets.
func (l *layout) inside(lead string, depth int, left, right string, each func() error) error {
	end := right[0]
	if byte(l.reader.PeekKind()) == end {
		if _, err := l.reader.ReadToken(); err != nil {
			return err
		}
		l.add(CardQuoted, depth, lead+left+right+l.comma())
		return nil
	}
	l.add(CardQuoted, depth, lead+left)
	for byte(l.reader.PeekKind()) != end {
		if err := each(); err != nil {
			return err
		}
	}
	if _, err := l.reader.ReadToken(); err != nil {
		return err
	}
	l.add(CardQuoted, depth, right+l.comma())
	return nil
}

// comma is the comma after a value, where another follows.
func (l *layout) comma() string {
	if next := l.reader.PeekKind(); next == '}' || next == ']' || next == 0 || l.reader.StackDepth() == 0 {
		return ""
	}
	return ","
}

// quoted is a string as JSON has it, with what is hidden written out.
func (l *layout) quoted(text string) string {
	l.hidden += hiddenIn(text)
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted = fmt.Appendf(nil, "%q", text)
	}
	return strings.ReplaceAll(Visible(string(quoted)), "\n", `\n`)
}

func (l *layout) text(lead string, depth int, text string) {
	if !strings.Contains(text, "\n") {
		l.add(CardQuoted, depth, lead+l.quoted(text)+l.comma())
		return
	}
	l.block(lead, depth, text)
}

// block writes a text of several lines, each behind a mark that no other line
// of JSON starts with. A text that ends with a new line has a last line with
// nothing in it.
func (l *layout) block(lead string, depth int, text string) {
	lines := strings.Split(text, "\n")
	l.add(CardQuoted, depth, fmt.Sprintf("%s%d lines:", lead, len(lines)))
	kinds := diffKinds(lines)
	for i, line := range lines {
		l.hidden += hiddenIn(line)
		l.add(kinds[i], depth+1, "> "+exact(line))
	}
}
