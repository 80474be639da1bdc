package approval

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// carding is a card being made.
type carding struct {
	request Request
	options CardOptions
	lines   []CardLine
}

func (c *carding) add(kind CardKind, label, text string) {
	c.lines = append(c.lines, CardLine{Kind: kind, Label: label, Text: text})
}

func (c *carding) title(text string) { c.add(CardTitle, "", text) }

func (c *carding) notice(text string) { c.add(CardNotice, "  ! ", text) }

// fact adds a row. Every line of its value starts right of the labels.
func (c *carding) fact(label, value string) {
	label = fmt.Sprintf("  %-*s", labelWidth, label)
	for line := range strings.SplitSeq(value, "\n") {
		c.add(CardField, label, line)
		label = strings.Repeat(" ", len(label))
	}
}

// facts says who asks for what.
func (c *carding) facts() {
	r := c.request
	c.title("request " + CardQuote(r.ID))
	c.fact("tool", CardQuote(r.Tool))
	c.fact("mode", CardQuote(r.Mode))
	c.fact("protocol", CardQuote(r.Protocol)+" "+CardQuote(r.Digest))
	c.fact("actor", CardQuote(r.Actor)+", which is a claim that nobody has checked")
	c.fact("workspace", CardQuote(r.Workspace))
	if r.Why != "" {
		c.fact("why", Visible(r.Why))
	}
	c.fact("asked", moment(r.AskedAt, c.options.Now))
	c.fact("expires", moment(r.ExpiresAt, c.options.Now))
	if in := c.options.InForce; in != "" && in != r.Digest {
		c.notice("another protocol is in force now (" + CardQuote(in) + "): an approval of this request lets nothing run")
	}
	if !bytes.Equal(bytes.TrimSpace(r.Arguments), r.Arguments) || !utf8.Valid(r.Arguments) {
		c.notice("the arguments are not as this program writes them")
	}
}

// rest is what few decide by.
func (c *carding) rest() {
	r := c.request
	c.title("where it comes from")
	c.fact("session", CardQuote(r.Session)+" (the process that started the server)")
	c.fact("call", CardQuote(r.Call))
	providers := make([]string, len(r.By))
	for i, name := range r.By {
		providers[i] = CardQuote(name)
	}
	c.fact("asked of", strings.Join(providers, ", then "))
	c.fact("binding", CardQuote(r.Binding))
	if c.options.Folder != "" {
		c.fact("state", CardQuote(c.options.Folder))
	}
}

// fate says what has become of the request.
func (c *carding) fate() {
	r := c.request
	c.fact("status", Fate(r, c.options.Now))
	if r.Round > 0 {
		c.fact("questions", strconv.Itoa(r.Questions())+" put through the client")
	}
	if r.Approver != "" {
		c.fact("decided by", CardQuote(r.Approver))
	}
	if r.Reason != "" {
		c.fact("reason", CardQuote(r.Reason))
	}
	if r.UsedBy != "" {
		c.fact("used by", "call "+CardQuote(r.UsedBy))
	}
}

// Fate says in a few words what has become of a request.
func Fate(r Request, now time.Time) string {
	text := CardQuote(string(r.Status))
	switch {
	case r.Status == StatusPending && !r.ExpiresAt.After(now):
		text = "pending, and its time is over"
	case r.Status == StatusUsed && !r.UsedAt.IsZero():
		text = "approved " + Age(now.Sub(r.DecidedAt)) + ", used " + Age(now.Sub(r.UsedAt))
	case !r.DecidedAt.IsZero():
		text = strings.ReplaceAll(text, "_", " ") + " " + Age(now.Sub(r.DecidedAt))
	default:
		text = strings.ReplaceAll(text, "_", " ")
	}
	if r.Provider != "" {
		text += ", through " + CardQuote(r.Provider)
	}
	return text
}

// identical tells of calls that were the same but for when they were made.
func (c *carding) identical() {
	told := 0
	for _, other := range c.options.Identical {
		if other.ID == c.request.ID {
			continue
		}
		if told++; told > maxIdentic {
			continue
		}
		c.notice("an identical call: " + Fate(other, c.options.Now) + ", asked " + Age(c.options.Now.Sub(other.AskedAt)) + " (" + CardQuote(other.ID) + ")")
		if other.Reason != "" {
			c.notice("  its reason: " + CardQuote(other.Reason))
		}
	}
	if told > maxIdentic {
		c.notice(fmt.Sprintf("and %d more identical calls", told-maxIdentic))
	}
}

// CardQuote returns foreign text as it stands inside a line of ours: words as
// they are, anything else between quotes and with what is hidden written out.
func CardQuote(text string) string {
	if word(text) {
		return text
	}
	return strings.ReplaceAll(Visible(`"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)+`"`), "\n", `\n`)
}

// word reports whether a text cannot be taken for anything else.
func word(text string) bool {
	if text == "" || len(text) > 128 {
		return false
	}
	for _, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("_-.:/+@", r) {
			return false
		}
	}
	return true
}

// moment tells a time, and how far it is from now.
func moment(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "unknown"
	case at.After(now):
		return at.UTC().Format(time.RFC3339) + ", in " + Span(at.Sub(now))
	}
	return at.UTC().Format(time.RFC3339) + ", " + Age(now.Sub(at))
}

// Age tells how long ago something was.
func Age(d time.Duration) string {
	if d < 0 {
		return "in " + Span(-d) // a clock was set
	}
	return Span(d) + " ago"
}

// Span tells a length of time in its two largest units.
func Span(d time.Duration) string {
	d = d.Round(time.Second)
	for _, unit := range []struct {
		size, part time.Duration
		name, sub  string
	}{
		{24 * time.Hour, time.Hour, "day", "hour"}, {time.Hour, time.Minute, "hour", "minute"}, {time.Minute, time.Second, "minute", "second"},
	} {
		if d < unit.size {
			continue
		}
		text := count(int64(d/unit.size), unit.name)
		if rest := d % unit.size / unit.part; rest > 0 {
			text += " " + count(int64(rest), unit.sub)
		}
		return text
	}
	return count(int64(d/time.Second), "second")
}

func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.FormatInt(n, 10) + " " + unit + "s"
}

func characters(n int) string {
	if n == 1 {
		return "there is 1 character"
	}
	return fmt.Sprintf("there are %d characters", n)
}
