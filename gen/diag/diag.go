// Package diag is what gatewright says about a protocol: diagnostics with
// exact positions, and the forms in which they are shown. It reads nothing and
// writes nothing but what it is handed.
package diag

// A Span is a range of text. Lines and columns count from 1, columns in runes;
// the end is exclusive. The zero Span is no place at all.
type Span struct {
	File      string
	Line      int
	Column    int
	EndLine   int
	EndColumn int
}

// A Level says whether a diagnostic is in the way.
type Level string

// The levels.
const (
	Error   Level = "error"
	Warning Level = "warning"
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
}
