package vet

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports each rule of this package under its id, as the category of
// the diagnostic. It looks at packages from which a protocol can be reached;
// others are of no interest, except for linknames into one.
var Analyzer = &analysis.Analyzer{
	Name: "gatewright",
	Doc:  "report ways round the gate of a protocol that the compiler lets pass",
	URL:  "https://pkg.go.dev/github.com/gatewright/gatewright/gen/emit/vet",
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, trees: treesOf(pass.Pkg)}
	c.linknames()
	c.sets()
	switch here := pass.Pkg.Path(); {
	case len(c.trees) == 0:
	case within(here, c.trees):
		// What is generated is held byte for byte elsewhere; but whatever it is,
		// it may give no permit away.
		if !internal(here) {
			c.leaks()
		}
	default:
		c.imports()
		c.assembly()
		c.calls()
		if !internal(here) {
			c.leaks()
		}
	}
	return nil, nil //nolint:nilnil // an analyzer without a result
}

// A checker looks at one package.
type checker struct {
	pass  *analysis.Pass
	trees []tree
}

func (c *checker) report(pos token.Pos, rule, message string) {
	c.pass.Report(analysis.Diagnostic{Pos: pos, Category: rule, Message: message + " [" + rule + "]"})
}

// each calls do for every node of every file.
func (c *checker) each(do func(ast.Node)) {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(node ast.Node) bool {
			if node != nil {
				do(node)
			}
			return true
		})
	}
}

// linknames reports linknames. A package that reaches no protocol may have
// them, if they point at none.
func (c *checker) linknames() {
	if within(c.pass.Pkg.Path(), c.trees) {
		return
	}
	for _, file := range c.pass.Files {
		for _, group := range file.Comments {
			for _, line := range group.List {
				text, found := strings.CutPrefix(line.Text, "//go:linkname ")
				if found && (len(c.trees) > 0 || strings.Contains(text, "/generated/") || strings.Contains(text, runtimePath)) {
					c.report(line.Pos(), RuleLinkname, "a linkname reaches what is unexported, past the permits")
				}
			}
		}
	}
}

// imports reports what can make a value of any type.
func (c *checker) imports() {
	said := map[string][2]string{
		`"reflect"`: {RuleReflect, "reflect makes permits that no gate gave, out of the type of one"},
		`"unsafe"`:  {RuleUnsafe, "unsafe makes permits that no gate gave"},
		`"C"`:       {RuleAssembly, "C reaches every symbol of the program, past the permits"},
		`"plugin"`:  {RuleAssembly, "a plugin brings code that was not checked with this program"},
	}
	for _, file := range c.pass.Files {
		for _, spec := range file.Imports {
			if rule, found := said[spec.Path.Value]; found {
				c.report(spec.Pos(), rule[0], rule[1])
			}
		}
	}
}

// assembly reports sources that are not Go. They have no position, so the
// package clause stands for them.
func (c *checker) assembly() {
	for _, name := range c.pass.OtherFiles {
		if strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".S") || strings.HasSuffix(name, ".syso") {
			for _, file := range c.pass.Files {
				c.report(file.Name.Pos(), RuleAssembly, "assembly reaches every symbol of the program, past the permits")
				return
			}
		}
	}
}
