package refused

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/emit"
)

// A Checker type-checks trees in memory against the real runtime.
type Checker struct {
	Set  *token.FileSet
	real types.Importer
}

// NewChecker asks the go command for what the runtime and a few packages of
// the standard library export.
func NewChecker(ctx context.Context) (*Checker, error) {
	command := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Export", emit.DefaultRuntime+"/...",
		"testing", "errors", "encoding/json", "reflect", "unsafe", "iter", "slices", "maps", "sync", "fmt")
	var trouble bytes.Buffer
	command.Stderr = &trouble
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list what the runtime exports: %w: %s", err, trouble.String())
	}
	exports := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var row struct {
			ImportPath string `json:"ImportPath"`
			Export     string `json:"Export"`
		}
		if err := decoder.Decode(&row); err != nil {
			return nil, fmt.Errorf("list what the runtime exports: %w", err)
		}
		exports[row.ImportPath] = row.Export
	}
	set := token.NewFileSet()
	return &Checker{Set: set, real: importer.ForCompiler(set, "gc", func(name string) (io.ReadCloser, error) {
		if exports[name] == "" {
			return nil, fmt.Errorf("package %s is not known to this test", name)
		}
		return os.Open(exports[name])
	})}, nil
}

// A Session checks packages of one tree, each once.
type Session struct {
	checker *Checker
	tree    Tree
	done    map[string]*types.Package
	// Open lets internal packages be imported by anybody.
	Open bool
}

// Session starts to check a tree.
func (c *Checker) Session(tree Tree) *Session {
	return &Session{checker: c, tree: tree, done: map[string]*types.Package{}}
}

// A Checked package is what the type checker knows of it.
type Checked struct {
	Files  []*ast.File
	Types  *types.Package
	Info   *types.Info
	Errors []types.Error
}

// Program checks one program, which need not belong to the tree.
func (s *Session) Program(importPath string, files map[string]string) (*Checked, error) {
	checked := &Checked{Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(s.checker.Set, path.Join(importPath, name), files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		checked.Files = append(checked.Files, file)
	}
	config := types.Config{
		Importer: &importing{session: s, from: importPath},
		Error: func(err error) {
			if found, ok := errors.AsType[types.Error](err); ok {
				checked.Errors = append(checked.Errors, found)
			}
		},
	}
	checked.Types, _ = config.Check(importPath, s.checker.Set, checked.Files, checked.Info)
	return checked, nil
}

// importing is the importer of one package: what it may import depends on
// where it stands.
type importing struct {
	session *Session
	from    string
}

// Import implements types.Importer.
func (i *importing) Import(importPath string) (*types.Package, error) {
	if !i.session.Open && !MayImport(i.from, importPath) {
		return nil, fmt.Errorf("use of internal package %s not allowed", importPath)
	}
	loaded, err := i.session.load(importPath)
	if err == nil && loaded.Name() == "main" {
		return nil, fmt.Errorf("%s is a program, not an importable package", importPath)
	}
	return loaded, err
}

func (s *Session) load(importPath string) (*types.Package, error) {
	if done := s.done[importPath]; done != nil {
		return done, nil
	}
	files, ok := s.tree[importPath]
	if !ok {
		return s.checker.real.Import(importPath)
	}
	checked, err := s.Program(importPath, files)
	if err != nil {
		return nil, err
	}
	if len(checked.Errors) > 0 {
		return nil, checked.Errors[0]
	}
	s.done[importPath] = checked.Types
	return checked.Types, nil
}

// All checks every package of the tree.
func (s *Session) All() error {
	for _, importPath := range slices.Sorted(maps.Keys(s.tree)) {
		if strings.HasPrefix(importPath, Module+"/outside/") {
			continue // tests, which the go command runs
		}
		if _, err := s.load(importPath); err != nil {
			return err
		}
	}
	return nil
}

// MayImport is the rule of the go command on internal packages: what is below
// an internal folder is for what is rooted at the parent of that folder.
func MayImport(from, importPath string) bool {
	elements := strings.Split(importPath, "/")
	for at, element := range slices.Backward(elements) {
		if element == "internal" {
			root := strings.Join(elements[:at], "/")
			return from == root || strings.HasPrefix(from, root+"/")
		}
	}
	return true
}
