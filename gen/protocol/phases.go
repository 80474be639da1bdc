package protocol

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/gen/diag"
)

// What is put behind the name of a tool in two phases to name what clients see
// of it: one tool that shows and stores a plan, and one that runs a stored plan.
const (
	PreviewSuffix = "_preview"
	CommitSuffix  = "_commit"
)

// Phases says of a tool that it works in two phases. Its commit is the tool's
// Run, so that whoever asks for what the tool can do finds that.
type Phases struct {
	Span    diag.Span     // of the key `run`
	Preview Text          // name of the Go function that makes a plan
	TTL     time.Duration // for which a stored plan can be committed
}

// Served lists what clients see of the tool: its name, or those of its preview
// and of its commit.
func (t *Tool) Served() []string {
	if t.Phases == nil {
		return []string{t.Name.Value}
	}
	return []string{t.Name.Value + PreviewSuffix, t.Name.Value + CommitSuffix}
}

// normalRun is what the tool runs.
func (t *Tool) normalRun() *Value {
	if t.Phases == nil {
		return (&Value{Kind: Object}).add("go", text(t.Run.Value))
	}
	return (&Value{Kind: Object}).
		add("preview", text(t.Phases.Preview.Value)).
		add("commit", text(t.Run.Value)).
		add("ttl", text(t.Phases.TTL.String()))
}

// Keys of `run`.
const (
	keyGo      = "go"
	keyPreview = "preview"
	keyCommit  = "commit"
	keyTTL     = "ttl"
)

// runFields reads the long form of `run`: the handler by its kind.
func (r *reader) runFields(key Text, value *node, to *Tool) {
	before, phases, written := len(r.found), &Phases{Span: key.Span, TTL: DefaultTTL}, map[string]bool{}
	var single, commit Text
	r.fields("`run`", value, nil, noting(written, []field{
		{keyGo, r.setText(&single)},
		{keyPreview, r.setText(&phases.Preview)},
		{keyCommit, r.setText(&commit)},
		{keyTTL, r.duration(&phases.TTL, MinTTL, MaxTTL)},
	}))
	meant := func(word string) bool { return written[word] || r.meant[word] && len(r.found) > before }
	switch {
	case !meant(keyPreview) && !meant(keyCommit) && !meant(keyTTL):
		if !single.IsZero() {
			to.Run = single
		}
		return
	case written[keyGo]:
		r.bothKinds(value)
	default:
		r.missingPhase(to, value, meant(keyPreview), meant(keyCommit))
	}
	to.Phases = phases
	to.Run = commit
}

// bothKinds reports a handler that is a function and two.
func (r *reader) bothKinds(value *node) {
	at := slices.IndexFunc(value.pairs, func(entry pair) bool { return entry.key.text == keyGo })
	r.report(diag.Diagnostic{
		Rule: ruleValue, Message: "`run` names one function with `go`, or two with `preview` and `commit`, and here it does both", Span: value.pairs[at].key.span,
		Help: "remove `go`, or remove `preview`, `commit` and `ttl`",
	})
}

// missingPhase reports a preview without a commit, and the other way round.
func (r *reader) missingPhase(tool *Tool, value *node, preview, commit bool) {
	var missing []string
	camel := GoName(Fold(tool.Name.Value))
	if !preview {
		missing = append(missing, "`preview`")
	}
	if !commit {
		missing = append(missing, "`commit`")
	}
	if len(missing) == 0 {
		return
	}
	r.report(diag.Diagnostic{
		Rule: ruleMissing, Message: "`run` has no " + strings.Join(missing, " and no "), Span: value.span,
		Notes: []string{"a tool in two phases has a function that makes a plan and one that runs it"},
		Help:  fmt.Sprintf("write `run: {preview: %sPreview, commit: %sCommit}`", diag.Visible(camel), diag.Visible(camel)),
	})
}

// phased is what the keys of one tool say of phases, while they are read.
type phased struct {
	before   int       // how much was found when reading the tool began
	plan     diag.Span // of the key; zero where there is none
	runClear bool      // nothing is wrong with `run`
}

// plan reads the schema of what a preview shows and stores.
func (r *reader) plan(to *Tool, phased *phased) func(Text, *node) {
	read := r.schema(&to.Plan)
	return func(key Text, value *node) {
		phased.plan = key.Span
		read(key, value)
	}
}

// planned holds that a plan and the functions that make and run it come
// together. What could not be read of `run` is reported already.
func (r *reader) planned(tool *Tool, phased phased) {
	name, camel := diag.Quote(tool.Name.Value), GoName(Fold(tool.Name.Value))
	switch {
	case tool.Phases != nil && phased.plan.IsZero():
		if r.meant["plan"] && len(r.found) > phased.before {
			return // reported as an unknown key, with how to write it
		}
		r.report(diag.Diagnostic{
			Rule: ruleMissing, Message: fmt.Sprintf("the tool %s has two phases and no `plan`", name), Span: tool.Phases.Span,
			Notes: []string{"the plan is what the preview shows and stores, and what the commit runs"},
			Help:  "add its schema, such as `plan: {properties: {steps: {type: array, items: {type: string}}}, required: [steps]}`",
		})
	case tool.Phases == nil && !phased.plan.IsZero() && phased.runClear:
		r.report(diag.Diagnostic{
			Rule: ruleMissing, Message: fmt.Sprintf("the tool %s has a `plan`, and no functions that make and run it", name), Span: phased.plan,
			Notes: []string{"a plan is what a preview shows and stores, and what a commit runs"},
			Help:  fmt.Sprintf("write `run: {preview: %sPreview, commit: %sCommit}`, or remove `plan`", diag.Visible(camel), diag.Visible(camel)),
		})
	}
}
