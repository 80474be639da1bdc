package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/handlers"
	"github.com/gatewright/gatewright/gen/protocol"
)

// A goModule is the Go module that a protocol is in.
type goModule struct {
	dir  string
	path string
	text []byte // of go.mod
	root *os.Root
}

// module finds the module of a folder: that of the nearest go.mod.
func (g *generation) module(folder string) (*goModule, error) {
	start, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find the module of %s: %w", folder, err)
	}
	if start, err = filepath.EvalSymlinks(start); err != nil {
		return nil, fmt.Errorf("find the module of %s: %w", folder, err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			return g.open(dir, text)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("find the module of %s: %w", folder, err)
		case dir == filepath.Dir(dir):
			return nil, fmt.Errorf("%s is in no Go module; run go mod init first", folder)
		}
	}
}

func (g *generation) open(dir string, text []byte) (*goModule, error) {
	if m := g.modules[dir]; m != nil {
		return m, nil
	}
	name, err := modulePath(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "go.mod"), err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the module: %w", err)
	}
	m := &goModule{dir: dir, path: name, text: text, root: root}
	g.modules[dir] = m
	return m, nil
}

func (g *generation) close() {
	for _, m := range g.modules {
		_ = m.root.Close()
	}
}

// modulePath reads the module line of a go.mod: module PATH, or a block of one
// line, the path quoted or not.
func modulePath(text string) (string, error) {
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(strings.Replace(line, "(", " ( ", 1))
		switch {
		case len(fields) == 0:
		case block:
			return unquoted(fields[0])
		case fields[0] == "module" && len(fields) == 2 && fields[1] == "(":
			block = true
		case fields[0] == "module" && len(fields) == 2:
			return unquoted(fields[1])
		}
	}
	return "", errors.New("there is no module line")
}

func unquoted(name string) (string, error) {
	if strings.HasPrefix(name, `"`) || strings.HasPrefix(name, "`") {
		plain, err := strconv.Unquote(name)
		if err != nil {
			return "", fmt.Errorf("the module path %s is not quoted well: %w", name, err)
		}
		name = plain
	}
	if name == "" || path.Clean(name) != name || strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") || strings.ContainsAny(name, " \t\"`\\") {
		return "", fmt.Errorf("%q is no module path", name)
	}
	return name, nil
}

// within is a path in the module, with slashes; it fails outside of it.
func (m *goModule) within(file string) (string, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", file, err)
	}
	if resolved, err := filepath.EvalSymlinks(full); err == nil {
		full = resolved
	}
	relative, err := filepath.Rel(m.dir, full)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is outside the module %s", file, m.path)
	}
	return filepath.ToSlash(relative), nil
}

// sources reads the Go files of a folder of the module.
func (m *goModule) sources(folder string) (handlers.Folder, error) {
	f := handlers.Folder{Path: folder, Sources: map[string][]byte{}, Taken: map[string]bool{}}
	entries, err := fs.ReadDir(m.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read the handlers: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || !entry.Type().IsRegular() {
			f.Taken[entry.Name()] = true
			continue
		}
		data, err := m.root.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			return f, fmt.Errorf("read the handlers: %w", err)
		}
		f.Sources[entry.Name()] = data
	}
	return f, nil
}

// create writes a file that is not there yet.
func (m *goModule) create(file string, data []byte) error {
	if err := m.root.MkdirAll(path.Dir(file), 0o755); err != nil {
		return fmt.Errorf("create %s: %w", file, err)
	}
	out, err := m.root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("create %s: %w", file, err)
	}
	_, err = out.Write(data)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("create %s: %w", file, err)
	}
	return nil
}

// declares reports whether a file of the module is a protocol with that id.
func (m *goModule) declares(file, id string) bool {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	text, err := m.root.ReadFile(file)
	if err != nil {
		return false
	}
	p, _ := protocol.Load(file, text)
	return p != nil && p.ID.Value == id
}
