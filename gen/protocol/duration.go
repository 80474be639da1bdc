package protocol

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gatewright/gatewright/gen/diag"
)

// duration reads a duration as Go writes it, in whole milliseconds, between two
// bounds.
func (r *reader) duration(to *time.Duration, least, most time.Duration) func(Text, *node) {
	shape := regexp.MustCompile(`^([0-9]+(\.[0-9]{1,3})?[hms]|[0-9]+ms)+$`)
	return func(key Text, value *node) {
		text, ok := r.asText(key, value)
		if !ok {
			return
		}
		d := diag.Diagnostic{Rule: ruleValue, Span: text.Span}
		length, err := time.ParseDuration(text.Value)
		switch {
		case err == nil && (length < least || length > most), shape.MatchString(text.Value) && err != nil: // too long for Go, too
			d.Message = fmt.Sprintf("%s has to be between %s and %s, not %s", diag.Quote(key.Value), Shorten(least), Shorten(most), diag.Quote(text.Value))
			d.Help = fmt.Sprintf("write a duration between them, such as `%s: %s`", key.Value, Shorten(within(least, most)))
		case !shape.MatchString(text.Value):
			d.Message = fmt.Sprintf("%s is no duration", diag.Quote(text.Value))
			d.Notes = []string{"a duration is a number and a unit, as in Go: 30s, 5m, 1h30m"}
			d.Help = fmt.Sprintf("write something like `%s: %s`", key.Value, Shorten(within(least, most)))
			if meant := meantDuration(text.Value); meant != "" {
				d.Label = fmt.Sprintf("did you mean `%s`?", meant)
				d.Help = fmt.Sprintf("write `%s: %s`, with the unit", key.Value, meant)
			}
		default:
			*to = length
			return
		}
		r.report(d)
	}
}

// within is a round duration between two bounds.
func within(least, most time.Duration) time.Duration {
	return min(max(30*time.Second, 5*least), most)
}

// meantDuration is the duration that a text most likely stands for, or "".
func meantDuration(text string) string {
	parts := regexp.MustCompile(`^([0-9]{1,6}) *([A-Za-z]*)$`).FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	switch unit := strings.ToLower(parts[2]); unit {
	case "", "s", "sec", "secs", "second", "seconds":
		return parts[1] + "s"
	case "m", "min", "mins", "minute", "minutes":
		return parts[1] + "m"
	case "h", "hr", "hrs", "hour", "hours":
		return parts[1] + "h"
	case "d", "day", "days":
		if days, err := time.ParseDuration(parts[1] + "h"); err == nil {
			return Shorten(24 * days)
		}
	}
	return ""
}
