// Package diag is what gatewright says about a protocol: diagnostics with
// exact positions, and the forms in which they are shown. It reads nothing and
// writes nothing but what it is handed.
package diag

import (
	"cmp"
	"slices"
)

// A Span is a range of text. Lines and columns count from 1, columns in runes;
// the end is exclusive. The zero Span is no place at all.
type Span struct {
	File      string
	Line      int
	Column    int
	EndLine   int
	EndColumn int
}

// IsZero says whether the span is no place at all.
func (s Span) IsZero() bool { return s == Span{} }

// Contains says whether other lies within s.
func (s Span) Contains(other Span) bool {
	return s.File == other.File &&
		!before(other.Line, other.Column, s.Line, s.Column) &&
		!before(s.EndLine, s.EndColumn, other.EndLine, other.EndColumn)
}

func before(line, column, otherLine, otherColumn int) bool {
	return line < otherLine || line == otherLine && column < otherColumn
}

// Compare orders spans by file and then by where they start and end.
func (s Span) Compare(other Span) int {
	return cmp.Or(
		cmp.Compare(s.File, other.File),
		cmp.Compare(s.Line, other.Line),
		cmp.Compare(s.Column, other.Column),
		cmp.Compare(s.EndLine, other.EndLine),
		cmp.Compare(s.EndColumn, other.EndColumn),
	)
}

// A Level says whether a diagnostic is in the way.
type Level string

// The levels. A Note is a finding that the protocol takes back in the open
// with a waiver: it is shown, and it is in nobody's way.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// A Related place helps to understand a diagnostic.
type Related struct {
	Span    Span
	Message string
}

// A Diagnostic is one finding.
type Diagnostic struct {
	Rule    string // id of the rule, as `gatewright explain` takes it
	Level   Level
	Message string // lower case, no full stop, one cause
	Span    Span   // the primary place: the smallest span that is wrong
	Label   string // what stands beside the caret, may be empty
	Related []Related
	Notes   []string // why
	Help    string   // what to do about it, with a fix to paste where there is one
	Waived  string   // the reason a waiver gives, where there is one; Level is then Note
}

// Sort puts diagnostics into the order in which they are shown, by place, and
// drops those that say the same about the same place twice.
func Sort(found []Diagnostic) []Diagnostic {
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(a.Span.Compare(b.Span), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(found, func(a, b Diagnostic) bool {
		return a.Rule == b.Rule && a.Span == b.Span && a.Message == b.Message
	})
}

// HasErrors says whether any of them is in the way.
func HasErrors(found []Diagnostic) bool {
	return slices.ContainsFunc(found, func(d Diagnostic) bool { return d.Level == Error })
}
