package protocol

import (
	"fmt"
	"slices"

	"github.com/gatewright/gatewright/gen/diag"
)

const approvalExample = "write `approval: [queue]`: a list of providers, in the order in which they are asked"

// approval reads who has to consent: a list of providers, or a mapping that
// says more.
func (r *reader) approval(to *Tool) func(Text, *node) {
	return func(key Text, value *node) {
		a := &Approval{Span: key.Span, TTL: DefaultTTL, Hold: DefaultHold}
		to.Approval = a
		before := len(r.found)
		switch value.kind {
		case list:
			r.sources(a, key, value)
		case mapping:
			r.approvalFields(a, value)
		case scalar, broken:
			r.wrong(key, value, "a list of providers, or a mapping", r.adviseApproval(value))
		}
		a.Unclear = a.Unclear || len(a.By) == 0 || len(r.found) > before
	}
}

func (r *reader) adviseApproval(value *node) string {
	switch {
	case value.written() && (value.tag == "!!null" || value.text == "false" || value.text == "none"):
		return "remove it if nobody has to be asked; otherwise " + approvalExample
	case value.tag != "!!bool":
		if words := wordsOf(value); len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return word != Queue && word != Elicit }) {
			return "write a list: `approval: [" + enumerated(words) + "]`"
		}
		if meant := r.meantProvider(value.text); meant != "" {
			return "write a list: `approval: [" + spelled(meant) + "]`"
		}
	}
	return approvalExample
}

func (r *reader) approvalFields(a *Approval, value *node) {
	written, before := false, len(r.found)
	r.fields("an approval", value, nil, []field{
		{"by", func(key Text, value *node) {
			written = true
			if value.kind != list {
				r.wrong(key, value, "a list of providers", adviseBy(value))
				return
			}
			r.sources(a, key, value)
		}},
		{"ttl", r.duration(&a.TTL, MinTTL, MaxTTL)},
		{"hold", r.duration(&a.Hold, 0, MaxHold)},
		{"reason", r.setText(&a.Reason)},
		{"show", r.setText(&a.Show)},
	})
	if written || r.meant["by"] && len(r.found) > before {
		return
	}
	if slices.ContainsFunc(value.pairs, func(entry pair) bool { return slices.Contains(providers(), entry.key.text) }) {
		return // reported as an unknown key, with how to write it
	}
	r.report(diag.Diagnostic{
		Rule: ruleMissing, Message: "the approval has no `by`: nobody would be asked", Span: a.Span,
		Help: "add `by: [queue]` to it: the providers, in the order in which they are asked",
	})
}

func adviseBy(value *node) string {
	if value.kind == mapping && slices.ContainsFunc(value.pairs, func(entry pair) bool { return entry.key.text == Command }) {
		return "write `by: [{command: [/usr/local/bin/ask]}]`, with brackets or a dash in front of the mapping"
	}
	if value.kind == scalar && (value.text == Queue || value.text == Elicit) {
		return fmt.Sprintf("write `by: [%s]`", value.text)
	}
	return "write `by: [queue]`"
}

// sources reads the providers. One that is there twice has answered already.
func (r *reader) sources(a *Approval, key Text, from *node) {
	if len(from.items) == 0 {
		r.report(diag.Diagnostic{
			Rule: ruleMissing, Message: fmt.Sprintf("%s is empty: nobody would be asked", diag.Quote(key.Value)), Span: from.span,
			Notes: []string{"every doubt is a no, so the tool could never run"},
			Help:  fmt.Sprintf("write `%s: [queue]`, or remove the approval", diag.Visible(key.Value)),
		})
		return
	}
	if len(from.items) > maxSources {
		r.report(diag.Diagnostic{
			Rule: ruleValue, Message: fmt.Sprintf("an approval asks at most %d providers, not %d", maxSources, len(from.items)), Span: from.span,
			Help: "leave out those that add nothing; each is asked only where the ones before it cannot be reached",
		})
		return
	}
	first := map[string]diag.Span{}
	for _, item := range from.items {
		source, ok := r.provider(item)
		if !ok {
			continue
		}
		name := string(source.normal().JSON())
		if at, twice := first[name]; twice {
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("the provider %s is there twice", diag.Quote(source.String())), Span: source.Span,
				Label: "again here", Related: []diag.Related{{Span: at, Message: "first here"}},
				Notes: []string{"a provider that cannot be reached passes to the next; asking it again reaches nobody else"},
				Help:  "remove one of them",
			})
			continue
		}
		first[name] = source.Span
		a.By = append(a.By, source)
	}
	a.Unclear = len(a.By) < len(from.items)
}

// provider reads one item of by.
func (r *reader) provider(from *node) (Source, bool) {
	switch from.kind {
	case mapping:
		return r.commandSource(from)
	case scalar:
		if from.tag == "!!null" || from.tag == "!!bool" {
			r.notProvider(from)
			return Source{}, false
		}
		name, ok := r.textOf("a provider", from.span, from)
		if !ok {
			return Source{}, false
		}
		if name.Value == Queue || name.Value == Elicit {
			return Source{Provider: name.Value, Span: name.Span}, true
		}
		r.unknownProvider(name)
	case list, broken:
		r.notProvider(from)
	}
	return Source{}, false
}

func (r *reader) notProvider(from *node) {
	r.wrongKind("a provider", from.span, from, "`queue`, `elicit` or a mapping with `command`", "write the providers in one list: `[queue, elicit]`")
}

func (r *reader) unknownProvider(name Text) {
	d := diag.Diagnostic{
		Rule: ruleValue, Message: fmt.Sprintf("%s is no provider of approvals", diag.Quote(name.Value)), Span: name.Span,
		Notes: []string{"queue: a person decides in a terminal; elicit: the caller's client asks; command: a program answers"},
		Help:  "write `queue`, `elicit`, or `{command: [/usr/local/bin/ask]}`",
	}
	switch meant := r.meantProvider(name.Value); {
	case name.Value == Command:
		d.Message = "the provider `command` needs the program to run"
		d.Help = "write `" + spelled(Command) + "`"
	case meant != "":
		d.Label = fmt.Sprintf("did you mean `%s`?", meant)
		d.Help = "write `" + spelled(meant) + "`; the providers are queue, elicit and command"
	}
	r.report(d)
}
