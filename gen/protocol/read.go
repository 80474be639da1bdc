package protocol

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// protocol reads the document's top.
func (r *reader) protocol(root *node) *Protocol {
	p := &Protocol{
		File: r.file, Span: diag.Span{File: r.file, Line: root.span.Line, Column: root.span.Column, EndLine: root.span.Line, EndColumn: root.span.Column},
		Version: Text{Value: "0.0.0"}, Go: Go{Package: Text{Value: "./"}},
	}
	if root.kind != mapping {
		if root.kind != broken {
			r.report(diag.Diagnostic{
				Rule: ruleKind, Message: "a protocol has to be a mapping, not " + describe(root), Span: root.span,
				Help: "start with `protocol_id: my_protocol`",
			})
		}
		return nil
	}
	if len(root.pairs) > 0 {
		p.Span = root.pairs[0].key.span
	}
	r.misplaced(root)
	seen := map[string]bool{}
	r.fields("the protocol", root, []string{"upstreams", "separation"}, noting(seen, []field{
		{"protocol_id", r.setName(&p.ID)},
		{"version", r.version(&p.Version)},
		{"description", r.setText(&p.Description)},
		{"initial_mode", r.setText(&p.InitialMode)},
		{"exclusive_tools", r.setTexts(&p.Declared, "release")},
		{"strict", r.setBool(&p.Strict)},
		{"go", r.golang(&p.Go)},
		{"tools", r.entries("a tool", "{list: {effect: read}}", func(name Text, value *node) { p.Tools = append(p.Tools, r.tool(name, value)) })},
		{"modes", r.entries("a mode", "{plan: {tools: [list]}}", func(name Text, value *node) { p.Modes = append(p.Modes, r.mode(name, value)) })},
		{"sequenced", r.sequenced},
	}))
	first, tool := "plan", "list"
	if len(p.Modes) > 0 && IsName(p.Modes[0].Name.Value) {
		first = p.Modes[0].Name.Value
	}
	if len(p.Tools) > 0 && IsName(p.Tools[0].Name.Value) {
		tool = p.Tools[0].Name.Value
	}
	for _, required := range [][2]string{
		{"protocol_id", "my_protocol"}, {"initial_mode", first}, {"tools", "{list: {effect: read}}"}, {"modes", "{plan: {tools: [" + tool + "]}}"},
	} {
		if !seen[required[0]] && !r.meant[required[0]] {
			r.missing(p.Span, required[0], required[1])
		}
	}
	return p
}

func noting(seen map[string]bool, fields []field) []field {
	for i, f := range fields {
		fields[i].read = func(key Text, value *node) {
			seen[f.key] = true
			f.read(key, value)
		}
	}
	return fields
}

func (r *reader) version(to *Text) func(Text, *node) {
	shape := regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$`)
	return func(key Text, value *node) {
		text, ok := r.asText(key, value)
		if !ok {
			return
		}
		if !shape.MatchString(text.Value) {
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("%s cannot be a version", diag.Quote(text.Value)), Span: text.Span,
				Help: "write something like `version: 1.0.0`: up to 64 letters, digits, dots, plus and minus signs",
			})
			return
		}
		*to = text
	}
}

func (r *reader) sequenced(key Text, value *node) {
	sequenced := false
	r.setBool(&sequenced)(key, value)
	if sequenced {
		r.report(diag.Diagnostic{
			Rule: ruleLater, Message: "`sequenced: true` is not yet known to this version", Span: value.span,
			Notes: []string{laterNote},
			Help:  "remove it, or use a version of gatewright that has it",
		})
	}
}

func (r *reader) golang(to *Go) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != mapping {
			r.wrong(key, value, "a mapping", "write `go: {package: ./}`")
			return
		}
		r.fields("`go`", value, nil, []field{
			{"package", r.goPackage(&to.Package)},
			{"deps", r.setText(&to.Deps)},
		})
	}
}

func (r *reader) goPackage(to *Text) func(Text, *node) {
	shape := regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)
	return func(key Text, value *node) {
		text, ok := r.asText(key, value)
		if !ok {
			return
		}
		if !shape.MatchString(text.Value) || path.IsAbs(text.Value) {
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("%s is no path to a Go package", diag.Quote(text.Value)), Span: text.Span,
				Notes: []string{"the path is relative to the protocol's folder, with slashes"},
				Help:  "write `package: ./` or `package: ./handlers`",
			})
			return
		}
		*to = text
	}
}

func (r *reader) tool(name Text, value *node) *Tool {
	tool := &Tool{Name: name, Effect: Write, Run: Text{Value: GoName(name.Value)}}
	if !r.body(name, value, "{effect: read}") {
		return tool
	}
	unread, stray := false, false
	for _, entry := range value.pairs {
		tool.Unclear = tool.Unclear || strings.HasPrefix(strings.ToLower(entry.key.text), "read")
		unread = unread || entry.key.text == "input"
		stray = stray || entry.key.text == keyPreview || entry.key.text == keyCommit
	}
	phased := phased{before: len(r.found), runClear: !stray}
	r.fields("tool "+diag.Quote(name.Value), value, nil, []field{
		{"description", r.setText(&tool.Description)},
		{"effect", r.effect(tool)},
		{"input", r.schema(&tool.Input)},
		{"plan", r.plan(tool, &phased)},
		{"output", r.schema(&tool.Output)},
		{"record", r.record(&tool.Record)},
		{"approval", r.approval(tool)},
		{"run", r.run(tool, &phased)},
		{"waive", r.waive(&tool.Waive)},
	})
	r.planned(tool, phased)
	if unread && tool.Input == nil {
		tool.Record = nil // what it leads to in the input cannot be told
	}
	return tool
}

func (r *reader) effect(to *Tool) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind == scalar && value.tag == "!!bool" {
			to.Unclear = true
			r.wrong(key, value, "read or write", "write `effect: read` or `effect: write`")
			return
		}
		text, ok := r.asText(key, value)
		if !ok {
			to.Unclear = true
			return
		}
		to.EffectSpan = text.Span
		switch effect := Effect(text.Value); effect {
		case Read, Write:
			to.Effect = effect
		default:
			d := diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("%s is no effect", diag.Quote(text.Value)), Span: text.Span,
				Notes: []string{"a tool whose effect is read may be called by a client without asking; everything else is write"},
				Help:  "write `effect: read` or `effect: write`",
			}
			to.Unclear = true
			if meant := r.meantEffect(text.Value); meant != "" {
				d.Label = fmt.Sprintf("did you mean `%s`?", meant)
				d.Help = fmt.Sprintf("write `effect: %s`; the effects are read and write", meant)
			}
			r.report(d)
		}
	}
}

// record reads JSON pointers into the input.
func (r *reader) record(to *[]Text) func(Text, *node) {
	return func(key Text, value *node) {
		var pointers []Text
		r.setTexts(&pointers, "/commit")(key, value)
		for _, pointer := range pointers {
			if !isPointer(pointer.Value) {
				help := "write `/name` for the input's property name, `/a/b` for one further in"
				if better := "/" + strings.ReplaceAll(strings.TrimPrefix(pointer.Value, "$."), ".", "/"); isPointer(better) {
					help = fmt.Sprintf("write `%s`", diag.Visible(better))
				}
				r.report(diag.Diagnostic{
					Rule: ruleValue, Message: fmt.Sprintf("%s is no JSON pointer into the input", diag.Quote(pointer.Value)), Span: pointer.Span,
					Help: help,
				})
				continue
			}
			*to = append(*to, pointer)
		}
	}
}

func isPointer(text string) bool {
	if len(text) < 2 || text[0] != '/' {
		return false
	}
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(text)
	return !strings.Contains(rest, "~")
}

// run reads the handler: a Go function's name, {go: Name}, or the two of a tool
// in two phases.
func (r *reader) run(to *Tool, phased *phased) func(Text, *node) {
	return func(key Text, value *node) {
		before := len(r.found)
		defer func() { phased.runClear = phased.runClear && len(r.found) == before }()
		if value.kind != mapping {
			r.setText(&to.Run)(key, value)
			return
		}
		if len(value.pairs) == 0 {
			r.report(diag.Diagnostic{Rule: ruleMissing, Message: "`run` is empty", Span: value.span, Help: "write `run: {go: Edit}`, or leave `run` out"})
		}
		for _, entry := range value.pairs { // a handler of another kind is one thing, not one for each of its keys
			if key := (Text{entry.key.text, entry.key.span}); entry.key.kind != broken && slices.Contains(laterHandlers(), key.Value) {
				r.later(key)
				return
			}
		}
		r.runFields(key, value, to)
	}
}

// laterHandlers are the keys of handlers that are not Go functions.
func laterHandlers() []string {
	return []string{"exec", "upstream", "tool"}
}

func (r *reader) mode(name Text, value *node) *Mode {
	mode := &Mode{Name: name}
	if !r.body(name, value, "{tools: [list]}") {
		return mode
	}
	r.fields("mode "+diag.Quote(name.Value), value, nil, []field{
		{"description", r.setText(&mode.Description)},
		{"tools", r.setTexts(&mode.Tools, "list")},
		{"transitions", r.transitions(&mode.Transitions)},
		{"waive", r.waive(&mode.Waive)},
	})
	return mode
}

func (r *reader) transitions(to *[]Transition) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != mapping {
			r.wrong(key, value, "a mapping from events to modes", fmt.Sprintf("write `%s: {complete: review}`", key.Value))
			return
		}
		for _, entry := range value.pairs {
			if entry.key.kind == broken {
				continue
			}
			event := Text{Value: entry.key.text, Span: entry.key.span}
			r.name("an event", event)
			transition := Transition{Event: event}
			r.target(event, entry.value, &transition.To)
			if !transition.To.IsZero() {
				*to = append(*to, transition)
			}
		}
	}
}

func (r *reader) target(event Text, value *node, to *Text) {
	if value.kind != mapping {
		r.setText(to)(event, value)
		return
	}
	written := false
	r.fields("a transition", r.withoutApproval(value), nil, []field{{"to", func(key Text, value *node) {
		written = true
		r.setText(to)(key, value)
	}}})
	if !written && len(value.pairs) == 0 { // with another key in it, that is the mistake
		r.report(diag.Diagnostic{
			Rule: ruleMissing, Message: fmt.Sprintf("the transition %s leads nowhere", diag.Quote(event.Value)), Span: value.span,
			Help: fmt.Sprintf("write `%s: {to: review}`, or `%s: review`", diag.Visible(event.Value), diag.Visible(event.Value)),
		})
	}
}

// withoutApproval is a transition without its approval, which it refuses: what
// would ask for it is not there yet.
func (r *reader) withoutApproval(transition *node) *node {
	rest := *transition
	rest.pairs = slices.DeleteFunc(slices.Clone(transition.pairs), func(entry pair) bool {
		if entry.key.kind == broken || entry.key.text != "approval" {
			return false
		}
		r.report(diag.Diagnostic{
			Rule: ruleLater, Message: "the approval of a transition is not yet known to this version", Span: entry.key.span,
			Notes: []string{"it is asked for by `dispatch`, the tool that changes the mode, which this version does not have", laterNote},
			Help:  "remove it, or put an approval on the tools of the mode that it leads to",
		})
		return true
	})
	return &rest
}

func (r *reader) waive(to *[]Waiver) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != mapping {
			r.wrong(key, value, "a mapping from rules to reasons", "write `waive: {SD1: why it is fine here}`")
			return
		}
		for _, entry := range value.pairs {
			if entry.key.kind == broken {
				continue
			}
			rule := Text{Value: entry.key.text, Span: entry.key.span}
			why, ok := r.asText(rule, entry.value)
			if ok && strings.TrimSpace(why.Value) == "" {
				r.report(diag.Diagnostic{
					Rule: ruleWaiver, Message: fmt.Sprintf("the waiver of %s gives no reason", diag.Quote(rule.Value)), Span: why.Span,
					Help: fmt.Sprintf("write `waive: {%s: why it is fine here}`", diag.Visible(rule.Value)),
				})
				why.Value = "(no reason)"
			}
			if ok {
				*to = append(*to, Waiver{Rule: rule, Why: why})
			}
		}
	}
}
