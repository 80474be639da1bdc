package handlers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/gatewright/gatewright/gen/diag"
)

// A declared is what the sources of the folder declare.
type declared struct {
	pack   string // name of the package
	funcs  map[string]function
	types  map[string]bool
	broken bool // some file does not parse, so what is missing is not certain
}

type function struct {
	decl *ast.FuncDecl
	span diag.Span
}

// parse reads every source but the tests, whatever its build constraints.
func (f *finder) parse() declared {
	d := declared{funcs: map[string]function{}, types: map[string]bool{}}
	set := token.NewFileSet()
	files, packages := map[string]*ast.File{}, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(f.folder.Sources)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path.Join(f.folder.Path, name), f.folder.Sources[name], parser.SkipObjectResolution)
		if err != nil {
			d.broken = true
			f.warnf(RuleSyntax, diag.Span{File: path.Join(f.folder.Path, name), Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, "", "this file does not parse, so handlers in it may go unseen: %v", err)
		}
		if file != nil && file.Name != nil && file.Name.Name != "_" {
			files[name] = file
			packages[file.Name.Name]++
		}
	}
	d.pack = f.packageName(packages)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if file := files[name]; file.Name.Name == d.pack {
			d.collect(set, file)
		}
	}
	return d
}

func (d *declared) collect(set *token.FileSet, file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if _, twice := d.funcs[decl.Name.Name]; decl.Recv == nil && !twice {
				d.funcs[decl.Name.Name] = function{decl: decl, span: spanOf(set, decl.Name)}
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					d.types[spec.Name.Name] = true
				}
			}
		}
	}
}

func spanOf(set *token.FileSet, at ast.Node) diag.Span {
	start, end := set.Position(at.Pos()), set.Position(at.End())
	return diag.Span{File: start.Filename, Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column}
}

// packageName is the name most files agree on; programs that only stand beside
// a package, such as generators behind a build constraint, do not count.
func (f *finder) packageName(packages map[string]int) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if name != "main" && (best == "" || packages[name] > packages[best]) {
			best = name
		}
	}
	switch {
	case best != "":
		return best
	case packages["main"] > 0:
		f.diags = append(f.diags, diag.Diagnostic{
			Rule: RulePackage, Level: diag.Error, Span: f.at(), Message: "the handlers are in package main, which nothing can import",
			Help: "move them into a package of their own and name its folder: go: {package: ./handlers}",
		})
		return "main"
	}
	return packageOf(path.Base(f.folder.Path))
}

// at is where the protocol says where handlers live.
func (f *finder) at() diag.Span {
	if span := f.protocol.Go.Package.Span; span != (diag.Span{}) {
		return span
	}
	return f.protocol.ID.Span
}

// packageOf makes a package name of a folder's.
func packageOf(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, folder)
	name = strings.TrimLeft(name, "0123456789")
	if name == "" || name == "main" || token.IsKeyword(name) {
		return "handlers"
	}
	return name
}
