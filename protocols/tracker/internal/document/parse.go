package document

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// Bounds of what is found in one document; lengths are in characters.
const (
	MaxItems       = 500 // found and skipped, each
	MaxTitle       = 300
	MaxDescription = 8000
	MaxEstimate    = 1000
)

// An Item is a work item of a document.
type Item struct {
	Key         string // names it across readings of the document
	Line        int    // of its title, from 1
	Title       string
	Description string
	Estimate    int // 0 where there is none
}

// A Reason says why something is no item to import.
type Reason string

// The reasons.
const (
	Done     Reason = "done"
	Repeated Reason = "repeated"
	TooLong  Reason = "too_long"
	Unclear  Reason = "unclear"
)

// A Skipped line is one that is no item to import, or not for certain.
type Skipped struct {
	Line   int
	Text   string // title or line, shortened to MaxTitle
	Reason Reason
}

// Found is what a document holds.
type Found struct {
	Items   []Item
	Skipped []Skipped
}

// Parse finds the items of a document.
//
// An item is a line that starts with "- [ ] " or "* [ ] "; the rest of the line
// is its title. "(estimate: 3)" at the end of it is no part of the title. With
// an x in the box it is done. The indented lines that follow are its
// description, empty ones between them included, without the indentation that
// they share. Lines between fences, and HTML comments that start a line, are
// passed over, and so is everything else; a line that could be meant as an item
// is skipped as unclear.
func Parse(document Document) (Found, error) {
	p := &parser{document: document.Name, keys: map[string]bool{}}
	for text := range strings.Lines(strings.TrimPrefix(document.Text, "\ufeff")) {
		p.number++
		p.line(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
	}
	p.end()
	if p.until != nil {
		p.skip(p.opened, p.opening, Unclear) // what was passed over may have been meant
	}
	if len(p.found.Items) > MaxItems || len(p.found.Skipped) > MaxItems {
		return Found{}, refusal.New(refusal.DocumentTooLarge, "%q holds more than %d items", document.Name, MaxItems)
	}
	return p.found, nil
}

// Key names an item across readings: by its document and its title, whatever
// white space is in that.
func Key(document, title string) string {
	sum := sha256.Sum256([]byte(document + "\x00" + strings.Join(strings.Fields(title), " ")))
	return hex.EncodeToString(sum[:16])
}

var (
	box = regexp.MustCompile(`^[-*] \[([ xX])\] (.*)$`)
	// almost is what looks like an item; a link is not.
	almost   = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]*\[(?:[ \txX]{0,4}|[^\]\s])\](?:[^(\[:]|$)`)
	estimate = regexp.MustCompile(`^(.*?)[ \t]*\(estimate:[ \t]*([^()]*?)[ \t]*\)$`)
	number   = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	fence    = regexp.MustCompile("^ {0,3}(`{3,}[^`]*|~{3,}.*)$")
	comment  = regexp.MustCompile(`^ {0,3}<!--`)
)

type parser struct {
	document string
	found    Found
	keys     map[string]bool
	number   int // of the line, from 1

	within bool     // an item, or one that was skipped
	item   *Item    // nil where it was skipped
	below  []string // lines of the description

	until   func(line string) bool // ends what is passed over; nil outside
	opened  int                    // line where it began
	opening string
}

func (p *parser) line(text string) {
	blank := strings.TrimSpace(text) == ""
	switch {
	case p.until != nil:
		if p.until(text) {
			p.until = nil
		}
	case p.within && (blank || text[0] == ' ' || text[0] == '\t'):
		p.below = append(p.below, text)
	case blank:
	default:
		p.end()
		p.start(text)
	}
}

// start looks at a line that belongs to no item above.
func (p *parser) start(text string) {
	if parts := box.FindStringSubmatch(text); parts != nil {
		p.within = true
		p.begin(parts[1], strings.TrimSpace(parts[2]), text)
		return
	}
	switch {
	case fence.MatchString(text):
		mark := strings.TrimLeft(text, " ")
		mark = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
		p.pass(text, func(line string) bool {
			line = strings.TrimSpace(line)
			return len(line) >= len(mark) && strings.Trim(line, mark[:1]) == ""
		})
	case comment.MatchString(text):
		over := func(line string) bool { return strings.Contains(line, "-->") }
		if !over(text) {
			p.pass(text, over)
		}
	case almost.MatchString(text):
		p.skip(p.number, text, Unclear)
	}
}

func (p *parser) pass(text string, until func(string) bool) {
	p.until, p.opened, p.opening = until, p.number, text
}

// begin begins an item, or skips it.
func (p *parser) begin(mark, title, text string) {
	item := Item{Line: p.number, Title: title}
	if parts := estimate.FindStringSubmatch(title); parts != nil {
		item.Title = parts[1]
		item.Estimate, _ = strconv.Atoi(parts[2])
		if !number.MatchString(parts[2]) || item.Estimate > MaxEstimate {
			p.skip(p.number, text, Unclear)
			return
		}
	}
	item.Key = Key(p.document, item.Title)
	switch {
	case item.Title == "":
		p.skip(p.number, text, Unclear)
	case mark != " ":
		p.skip(p.number, item.Title, Done)
	case utf8.RuneCountInString(item.Title) > MaxTitle:
		p.skip(p.number, item.Title, TooLong)
	case p.keys[item.Key]:
		p.skip(p.number, item.Title, Repeated)
	default:
		p.item = &item
	}
}

// end ends the item that the lines up to here belong to.
func (p *parser) end() {
	if p.item != nil {
		p.item.Description = describe(p.below)
		if utf8.RuneCountInString(p.item.Description) > MaxDescription {
			p.skip(p.item.Line, p.item.Title, TooLong)
		} else {
			p.keys[p.item.Key] = true
			p.found.Items = append(p.found.Items, *p.item)
		}
	}
	p.within, p.item, p.below = false, nil, nil
}

func (p *parser) skip(line int, text string, reason Reason) {
	if runes := []rune(text); len(runes) > MaxTitle {
		text = string(runes[:MaxTitle-1]) + "…"
	}
	p.found.Skipped = append(p.found.Skipped, Skipped{Line: line, Text: text, Reason: reason})
}

// describe joins lines without the indentation that they share and without
// empty lines around them.
func describe(lines []string) string {
	shared, first := "", true
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			shared, first = indent, false
		}
		for !strings.HasPrefix(indent, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	var text strings.Builder
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			line = ""
		}
		text.WriteString(strings.TrimPrefix(line, shared) + "\n")
	}
	return strings.Trim(text.String(), "\n")
}
