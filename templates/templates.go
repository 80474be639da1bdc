// Package templates has the protocols that `gatewright init` starts a tree
// with: the text of each protocol file and of its handlers, as it is copied
// once and is the user's from then on.
//
// The folders begin with an underscore, so the go command passes them by here:
// what they import is generated where they are copied to. greenfield and tracker
// are copies of this repository's own protocols, which a test keeps the same.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed all:_solo all:_team all:_files greenfield.txtar tracker.txtar
var texts embed.FS

// home is the module that the texts are written for.
const home = "github.com/gatewright/gatewright"

// A Template is a protocol to start with.
type Template struct {
	ID   string // of the protocol, too
	What string
	Mode string // that work starts in
}

// Templates lists what there is, the simplest first.
func Templates() []Template {
	return []Template{
		{"solo", "one person, one agent at a time: plan, implement, review", "plan"},
		{"team", "an agent for each mode: plan, implement, review, integrate", "plan"},
		{"greenfield", "the same on a git repository, with commits, approvals in git and merges", "plan"},
		{"tracker", "work items imported from a document and progress on them, in two steps each: preview and commit", "planner"},
	}
}

// Files returns the files of a template, by path in the folder of the
// protocol, for a module in which that folder's parent has the given import
// path and generated trees are under generated.
func Files(id, parent, generated string) (map[string][]byte, error) {
	sources, err := sources(id)
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", id, err)
	}
	imports := strings.NewReplacer(`"`+home+"/protocols/", `"`+parent+"/", `"`+home+"/generated/", `"`+generated+"/")
	files := make(map[string][]byte, len(sources))
	for name, text := range sources {
		if path.Ext(name) == ".go" {
			if text, err = format.Source([]byte(imports.Replace(string(text)))); err != nil { // imports are in order again
				return nil, fmt.Errorf("write %s of the template %s: %w", name, id, err)
			}
		}
		files[name] = text
	}
	return files, nil
}

func sources(id string) (map[string][]byte, error) {
	if id == "greenfield" || id == "tracker" {
		text, err := texts.ReadFile(id + ".txtar")
		if err != nil {
			return nil, err
		}
		return unpack(text), nil
	}
	files := map[string][]byte{}
	for folder, to := range map[string]string{"_" + id: ".", "_files": "internal/files"} {
		entries, err := fs.ReadDir(texts, folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if files[path.Join(to, entry.Name())], err = texts.ReadFile(path.Join(folder, entry.Name())); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

func unpack(archive []byte) map[string][]byte {
	files := map[string][]byte{}
	for _, file := range txtar.Parse(archive).Files {
		files[file.Name] = bytes.Clone(file.Data)
	}
	return files
}
