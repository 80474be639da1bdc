package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gatewright/gatewright/cmd/gatewright/internal/tree"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/jsonschema"
	"github.com/gatewright/gatewright/templates"
)

const (
	home        = "github.com/gatewright/gatewright" // the module of this program
	placeholder = "v0.0.0"                           // its version where another place replaces it
)

const generateFile = `// Package protocols is where the protocols of this module are, a folder each.
// What generation makes of them is under generated.
package protocols

//go:generate go tool gatewright generate ./...
`

// A start is one run of init.
type start struct {
	dir, template, module, replace string // as given; then dir and replace are absolute

	required bool     // the module requires gatewright already
	created  bool     // the module
	kept     []string // shared files that were there
	root     *os.Root
}

// run writes the tree. It returns what is in the way, if anything is; then it
// has written nothing.
func (s *start) run() (taken []diag.Diagnostic, err error) {
	if !slices.ContainsFunc(templates.Templates(), func(t templates.Template) bool { return t.ID == s.template }) {
		return nil, fmt.Errorf("there is no template %s; gatewright init -h lists them", diag.Quote(s.template))
	}
	files, err := s.plan()
	if err != nil {
		return nil, err
	}
	made, err := makeFolder(s.dir)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", s.dir, err)
	}
	defer func() {
		if err != nil && made != "" {
			err = errors.Join(err, removeEmpty(s.dir, made))
		}
	}()
	if s.root, err = os.OpenRoot(s.dir); err != nil {
		return nil, fmt.Errorf("open %s: %w", s.dir, err)
	}
	defer func() { err = errors.Join(err, s.root.Close()) }()
	if taken, err = s.taken(files); err != nil || len(taken) > 0 {
		return taken, err
	}
	return nil, s.write(files)
}

// plan renders every file, by path in the module.
func (s *start) plan() (map[string][]byte, error) {
	var err error
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return nil, fmt.Errorf("find %s: %w", s.dir, err)
	}
	if s.replace != "" {
		if s.replace, err = filepath.Abs(s.replace); err != nil {
			return nil, fmt.Errorf("find %s: %w", s.replace, err)
		}
	}
	files := map[string][]byte{}
	if err := s.inModule(); err != nil {
		return nil, err
	}
	if s.created {
		if files["go.mod"], err = s.goMod(); err != nil {
			return nil, err
		}
	}
	texts, err := templates.Files(s.template, s.module+"/protocols", s.module+"/generated")
	if err != nil {
		return nil, err
	}
	for name, text := range texts {
		files["protocols/"+s.template+"/"+name] = text
	}
	files["protocols/generate.go"] = []byte(generateFile)
	files["protocols/protocol.schema.json"], _ = jsonschema.Text("protocol")
	return files, nil
}

// inModule finds out which module the tree will be in.
func (s *start) inModule() error {
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, "go.mod")
		text, err := os.ReadFile(file)
		switch {
		case err == nil && dir == s.dir:
			return s.known(file, text)
		case err == nil:
			return fmt.Errorf("%s is inside the Go module of %s: give that folder, or make a module of this one with go mod init", s.dir, file)
		case !errors.Is(err, fs.ErrNotExist) && dir == s.dir:
			return fmt.Errorf("look for a Go module: %w", err)
		case dir == filepath.Dir(dir):
			return s.fresh()
		}
	}
}

func (s *start) known(file string, text []byte) error {
	mod, err := modfile.ParseLax(file, text, nil)
	if err != nil {
		return fmt.Errorf("read the Go module: %w", err)
	}
	if mod.Module == nil {
		return fmt.Errorf("%s names no module", file)
	}
	if s.module != "" && s.module != mod.Module.Mod.Path {
		return fmt.Errorf("%s is the Go module %s already; leave --module out", s.dir, mod.Module.Mod.Path)
	}
	s.module = mod.Module.Mod.Path
	s.required = slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == home })
	return nil
}

// fresh names the module that the folder becomes.
func (s *start) fresh() error {
	s.created = true
	if s.module == "" {
		name := regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(strings.ToLower(filepath.Base(s.dir)), "-")
		if name = strings.Trim(name, "-_"); name == "" {
			name = "work"
		}
		s.module = "example.com/" + name
	}
	if err := module.CheckImportPath(s.module); err != nil {
		return fmt.Errorf("--module: %w", err)
	}
	return nil
}

func (s *start) goMod() ([]byte, error) {
	mod := new(modfile.File)
	err := errors.Join(mod.AddModuleStmt(s.module), mod.AddGoStmt("1.26.0"))
	switch {
	case s.replace != "":
		s.required = true
		err = errors.Join(err, mod.AddRequire(home, placeholder), mod.AddReplace(home, "", s.replace, ""))
	case released():
		s.required = true
		err = errors.Join(err, mod.AddRequire(home, version()))
	}
	text, formatErr := mod.Format()
	if err = errors.Join(err, formatErr); err != nil {
		return nil, fmt.Errorf("write go.mod: %w", err)
	}
	return text, nil
}

// released says whether this program is a version that can be downloaded.
func released() bool {
	v := version()
	return semver.IsValid(v) && semver.Build(v) == "" && !module.IsPseudoVersion(v)
}

// path is a file of the tree as it is shown.
func (s *start) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// taken says what is in the way. Files that protocols share are not: the ones
// that are there stay.
func (s *start) taken(files map[string][]byte) ([]diag.Diagnostic, error) {
	var names []string
	for _, folder := range []string{"protocols", "generated"} {
		for _, name := range []string{folder, folder + "/" + s.template} {
			info, err := s.root.Lstat(name)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("look at %s: %w", name, err)
			}
			if name != folder || !info.IsDir() { // a file, or a link that leads anywhere
				names = append(names, name)
				break
			}
		}
	}
	if err := s.keep(files); err != nil {
		return nil, err
	}
	var taken []diag.Diagnostic
	for _, name := range names {
		taken = append(taken, diag.Diagnostic{
			Rule: tree.RuleOwner, Level: diag.Error, Span: diag.Span{File: s.path(name)},
			Message: fmt.Sprintf("%s is there already", diag.Quote(name)),
			Notes:   []string{"init writes over nothing: what is there may be another protocol of this id, or somebody's work"},
			Help:    "move it away, use another folder, or start with another template",
		})
	}
	return taken, nil
}

// keep leaves out the files that protocols share where they are there already,
// and the one with the go:generate line where the folder has a package.
func (s *start) keep(files map[string][]byte) error {
	shared, err := fs.ReadDir(s.root.FS(), "protocols")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if info, statErr := s.root.Lstat("protocols"); statErr == nil && !info.IsDir() {
			return nil // in the way, as has been found
		}
		return fmt.Errorf("look at protocols: %w", err)
	}
	for _, entry := range shared {
		name := "protocols/" + entry.Name()
		if path.Ext(name) == ".go" {
			delete(files, "protocols/generate.go")
		}
		if _, ours := files[name]; ours || name == "protocols/generate.go" {
			delete(files, name)
			s.kept = append(s.kept, name)
		}
	}
	return nil
}

// write creates every file. Where it cannot, it removes those that it created.
func (s *start) write(files map[string][]byte) error {
	var made []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := s.folders(path.Dir(name), &made)
		if err == nil {
			err = s.create(name, files[name], &made)
		}
		if err != nil {
			for _, name := range slices.Backward(made) {
				_ = s.root.Remove(name) // as far as it goes; a folder that somebody put something into stays
			}
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func (s *start) folders(name string, made *[]string) error {
	if name == "." {
		return nil
	}
	if err := s.folders(path.Dir(name), made); err != nil {
		return err
	}
	err := s.root.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		*made = append(*made, name)
	}
	return err
}

func (s *start) create(name string, data []byte, made *[]string) error {
	out, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	*made = append(*made, name)
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// makeFolder makes a folder and those above it, and returns the topmost that it
// made; empty where all were there.
func makeFolder(dir string) (made string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil || !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = at
	}
	return made, os.MkdirAll(dir, 0o755) //nolint:gosec // a source tree is for everybody to read, as far as umask lets them
}

// removeEmpty removes the folders that were made, as long as they are empty.
func removeEmpty(dir, top string) error {
	for at := dir; ; at = filepath.Dir(at) {
		if err := os.Remove(at); err != nil || at == top {
			return err
		}
	}
}
