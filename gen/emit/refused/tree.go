package refused

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
)

// Module is the module of a user of gatewright, in which the tree stands.
const Module = "example.com/app"

//go:embed testdata
var testdata embed.FS

// A Tree is the text of some Go packages: import path, file name, text.
type Tree map[string]map[string]string

// Sample returns what the emitter makes of three protocols, with their
// handlers.
func Sample() (Tree, error) {
	tree := Tree{}
	for _, id := range []string{"sample", "other", "careless"} {
		if err := tree.emit(id); err != nil {
			return nil, fmt.Errorf("emit the protocol %q: %w", id, err)
		}
	}
	return tree, nil
}

func (t Tree) emit(id string) error {
	text, err := testdata.ReadFile("testdata/tree/" + id + ".txtar")
	if err != nil {
		return err
	}
	archive := txtar.Parse(text)
	for _, file := range archive.Files {
		if name, ok := strings.CutPrefix(file.Name, "handlers/"); ok {
			t.Put(Module+"/protocols/"+id, name, string(file.Data))
			continue
		}
		if file.Name != "protocol.yaml" {
			t.Put(Module+"/"+path.Dir(file.Name), path.Base(file.Name), string(file.Data))
			continue
		}
		p, found := check.File(file.Name, file.Data, check.Options{})
		if diag.HasErrors(found) {
			return fmt.Errorf("%v", found)
		}
		root := Module + "/generated/" + id
		files, err := emit.Emit(p, emit.Options{ImportPath: root, Handlers: Module + "/protocols/" + id})
		if err != nil {
			return err
		}
		for name, data := range files {
			if path.Ext(name) == ".go" {
				t.Put(path.Join(root, path.Dir(name)), path.Base(name), string(data))
			}
		}
	}
	return nil
}

// Put adds a file to a package.
func (t Tree) Put(importPath, name, text string) {
	if t[importPath] == nil {
		t[importPath] = map[string]string{}
	}
	t[importPath][name] = text
}

// Clone returns a tree that can be changed.
func (t Tree) Clone() Tree {
	other := Tree{}
	for importPath, files := range t {
		other[importPath] = maps.Clone(files)
	}
	return other
}

// Change returns the tree with a text replaced in one package, where it has to
// stand.
func (t Tree) Change(importPath, old, text string) (Tree, error) {
	other, found := t.Clone(), false
	for name, data := range t[importPath] {
		found = found || strings.Contains(data, old)
		other.Put(importPath, name, strings.ReplaceAll(data, old, text))
	}
	if !found {
		return nil, fmt.Errorf("package %s does not have the text %q", importPath, old)
	}
	return other, nil
}

// Rename returns the tree with a text replaced everywhere, in paths as well.
func (t Tree) Rename(old, text string) Tree {
	other := Tree{}
	for importPath, files := range t {
		for name, data := range files {
			other.Put(strings.ReplaceAll(importPath, old, text), name, strings.ReplaceAll(data, old, text))
		}
	}
	return other
}
