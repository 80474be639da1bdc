package handlers

import (
	"fmt"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A Folder is the package that holds the handlers.
type Folder struct {
	Path    string            // for messages: slashes, relative to the module
	Sources map[string][]byte // every file that ends in .go, by name
	Taken   map[string]bool   // other names in the folder, which no stub may take
}

// A Plan is what is to be done about the handlers of a protocol.
type Plan struct {
	Stubs map[string][]byte // files to create, by name
	Paste []Paste
}

// A Paste is a missing function for which no file can be created, because one
// of that name exists.
type Paste struct {
	File   string
	Source string
}

// Find compares the handlers that a protocol names with those that are
// declared. contracts is the import path of generated/<id>.
func Find(p *protocol.Protocol, contracts string, folder Folder) (Plan, []diag.Diagnostic, error) {
	wanted, err := emit.Signatures(p)
	if err != nil {
		return Plan{}, nil, err
	}
	f := &finder{
		protocol: p, contracts: contracts, folder: folder,
		plan: Plan{Stubs: map[string][]byte{}},
	}
	f.declared = f.parse()
	f.shared(wanted)
	for _, want := range wanted {
		f.handler(want)
	}
	f.deps()
	return f.plan, diag.Sort(f.diags), nil
}

type finder struct {
	protocol  *protocol.Protocol
	contracts string
	folder    Folder
	declared  declared
	plan      Plan
	diags     []diag.Diagnostic
}

func (f *finder) warnf(rule string, at diag.Span, help, format string, args ...any) {
	f.diags = append(f.diags, diag.Diagnostic{Rule: rule, Level: diag.Warning, Span: at, Help: help, Message: fmt.Sprintf(format, args...)})
}

// shared refuses one function for two tools: their permits and inputs are
// different types.
func (f *finder) shared(wanted []emit.Signature) {
	first := map[string]emit.Signature{}
	for _, want := range wanted {
		if deps := f.protocol.Go.Deps.Value; deps != "" && (want.Handler == deps || want.Handler == "OpenDeps") {
			f.diags = append(f.diags, diag.Diagnostic{
				Rule: RuleName, Level: diag.Error, Span: want.Span, Message: fmt.Sprintf("the handler of the tool %q has the name of what the handlers share: %s", want.Tool, want.Handler),
				Help: "name another function: run: " + want.Handler + "Handler",
			})
		}
		other, twice := first[want.Handler]
		if !twice {
			first[want.Handler] = want
			continue
		}
		f.diags = append(f.diags, diag.Diagnostic{
			Rule: RuleShared, Level: diag.Error, Span: want.Span,
			Message: fmt.Sprintf("the tools %q and %q name one handler, %s, but their permits and inputs are of different types", other.Tool, want.Tool, want.Handler),
			Help:    "give each tool a function of its own; both can call a third",
			Related: []diag.Related{{Span: other.Span, Message: "the other tool"}},
		})
	}
}

func (f *finder) handler(want emit.Signature) {
	found, known := f.declared.funcs[want.Handler]
	if known {
		if problem := f.mismatch(want, found.decl); problem != "" {
			f.warnf(RuleSignature, found.span, "write it as\n"+f.signature(want), "the handler of the tool %q has another signature: %s", want.Tool, problem)
		}
		return
	}
	empty := ""
	if want.Output != "" {
		empty = f.name() + "." + want.Output + "{}, "
	}
	// A handler that never touches its permit could be reached through an empty
	// type set, which only what opens a permit is refused for.
	body := "\tif _, err := " + f.name() + ".Open(permit); err != nil {\n\t\treturn " + empty + "err\n\t}\n" +
		"\treturn " + empty + "errors.New(\"" + want.Tool + " is not implemented yet\")\n"
	source := "// " + want.Handler + " is the handler of the tool " + want.Tool + ".\n" + f.signature(want) + " {\n" + body + "}\n"
	f.missing(snake(want.Handler), source, "context", "errors", f.contracts)
}

// missing plans a stub, or a paste where that file cannot be made.
func (f *finder) missing(base, source string, imports ...string) {
	file := fileName(base)
	for number := 2; f.plan.Stubs[file] != nil; number++ {
		file = fileName(base + strconv.Itoa(number))
	}
	_, exists := f.folder.Sources[file]
	if exists || f.folder.Taken[file] || f.declared.broken {
		f.plan.Paste = append(f.plan.Paste, Paste{File: path.Join(f.folder.Path, file), Source: source})
		return
	}
	f.plan.Stubs[file] = stub(f.declared.pack, source, imports)
}

// name is how a stub refers to the contracts.
func (f *finder) name() string { return f.protocol.ID.Value }

func (f *finder) signature(want emit.Signature) string {
	deps, result := "", "error"
	if name := f.protocol.Go.Deps.Value; name != "" {
		deps = "deps *" + name + ", "
	}
	if want.Output != "" {
		result = "(" + f.name() + "." + want.Output + ", error)"
	}
	return "func " + want.Handler + "[Permit " + f.name() + "." + want.Permit + "](ctx context.Context, permit Permit, " + deps +
		want.Argument + " " + f.name() + "." + want.Input + ") " + result
}

// deps plans what opens the things that handlers share.
func (f *finder) deps() {
	name := f.protocol.Go.Deps.Value
	if name == "" || !token.IsIdentifier(name) {
		return
	}
	var parts []string
	if !f.declared.types[name] {
		parts = append(parts, "// "+name+" is what the handlers share.\ntype "+name+" struct{}\n")
	}
	if found, known := f.declared.funcs["OpenDeps"]; !known {
		parts = append(parts, "// OpenDeps opens what the handlers share, once a process.\nfunc OpenDeps(ctx context.Context) (*"+name+", error) {\n\treturn &"+name+"{}, nil\n}\n")
	} else if problem := opens(found.decl, name); problem != "" {
		f.warnf(RuleSignature, found.span, "write it as\nfunc OpenDeps(ctx context.Context) (*"+name+", error)", "OpenDeps has another signature: %s", problem)
	}
	if len(parts) == 0 {
		return
	}
	source, imports := strings.Join(parts, "\n"), []string(nil)
	if strings.Contains(source, "context.Context") {
		imports = []string{"context"}
	}
	f.missing("deps", source, imports...)
}
