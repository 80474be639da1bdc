package protocol

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/gatewright/gatewright/gen/diag"
)

// The YAML library says where a node begins, and nothing about where it ends.
// This file finds the ends in the text.

// span covers the text between two offsets; from is a line at or before it.
func (r *reader) span(start, end, from int) diag.Span {
	line, column := r.source.Position(start, from)
	endLine, endColumn := r.source.Position(end, line)
	return diag.Span{File: r.file, Line: line, Column: column, EndLine: endLine, EndColumn: endColumn}
}

// token covers the word that begins at a place.
func (r *reader) token(line, column int) diag.Span {
	at := r.source.Offset(line, column)
	return r.span(at, r.wordEnd(at), line)
}

func (r *reader) wordEnd(at int) int {
	end := at
	for end < len(r.text) && strings.IndexByte(" \t\r\n,[]{}", r.text[end]) < 0 {
		end++
	}
	if end == at && end < len(r.text) && r.text[end] != '\n' && r.text[end] != '\r' {
		end++
	}
	return end
}

// begin is the empty span where a node begins, behind its anchor and tag.
func (r *reader) begin(from *yaml.Node) diag.Span {
	at := r.source.Offset(from.Line, from.Column)
	if from.Kind != yaml.AliasNode && (from.Anchor != "" || from.Style&yaml.TaggedStyle != 0) {
		for at < len(r.text) && (r.text[at] == '&' || r.text[at] == '!') {
			for at < len(r.text) && !blank(r.text[at]) {
				at++
			}
			at = r.skip(at)
		}
	}
	return r.span(at, at, from.Line)
}

// skip passes over blanks, ends of lines and comments.
func (r *reader) skip(at int) int {
	for at < len(r.text) {
		switch {
		case blank(r.text[at]):
			at++
		case r.text[at] == '#' && (at == 0 || blank(r.text[at-1])):
			next := bytes.IndexByte(r.text[at:], '\n')
			if next < 0 {
				return len(r.text)
			}
			at += next
		default:
			return at
		}
	}
	return at
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// end completes a node's span.
func (r *reader) end(to *node, from *yaml.Node) *node {
	start := r.source.Offset(to.span.Line, to.span.Column)
	var stop int
	switch from.Kind {
	case yaml.AliasNode:
		stop = start + 1 + len(from.Value)
	case yaml.ScalarNode:
		stop = r.scalarEnd(start, from)
	default:
		stop = r.collectionEnd(start, to, from.Style&yaml.FlowStyle != 0)
	}
	to.span = r.span(start, min(stop, len(r.text)), to.span.Line)
	return to
}

func (r *reader) scalarEnd(at int, from *yaml.Node) int {
	switch {
	case from.Style&yaml.DoubleQuotedStyle != 0:
		return r.quotedEnd(at, '"', '\\')
	case from.Style&yaml.SingleQuotedStyle != 0:
		return r.quotedEnd(at, '\'', '\'')
	case from.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return r.blockEnd(at)
	}
	return r.plainEnd(at, from.Value)
}

// quotedEnd is behind the quote that closes the one at at. A quote behind the
// escape does not close; in single quotes the escape is another quote.
func (r *reader) quotedEnd(at int, quote, escape byte) int {
	for at++; at < len(r.text); at++ {
		switch {
		case r.text[at] == escape && at+1 < len(r.text) && (escape != quote || r.text[at+1] == quote):
			at++
		case r.text[at] == quote:
			return at + 1
		}
	}
	return at
}

// plainEnd follows the value through the text: they differ in blanks and ends
// of lines alone.
func (r *reader) plainEnd(at int, value string) int {
	for _, char := range value {
		if char == ' ' || char == '\n' || char == '\t' {
			continue
		}
		for at < len(r.text) && blank(r.text[at]) {
			at++
		}
		_, size := utf8.DecodeRune(r.text[at:])
		at += size
	}
	return at
}

// blockEnd is the end of the last line of a literal or folded scalar: those
// lines are indented deeper than the one that introduces them.
func (r *reader) blockEnd(at int) int {
	header := bytes.LastIndexByte(r.text[:at], '\n') + 1
	outer := indent(r.text[header:])
	if trimmed := bytes.TrimLeft(r.text[header:at], " "); len(trimmed) == 0 {
		outer = -1
	}
	end := at
	for {
		next := bytes.IndexByte(r.text[at:], '\n')
		if next < 0 {
			next = len(r.text) - at
		}
		line := bytes.TrimRight(r.text[at:at+next], " \t\r")
		if len(line) > 0 {
			end = at + len(line)
		}
		if at += next + 1; at >= len(r.text) {
			return end
		}
		rest := r.text[at:]
		if content := bytes.TrimLeft(rest, " \r"); len(content) > 0 && content[0] != '\n' && indent(rest) <= outer {
			return end
		}
	}
}

func indent(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " ")) }

// collectionEnd is the end of the last part, or the closing bracket.
func (r *reader) collectionEnd(start int, n *node, flow bool) int {
	at := start
	if flow {
		at++
	}
	if count := len(n.items); count > 0 {
		at = r.source.Offset(n.items[count-1].span.EndLine, n.items[count-1].span.EndColumn)
	}
	if count := len(n.pairs); count > 0 {
		last := n.pairs[count-1].value.span
		if key := n.pairs[count-1].key.span; last.Line == last.EndLine && last.Column == last.EndColumn {
			last = key // an empty value may be said to stand anywhere behind
		}
		at = r.source.Offset(last.EndLine, last.EndColumn)
	}
	if !flow {
		return at
	}
	for at = r.skip(at); at < len(r.text) && (r.text[at] == ',' || r.text[at] == ':'); {
		at = r.skip(at + 1)
	}
	if at < len(r.text) && (r.text[at] == ']' || r.text[at] == '}') {
		at++
	}
	return at
}
