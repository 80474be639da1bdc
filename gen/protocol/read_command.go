package protocol

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

const (
	maxSources   = 16  // providers of an approval
	maxArguments = 64  // of a command, its program included
	maxVariables = 64  // that a command is given
	maxVariable  = 128 // bytes of a variable's name
)

func providers() []string { return []string{Queue, Elicit, Command} }

// spelled is how a provider is written in `by`.
func spelled(provider string) string {
	if provider == Command {
		return "{command: [/usr/local/bin/ask]}"
	}
	return provider
}

func enumerated(words []string) string { return strings.Join(words, ", ") }

// meantProvider is the provider that a word most likely stands for, or "".
func (r *reader) meantProvider(word string) string {
	bare := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
	switch bare {
	case Queue, "human", "person", "people", "terminal", "cli", "manual", "approvals", "user":
		return Queue
	case Elicit, "elicitation", "client", "mcp", "prompt", "form":
		return Elicit
	case Command, "cmd", "exec", "program", "script", "hook", "webhook":
		return Command
	}
	meant, _ := r.suggester.Closest(bare, providers())
	return meant
}

// commandSource reads {command, env, timeout}.
func (r *reader) commandSource(from *node) (Source, bool) {
	source := Source{Provider: Command, Span: from.span, Timeout: DefaultTimeout}
	for _, entry := range from.pairs {
		if name := entry.key.text; entry.key.kind != broken && (name == Queue || name == Elicit) {
			r.report(diag.Diagnostic{
				Rule: ruleUnknown, Message: fmt.Sprintf("the provider %s has no settings of its own", diag.Quote(name)), Span: entry.key.span,
				Help: fmt.Sprintf("write `%s` alone, without braces or colon; `ttl` and `hold` stand beside `by`", name),
			})
			return source, false
		}
	}
	written, before := false, len(r.found)
	r.fields("a provider", from, nil, []field{
		{"command", func(key Text, value *node) {
			written = true
			r.command(&source.Command)(key, value)
		}},
		{"env", r.variables(&source.Env)},
		{"timeout", r.duration(&source.Timeout, MinTimeout, MaxTimeout)},
	})
	if !written && len(r.found) == before {
		r.report(diag.Diagnostic{
			Rule: ruleMissing, Message: "the provider has no `command`", Span: from.span,
			Help: "write `{command: [/usr/local/bin/ask]}`, or `queue` or `elicit` without braces",
		})
	}
	return source, len(r.found) == before
}

// command reads a program and its arguments. A program that is looked for by a
// relative path would be looked for in the workspace, where agents write.
func (r *reader) command(to *[]Text) func(Text, *node) {
	return func(key Text, value *node) {
		before := len(r.found)
		var command []Text
		r.setTexts(&command, "/usr/local/bin/ask")(key, value)
		if value.kind != list || len(r.found) > before {
			return
		}
		switch {
		case len(command) == 0:
			r.report(diag.Diagnostic{
				Rule: ruleMissing, Message: fmt.Sprintf("%s is empty", diag.Quote(key.Value)), Span: value.span,
				Help: "write the program and its arguments: `command: [/usr/local/bin/ask, --ticket]`",
			})
			return
		case len(command) > maxArguments:
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("a command has at most %d parts, not %d", maxArguments, len(command)), Span: command[maxArguments].Span,
				Help: "put the arguments into the program, or into a file that it reads",
			})
			return
		}
		if at := slices.IndexFunc(command, func(part Text) bool { return part.Value == "" }); at >= 0 {
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: "a part of a command is empty", Span: command[at].Span,
				Help: "remove it; each part is one argument, without a shell in between",
			})
			return
		}
		if r.program(command[0]) {
			*to = command
		}
	}
}

func (r *reader) program(name Text) bool {
	d := diag.Diagnostic{
		Rule: ruleValue, Span: name.Span,
		Help: "write an absolute path, or a bare name, which is looked up in PATH",
	}
	switch {
	case path.IsAbs(name.Value), !strings.Contains(name.Value, "/") && name.Value != "." && name.Value != "..":
		if strings.ContainsAny(name.Value, " \t\n") && !path.IsAbs(name.Value) {
			d.Message = fmt.Sprintf("%s cannot be the name of a program", diag.Quote(name.Value))
			d.Notes = []string{"there is no shell: each part of the list is one argument"}
			d.Help = fmt.Sprintf("write `command: [%s]`", diag.Visible(enumerated(strings.Fields(name.Value))))
			break
		}
		return true
	case strings.HasPrefix(name.Value, "~"):
		d.Message = fmt.Sprintf("the program %s starts with ~, which only a shell understands", diag.Quote(name.Value))
	default:
		d.Message = fmt.Sprintf("the program %s is a relative path, so it would lie in the workspace", diag.Quote(name.Value))
		d.Notes = []string{"whoever may write there could replace it, and so approve its own calls"}
	}
	r.report(d)
	return false
}

// variables reads names of environment variables.
func (r *reader) variables(to *[]Text) func(Text, *node) {
	shape := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	return func(key Text, value *node) {
		var names []Text
		r.setTexts(&names, "TICKET_TOKEN")(key, value)
		if len(names) > maxVariables {
			r.report(diag.Diagnostic{
				Rule: ruleValue, Message: fmt.Sprintf("a command is given at most %d variables, not %d", maxVariables, len(names)), Span: names[maxVariables].Span,
				Help: "leave out those that the program does not read",
			})
			return
		}
		first := map[string]diag.Span{}
		for _, name := range names {
			if !shape.MatchString(name.Value) || len(name.Value) > maxVariable {
				d := diag.Diagnostic{
					Rule: ruleValue, Message: fmt.Sprintf("%s is no name of an environment variable", diag.Quote(name.Value)), Span: name.Span,
					Help: "write the bare name: letters, digits and underscores, at most 128",
				}
				if bare, _, found := strings.Cut(name.Value, "="); found && shape.MatchString(bare) {
					d.Notes = []string{"a protocol names variables and holds no values: it is built into every server"}
					d.Help = fmt.Sprintf("write `%s`, and set it where the server is started", bare)
				}
				r.report(d)
				continue
			}
			if at, twice := first[name.Value]; twice {
				r.report(diag.Diagnostic{
					Rule: ruleValue, Message: fmt.Sprintf("the variable %s is there twice", diag.Quote(name.Value)), Span: name.Span,
					Label: "again here", Related: []diag.Related{{Span: at, Message: "first here"}}, Help: "remove one of them",
				})
				continue
			}
			first[name.Value] = name.Span
			*to = append(*to, name)
		}
	}
}
