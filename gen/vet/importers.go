package vet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Row is what `go list -deps -test -json` says of one package, as far as it
// is of interest here.
type Row struct {
	ImportPath   string     `json:"ImportPath"`
	ForTest      string     `json:"ForTest"` // of a package that is compiled anew for a test: the package under test
	Dir          string     `json:"Dir"`
	Module       *RowModule `json:"Module"`
	GoFiles      []string   `json:"GoFiles"`
	CgoFiles     []string   `json:"CgoFiles"`
	TestGoFiles  []string   `json:"TestGoFiles"`
	XTestGoFiles []string   `json:"XTestGoFiles"`
	SFiles       []string   `json:"SFiles"`
	Imports      []string   `json:"Imports"`
}

// RowModule is the module of a [Row].
type RowModule struct {
	Path string `json:"Path"`
	Dir  string `json:"Dir"`
}

// Rows reads what the go command printed.
func Rows(r io.Reader) ([]Row, error) {
	var rows []Row
	for decoder := json.NewDecoder(r); ; {
		var row Row
		err := decoder.Decode(&row)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		rows = append(rows, row)
	}
}

// A Tree is one generated tree.
type Tree struct {
	ImportPath string   // of generated/<id>
	Dir        string   // the folder of it
	Files      []string // what generation wrote: slashes, relative to Dir
}

// An Importer is a package that imports what is internal and does not belong
// to it.
type Importer struct {
	ImportPath string
	Dir        string
	Imports    string // what it imports
	Reason     string
}

func (i Importer) String() string {
	return fmt.Sprintf("%s (%s) imports %s: %s", i.ImportPath, i.Dir, i.Imports, i.Reason)
}

// Importers returns every package that imports an internal package of a
// generated tree, or of the runtime that these use, and is not what generation
// wrote, or not of the runtime's module. The go command judges by import paths
// alone, so a module that is named like a folder of the tree passes it. The
// list has to be made with the flags of the build.
func Importers(rows []Row, trees []Tree, runtime string) []Importer {
	modules := map[string]string{}
	for _, row := range rows {
		modules[plain(row.ImportPath)] = row.module()
	}
	var found []Importer
	for _, row := range rows {
		at := plain(row.ImportPath)
		for _, imported := range row.Imports {
			imported = plain(imported)
			reason := ""
			if under(imported, runtime+"/internal") && row.module() != modules[imported] {
				reason = "it is not of the module of the runtime"
			}
			for _, tree := range trees {
				if under(imported, tree.ImportPath+"/internal") {
					reason = tree.foreign(row, modules[imported])
				}
			}
			each := Importer{ImportPath: at, Dir: row.Dir, Imports: imported, Reason: reason}
			if reason != "" && !slices.Contains(found, each) {
				found = append(found, each)
			}
		}
	}
	return found
}

// foreign says why a package that imports what is internal to a tree is not
// part of the tree; it is empty for one that is.
func (t *Tree) foreign(row Row, module string) string {
	at := plain(row.ImportPath)
	relative := strings.TrimPrefix(strings.TrimPrefix(at, t.ImportPath), "/")
	switch {
	case !under(at, t.ImportPath):
		return "it is outside the generated tree"
	case row.module() != module:
		return "it is of another module, " + row.module()
	case row.Dir != filepath.Join(t.Dir, filepath.FromSlash(relative)):
		return "it is not in the folder of the generated tree"
	}
	for _, files := range [][]string{row.GoFiles, row.CgoFiles, row.TestGoFiles, row.XTestGoFiles, row.SFiles} {
		for _, name := range files {
			if !slices.Contains(t.Files, path.Join(relative, filepath.ToSlash(name))) {
				return "generation did not write its file " + name
			}
		}
	}
	return ""
}

func (r *Row) module() string {
	if r.Module == nil {
		return ""
	}
	return r.Module.Path
}

// plain drops what go list adds to the path of a package that is compiled anew
// for a test.
func plain(importPath string) string {
	importPath, _, _ = strings.Cut(importPath, " ")
	return importPath
}
