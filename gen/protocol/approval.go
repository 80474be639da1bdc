package protocol

import (
	"strconv"
	"strings"
	"time"

	"github.com/gatewright/gatewright/gen/diag"
)

// Bounds of an approval. They are those of the runtime, which a test holds:
// what a protocol may choose, and what stands where it chooses nothing.
const (
	DefaultTTL     = 30 * time.Minute
	MinTTL         = time.Minute
	MaxTTL         = 24 * time.Hour
	DefaultHold    = 30 * time.Second
	MaxHold        = 5 * time.Minute
	DefaultTimeout = time.Minute
	MinTimeout     = time.Second
	MaxTimeout     = 10 * time.Minute
)

// The providers of an approval.
const (
	Queue   = "queue"   // a person decides in a terminal
	Elicit  = "elicit"  // the caller's own client asks
	Command = "command" // a program answers
)

// An Approval says who has to consent to each call of a tool.
type Approval struct {
	Span    diag.Span // of the key
	Unclear bool      // something is said about it that could not be understood
	By      []Source  // in the order in which they are asked
	TTL     time.Duration
	Hold    time.Duration // for which a call waits; 0 is not at all
	Reason  Text          // may be absent
	Show    Text          // name of the tool whose result a person is shown; may be absent
}

// A Source is one provider of an approval.
type Source struct {
	Provider string // [Queue], [Elicit] or [Command]
	Span     diag.Span
	Command  []Text        // of a command: the program and its arguments
	Env      []Text        // of a command: names of the variables that are passed on
	Timeout  time.Duration // of a command
}

// String is the source as a person reads it: its provider, and of a command
// the program and its arguments, each told from the others.
func (s Source) String() string {
	if s.Provider != Command {
		return s.Provider
	}
	parts := []string{s.Provider}
	for _, part := range s.Command {
		if strings.ContainsAny(part.Value, " \t\n\"'\\") {
			part.Value = strconv.Quote(part.Value)
		}
		parts = append(parts, part.Value)
	}
	return strings.Join(parts, " ")
}

// Shorten writes a duration without the zeros at its end: 30m, not 30m0s.
func Shorten(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if short, ok := strings.CutSuffix(text, zero); ok && strings.HasSuffix(short, unitBefore(zero)) {
			text = short
		}
	}
	return text
}

func unitBefore(zero string) string {
	if zero == "0s" {
		return "m"
	}
	return "h"
}

func (a *Approval) normal() *Value {
	by := &Value{Kind: Array}
	for _, source := range a.By {
		by.Items = append(by.Items, source.normal())
	}
	to := (&Value{Kind: Object}).
		add("by", by).
		add("ttl", text(a.TTL.String())).
		add("hold", text(a.Hold.String()))
	if a.Reason.Value != "" {
		to.add("reason", text(a.Reason.Value))
	}
	if a.Show.Value != "" {
		to.add("show", text(a.Show.Value))
	}
	return to
}

func (s Source) normal() *Value {
	if s.Provider != Command {
		return text(s.Provider)
	}
	return (&Value{Kind: Object}).
		add("command", texts(values(s.Command))).
		add("env", texts(set(s.Env))).
		add("timeout", text(s.Timeout.String()))
}
