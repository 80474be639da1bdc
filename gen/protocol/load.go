package protocol

import (
	"fmt"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
)

// What a file may be at most. The bounds keep the memory that a hostile file
// can cost to a small multiple of its size.
const (
	maxBytes = 4 << 20
	maxParts = 600_000 // scalars and collections, counted generously
	maxDepth = 64      // collections within each other
)

// A reader gathers what is wrong while it reads.
type reader struct {
	file      string
	source    *diag.Source
	text      []byte
	found     []diag.Diagnostic
	bad       []diag.Span // places already reported as unreadable
	suggester diag.Suggester
	meant     map[string]bool     // keys that a misspelled one stands for, most likely
	others    map[string][]string // [otherWords], once it is needed
	strays    []pair              // entries that stand in the one above them, most likely
}

// Load reads a protocol file. It reports everything that is wrong with the
// file's form. The Protocol holds what could be understood, so that the rules
// can be checked as far as that goes; it is nil where nothing could be. Nothing
// may be made from it while a diagnostic has the level error.
func Load(file string, text []byte) (*Protocol, []diag.Diagnostic) {
	r := &reader{file: file, meant: map[string]bool{}}
	if len(text) > maxBytes {
		r.report(diag.Diagnostic{
			Rule: ruleSize, Message: fmt.Sprintf("the file is larger than %d MiB", maxBytes>>20),
			Span: diag.Span{File: file, Line: 1, Column: 1, EndLine: 1, EndColumn: 1},
		})
		return nil, r.found
	}
	if !r.readable(text) {
		return nil, r.result()
	}
	root := r.parse()
	if root == nil {
		return nil, r.result()
	}
	return r.protocol(root), r.result()
}

func (r *reader) report(d diag.Diagnostic) {
	d.Level = diag.Error
	r.found = append(r.found, d)
}

// result is what was found, without what only follows from a character that
// has been reported already.
func (r *reader) result() []diag.Diagnostic {
	if len(r.bad) == 0 {
		return diag.Sort(r.found)
	}
	var kept []diag.Diagnostic
	for _, d := range r.found {
		if d.Rule == ruleCharacter || !r.spoilt(d.Span) {
			kept = append(kept, d)
		}
	}
	return diag.Sort(kept)
}

func (r *reader) spoilt(span diag.Span) bool {
	return slices.ContainsFunc(r.bad, span.Contains)
}
