package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

const textWidth = 78

// Explain says what a rule, or a code of a running gate, is about. Where there
// is no such id it returns false, and the id that is nearest, if one is near.
func Explain(id string) (text, nearest string, ok bool) {
	if rule, found := Lookup(id); found {
		return rule.explain(), "", true
	}
	if code, found := LookupCode(id); found {
		return code.explain(), "", true
	}
	var ids []string
	for _, rule := range Rules() {
		ids = append(ids, rule.ID)
	}
	for _, code := range slices.Concat(Codes(), Warnings()) {
		ids = append(ids, code.ID)
	}
	var suggester diag.Suggester
	for _, form := range []string{id, strings.ToLower(id), strings.ToUpper(id)} {
		if nearest, found := suggester.Closest(form, ids); found {
			return "", nearest, false
		}
	}
	return "", "", false
}

func (r Rule) explain() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s, %s)\n\n", r.ID, r.Category, r.Level)
	paragraphs(&out, r.Purpose, r.Why)
	for _, example := range []struct{ title, text string }{{"Refused", r.Bad}, {"Taken", r.Good}} {
		if example.text != "" {
			fmt.Fprintf(&out, "%s:\n\n%s\n", example.title, indented(example.text))
		}
	}
	paragraphs(&out, r.Help)
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func (c Code) explain() string {
	var out strings.Builder
	warning := slices.Contains(Warnings(), c)
	kind := "an answer of the gate"
	if warning {
		kind = "a warning of a server"
	}
	fmt.Fprintf(&out, "%s (%s)\n\n", c.ID, kind)
	paragraphs(&out, c.What)
	switch {
	case warning:
		paragraphs(&out, "Calls are not refused for it.")
	case c.Ran:
		paragraphs(&out, "The tool's handler was started, so the call may have had an effect.")
	case c.Look:
		paragraphs(&out, "No commit was started. A preview may have run, which changes nothing.")
	default:
		paragraphs(&out, "The tool's handler was not started.")
	}
	paragraphs(&out, c.Next)
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func paragraphs(out *strings.Builder, texts ...string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		column := 0
		for i, word := range strings.Fields(text) {
			switch {
			case i == 0:
			case column+1+len(word) > textWidth:
				out.WriteByte('\n')
				column = 0
			default:
				out.WriteByte(' ')
				column++
			}
			out.WriteString(word)
			column += len(word)
		}
		out.WriteString("\n\n")
	}
}

func indented(example string) string {
	var out strings.Builder
	for line := range strings.Lines(example) {
		out.WriteString("    " + diag.Visible(strings.TrimRight(line, "\n")) + "\n")
	}
	return out.String()
}
