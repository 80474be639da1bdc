package worktree

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Bounds of a search.
const (
	maxLine     = 400       // bytes of a line that are shown
	MaxSearched = 256 << 20 // bytes of files that one search reads
)

// A Query is what is searched for.
type Query struct {
	Pattern string
	Regex   bool // RE2; else the text itself
	AnyCase bool
	Limit   int // of matches
}

// A Match is a line in which something was found.
type Match struct {
	Path string
	Line int // counted from 1
	Text string
	Cut  bool // Text is a part of the line
}

// A Found says what a search found, and where it did not look.
type Found struct {
	Matches   []Match
	Truncated bool // there may be more
	Files     int  // that were searched
	Binary    int  // that were left out, as those below
	Large     int
	Other     int // links, submodules, and what could not be read
}

// A Searcher searches files one after the other.
type Searcher struct {
	Found

	pattern *regexp.Regexp
	limit   int
	left    int64
}

// NewSearcher compiles a query.
func NewSearcher(query Query) (*Searcher, error) {
	text := query.Pattern
	if !query.Regex {
		text = regexp.QuoteMeta(text)
	}
	if query.AnyCase {
		text = "(?i)" + text
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, refusal.New(refusal.PatternInvalid, "the pattern cannot be understood: %v", err)
	}
	return &Searcher{pattern: pattern, limit: query.Limit, left: MaxSearched}, nil
}

// Take says whether a file of this size is to be searched, and counts it where
// it is not. When there is nothing more to search, done is set.
func (s *Searcher) Take(size int64) (wanted, done bool) {
	switch {
	case s.Truncated:
		return false, true
	case size > MaxFile:
		s.Large++
		return false, false
	case size > s.left:
		s.Truncated = true
		return false, true
	}
	s.left -= size
	return true, false
}

// Search searches one file.
func (s *Searcher) Search(name string, data []byte) {
	if Text(name, data) != nil {
		s.Binary++
		return
	}
	s.Files++
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		place := s.pattern.FindIndex(line)
		if place == nil {
			continue
		}
		if len(s.Matches) == s.limit {
			s.Truncated = true
			return
		}
		text, cut := excerpt(line, place[0])
		s.Matches = append(s.Matches, Match{Path: name, Line: number, Text: text, Cut: cut})
	}
}

// excerpt takes the part of a long line around what was found.
func excerpt(line []byte, found int) (text string, cut bool) {
	if len(line) <= maxLine {
		return string(line), false
	}
	start := min(max(0, found-maxLine/4), len(line)-maxLine)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	end := start + maxLine
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end--
	}
	return string(line[start:end]), true
}

// Search searches files of the work tree, which somebody else has named. One
// that has gone is passed over.
func (t *Tree) Search(ctx context.Context, s *Searcher, names []string) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return fmt.Errorf("search %q: %w", name, context.Cause(ctx))
		}
		clean, err := Parse(name)
		if err != nil || Hidden(clean) || isTemporary(clean) {
			s.Other++
			continue
		}
		folder, err := t.walk(path.Dir(clean))
		if err != nil {
			s.Other++
			continue
		}
		info, err := folder.Lstat(path.Base(clean))
		var wanted, done bool
		if err != nil || !info.Mode().IsRegular() {
			s.Other++
		} else if wanted, done = s.Take(info.Size()); wanted {
			if data, _, err := read(folder, clean); err == nil {
				s.Search(clean, data)
			} else {
				s.Other++
			}
		}
		shut(folder)
		if done {
			return nil
		}
	}
	return nil
}
