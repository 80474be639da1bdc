package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Categories of what the analyzer reports.
const (
	CategoryBypass     = "bypass"     // reflect, unsafe, cgo, linkname or assembly beside permits
	CategoryExpression = "expression" // a method expression of an interface that only constrains
	CategoryInstance   = "instance"   // a type argument that only a constraint can be
	CategoryLeak       = "leak"       // an exported API that gives a permit away
	CategoryOpener     = "opener"     // a function with a name that opens a guarded client
	CategoryUntouched  = "untouched"  // a handler that makes nothing of its permit
)

const linkname = "//go:linkname"

// Analyzer returns the analyzer. It reports nothing for packages from which no
// contract of a protocol can be reached by imports.
func Analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "gatewright", Doc: "report what lets Go code reach a handler or a guarded client beside the gate",
		Run: run,
	}
}

func run(pass *analysis.Pass) (any, error) {
	known := reach(pass.Pkg)
	if !known.contract {
		return nil, nil
	}
	expressions(pass)
	instances(pass)
	if known.near {
		bypasses(pass)
		openers(pass)
	}
	if rootOf(pass.Pkg) == "" {
		untouched(pass)
	}
	leaks(pass)
	return nil, nil
}

func reportf(pass *analysis.Pass, at token.Pos, category, format string, args ...any) {
	pass.Report(analysis.Diagnostic{Pos: at, Category: category, Message: fmt.Sprintf(format, args...)})
}

// expressions reports Z.M where Z is an interface with a type set. That is the
// one expression whose type mentions such an interface, and so the one way to
// have it inferred.
func expressions(pass *analysis.Pass) {
	for expression, selection := range pass.TypesInfo.Selections {
		if selection.Kind() == types.MethodExpr && constrains(selection.Recv()) {
			reportf(pass, expression.Pos(), CategoryExpression,
				"%s is the method expression of an interface that only constrains; it gives type inference a type that may satisfy every constraint",
				types.ExprString(expression))
		}
	}
}

// instances reports what is instantiated with an interface with a type set, or
// with a type parameter that nothing satisfies.
func instances(pass *analysis.Pass) {
	for name, instance := range pass.TypesInfo.Instances {
		for argument := range instance.TypeArgs.Types() {
			if mentions(argument, constrains) || empty(argument) {
				reportf(pass, name.Pos(), CategoryInstance,
					"%s is instantiated with %s, which no value has, and which may satisfy every constraint",
					name.Name, types.TypeString(argument, types.RelativeTo(pass.Pkg)))
			}
		}
	}
}

// bypasses reports what works on memory or types beside the type system.
func bypasses(pass *analysis.Pass) {
	const words = "%s beside permits can go round the gate; move it to a package that knows no permit"
	for _, file := range pass.Files {
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err == nil && (name == "reflect" || name == "unsafe" || name == "C") {
				reportf(pass, spec.Pos(), CategoryBypass, words, name)
			}
		}
		for _, group := range file.Comments {
			for _, line := range group.List {
				if strings.HasPrefix(line.Text, linkname) {
					reportf(pass, line.Pos(), CategoryBypass, words, linkname)
				}
			}
		}
	}
	for _, name := range pass.OtherFiles {
		if len(pass.Files) > 0 {
			reportf(pass, pass.Files[0].Name.Pos(), CategoryBypass, words, path.Base(name))
		}
	}
}

// constrains reports whether a type is an interface that can only be a
// constraint.
func constrains(t types.Type) bool {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	i, ok := t.Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}

// empty reports whether nothing is in the type set of an interface or a type
// parameter: such a type implements what nobody can.
func empty(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.IsMethodSet() {
		return false
	}
	nobody := types.NewFunc(token.NoPos, nil, "\u00b7nobody", types.NewSignatureType(nil, nil, nil, nil, nil, false))
	return types.Implements(t, types.NewInterfaceType([]*types.Func{nobody}, nil).Complete())
}
