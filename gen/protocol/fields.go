package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// A field is one key that a mapping may have.
type field struct {
	key  string
	read func(key Text, value *node)
}

// fields hands the entries of a mapping to their readers, in source order. What
// is in later is refused as not known yet, everything else as unknown.
func (r *reader) fields(what string, from *node, later []string, known []field) {
	for _, entry := range from.pairs {
		if entry.key.kind == broken {
			continue
		}
		key := Text{Value: entry.key.text, Span: entry.key.span}
		at := slices.IndexFunc(known, func(f field) bool { return f.key == key.Value })
		switch {
		case at >= 0:
			known[at].read(key, entry.value)
		case slices.Contains(later, key.Value):
			r.later(key)
		default:
			r.unknownKey(what, key, entry.value, known)
		}
	}
}

const laterNote = "a gate that a version cannot keep is refused rather than ignored"

func (r *reader) later(key Text) {
	r.report(diag.Diagnostic{
		Rule: ruleLater, Message: fmt.Sprintf("%s is not yet known to this version", diag.Quote(key.Value)), Span: key.Span,
		Notes: []string{laterNote},
		Help:  "remove it, or use a version of gatewright that has it",
	})
}

func (r *reader) unknownKey(what string, key Text, value *node, known []field) {
	names := make([]string, 0, len(known))
	for _, f := range known {
		names = append(names, f.key)
	}
	d := diag.Diagnostic{
		Rule: ruleUnknown, Message: fmt.Sprintf("unknown key %s in %s", diag.Quote(key.Value), what), Span: key.Span,
		Help: "known here: " + strings.Join(names, ", "),
	}
	kind, whose, named := strings.Cut(what, " ")
	switch meant := r.meantKey(key.Value, names); {
	case named && (kind == "tool" || kind == "mode") && stray(value, names):
		r.strays = append(r.strays, pair{&node{kind: scalar, text: key.Value, span: key.Span}, value})
		d.Help = fmt.Sprintf("if %s is a %s of its own, indent it as %s is", diag.Quote(key.Value), kind, whose)
	case meant != "":
		r.meant[meant] = true
		d.Label = fmt.Sprintf("did you mean `%s`?", meant)
		d.Help = fmt.Sprintf("write `%s`; %s", meant, d.Help)
	default:
		if advice := adviseKey(key.Value, names); advice != "" {
			d.Help = advice + "; " + d.Help
		}
	}
	r.report(d)
}

// wrong says that the value of a key is not of the kind that the key wants.
func (r *reader) wrong(key Text, value *node, want, help string) {
	r.wrongKind(diag.Quote(key.Value), key.Span, value, want, help)
}

func (r *reader) wrongKind(what string, at diag.Span, value *node, want, help string) {
	if value.kind == broken {
		return
	}
	d := diag.Diagnostic{
		Rule: ruleKind, Message: fmt.Sprintf("%s has to be %s, not %s", what, want, describe(value)),
		Span: value.span, Help: help,
	}
	if !value.written() {
		d.Span = at
		d.Message = fmt.Sprintf("%s has no value; it has to be %s", what, want)
	}
	r.report(d)
}

func describe(value *node) string {
	switch {
	case value.kind == list:
		return "a list"
	case value.kind == mapping:
		return "a mapping"
	case value.tag == "!!null":
		return "null"
	case value.tag == "!!bool":
		return "the boolean " + diag.Quote(value.text)
	case value.plain && (value.tag == "!!int" || value.tag == "!!float"):
		return "the number " + diag.Quote(value.text)
	}
	return "the text " + diag.Quote(value.text)
}

// asText takes a scalar as it is written: 1.10 stays "1.10" and 0777 stays
// "0777", whatever YAML makes of them.
func (r *reader) asText(key Text, value *node) (Text, bool) {
	return r.textOf(diag.Quote(key.Value), key.Span, value)
}

func (r *reader) textOf(what string, at diag.Span, value *node) (Text, bool) {
	if value.kind != scalar || value.tag == "!!null" || value.tag == "!!bool" {
		help := "write text here"
		switch {
		case value.kind == scalar && value.tag == "!!bool":
			help = fmt.Sprintf("put quotes around it: %q", value.text)
		case value.kind == list && len(value.items) == 1 && value.items[0].kind == scalar && value.items[0].tag == "!!str":
			help = fmt.Sprintf("write `%s` alone, without brackets or dash", diag.Visible(value.items[0].text))
		case value.kind == scalar:
			help = "write text here, or remove this"
		}
		r.wrongKind(what, at, value, "text", help)
		return Text{}, false
	}
	text := Text{Value: strings.TrimRight(value.text, "\n"), Span: value.span}
	for _, char := range text.Value {
		if diag.Invisible(char) {
			r.report(diag.Diagnostic{
				Rule: ruleCharacter, Message: fmt.Sprintf("%s holds the invisible character U+%04X", what, char),
				Span:  value.span,
				Notes: []string{"people and models would read different texts"}, Help: "remove the escape",
			})
			return Text{}, false
		}
	}
	return text, true
}

func (r *reader) setText(to *Text) func(Text, *node) {
	return func(key Text, value *node) {
		if text, ok := r.asText(key, value); ok {
			*to = text
		}
	}
}

// setName reads a name that the protocol declares.
func (r *reader) setName(to *Text) func(Text, *node) {
	return func(key Text, value *node) {
		if text, ok := r.asText(key, value); ok {
			*to = text
			r.name(diag.Quote(key.Value), text)
		}
	}
}

// name checks the shape of a declared name.
func (r *reader) name(what string, name Text) {
	if IsName(name.Value) {
		return
	}
	d := diag.Diagnostic{
		Rule: ruleName, Message: fmt.Sprintf("%s cannot be the name of %s", diag.Quote(name.Value), what), Span: name.Span,
		Notes: []string{"names match ^[a-z][a-z0-9_]{0,39}$, which every client passes on unchanged"},
	}
	if strings.HasPrefix(what, "`") {
		d.Message = fmt.Sprintf("%s cannot be the value of %s", diag.Quote(name.Value), what)
	}
	if char, strange := strangeLetter(name.Value); strange {
		d.Label = fmt.Sprintf("%s is U+%04X, not one of a to z", diag.Quote(string(char)), char)
		d.Help = "type the name anew, with letters from a to z"
	} else if better := suggestName(name.Value); better != "" {
		d.Help = fmt.Sprintf("write `%s`", better)
	} else {
		d.Help = "start with a letter, and use at most 40 of a to z, 0 to 9 and _"
	}
	r.report(d)
}

func (r *reader) setBool(to *bool) func(Text, *node) {
	return func(key Text, value *node) {
		switch {
		case value.kind == scalar && value.plain && value.text == "true":
			*to = true
		case value.kind == scalar && value.plain && value.text == "false":
			*to = false
		default:
			r.wrong(key, value, "true or false", "write `true` or `false`, without quotes")
		}
	}
}

// setTexts reads a list of texts.
func (r *reader) setTexts(to *[]Text, example string) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != list {
			if words := wordsOf(value); len(words) > 0 {
				example = strings.Join(words, ", ")
			}
			r.wrong(key, value, "a list", fmt.Sprintf("write `%s: [%s]`", key.Value, example))
			return
		}
		for _, entry := range value.items {
			if text, ok := r.textOf("an item of "+diag.Quote(key.Value), entry.span, entry); ok {
				*to = append(*to, text)
			}
		}
	}
}

// entries reads a mapping from declared names.
func (r *reader) entries(what, example string, each func(name Text, value *node)) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != mapping {
			help := unlisted(key.Value, value)
			if help == "" {
				help = fmt.Sprintf("write `%s: %s`", key.Value, example)
			}
			r.wrong(key, value, "a mapping", help)
			return
		}
		if len(value.pairs) == 0 {
			r.report(diag.Diagnostic{
				Rule: ruleMissing, Message: fmt.Sprintf("%s is empty", diag.Quote(key.Value)), Span: value.span,
				Help: fmt.Sprintf("write `%s: %s`", key.Value, example),
			})
		}
		for _, entry := range value.pairs {
			if entry.key.kind == broken {
				continue
			}
			name := Text{Value: entry.key.text, Span: entry.key.span}
			r.name(what, name)
			each(name, entry.value)
			for strays := r.strays; len(strays) > 0; strays = r.strays { // reported as too deep; they count all the same
				r.strays = strays[1:]
				each(Text{Value: strays[0].key.text, Span: strays[0].key.span}, strays[0].value)
			}
		}
	}
}

// body is the mapping under a name; leaving it out means all defaults. It says
// whether there is anything to read.
func (r *reader) body(name Text, value *node, example string) bool {
	switch {
	case value.kind == mapping:
		return true
	case value.kind == scalar && !value.written(), value.kind == broken:
		return false
	}
	r.wrong(name, value, "a mapping", fmt.Sprintf("write `%s: %s`", diag.Visible(name.Value), example))
	return false
}

// missing reports a key without which there is nothing to check.
func (r *reader) missing(at diag.Span, key, example string) {
	r.report(diag.Diagnostic{
		Rule: ruleMissing, Message: fmt.Sprintf("the protocol has no `%s`", key), Span: at,
		Help: fmt.Sprintf("add `%s: %s`", key, example),
	})
}
