package approval

import (
	"fmt"
	"strings"
	"time"
)

// A CardKind says what a line of a card is, for whoever colours it. What a line
// says never depends on its colour.
type CardKind uint8

// The kinds of lines.
const (
	CardTitle   CardKind = iota + 1 // our words above a part
	CardField                       // one fact of the request
	CardNotice                      // our words on what to look at twice
	CardQuoted                      // not our words: the agent's, or a tool's
	CardAdded                       // as CardQuoted: a line that a diff adds
	CardRemoved                     // as CardQuoted: a line that a diff removes
	CardHunk                        // as CardQuoted: where in a file a diff is
)

// A CardLine is one line of a card. Label is ours; Text may be foreign, and has
// nothing in it that a terminal would act on. No Text can leave its line.
type CardLine struct {
	Kind  CardKind
	Label string
	Text  string
}

func (l CardLine) String() string {
	if l.Text == "" {
		return strings.TrimRight(l.Label, " ")
	}
	return l.Label + l.Text
}

// CardOptions are what a card needs beside the request.
type CardOptions struct {
	Now       time.Time // ages are told from here
	Width     int       // columns after which lines are wrapped; 0 is never, at least 40 otherwise
	Folder    string    // state folder that holds the request; may be empty
	InForce   string    // digest of the protocol in force there; empty where it is not known
	Identical []Request // others of the same subject, the newest first
	Brief     bool      // what a tool said of the call is left out, and the card says so
}

// Marks that foreign text stands behind. Nothing else in a card starts so, and
// every line of foreign text does, also where a long one goes on.
const (
	quoteMark = "  | "
	goesOn    = "  : "
)

const (
	labelWidth  = 13 // of facts, with two spaces before
	maxIdentic  = 5  // identical calls told of one by one
	minimalWrap = 40
)

// Card is the whole of a request, as plain text for a person to decide by.
// Nothing in it is cut. What is not ours is quoted, every line of it.
func Card(request Request, options CardOptions) string {
	var text strings.Builder
	for _, line := range CardLines(request, options) {
		text.WriteString(line.String() + "\n")
	}
	return text.String()
}

// CardLines is [Card] line by line.
func CardLines(request Request, options CardOptions) []CardLine {
	c := &carding{request: request, options: options}
	c.facts()
	c.fate()
	c.identical()
	hidden := c.arguments() + c.shown()
	if hidden > 0 {
		c.notice(fmt.Sprintf("%s here that would not show as themselves; they are written like \\u202e", characters(hidden)))
	}
	c.rest()
	return c.wrapped()
}
