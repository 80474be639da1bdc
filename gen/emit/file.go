package emit

import (
	"bytes"
	"errors"
	"go/format"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// A source is a file on its way. It is rendered and formatted in parts, each
// of some whole declarations: what a thousand tools take in memory is their
// text, and the syntax of one.
type source struct {
	*jen.File

	parts [][]byte
	err   error // of some part
}

// file starts a file of a package.
func (e *emitter) file(importPath, name, doc string) *source {
	f := &source{File: jen.NewFilePathName(importPath, name)}
	header(f.File, doc)
	n := e.names
	f.ImportNames(map[string]string{
		n.root: n.id, n.permitPath(): "permit", n.toolsPath(): "tools",
		n.runtimePath("gate"): "gate", n.runtimePath("server"): "server", n.runtimePath("servertest"): "servertest",
		n.runtimePath("approval"): "approval", n.runtimePath("store"): "store",
	})
	f.ImportNames(standardPackages())
	f.ImportAlias(n.handlers, "handlers")
	for _, m := range n.modes {
		f.ImportName(n.modePath(m), m.pack)
	}
	return f
}

// cut ends a part.
func (f *source) cut() {
	var out bytes.Buffer
	if err := f.RenderWithFile(&out, f.File); err != nil && f.err == nil {
		f.err = err
	}
	if part := bytes.TrimSpace(out.Bytes()); len(part) > 0 {
		f.parts = append(f.parts, part)
	}
	f.Group = jen.NewFile("").Group
}

// text is the whole file.
func (f *source) text() ([]byte, error) {
	f.cut()
	var head bytes.Buffer
	if err := errors.Join(f.err, f.Render(&head)); err != nil {
		return nil, err
	}
	start, err := format.Source(grouped(head.Bytes()))
	if err != nil {
		return nil, err
	}
	parts := append([][]byte{bytes.TrimSpace(start)}, f.parts...)
	return append(bytes.Join(parts, []byte("\n\n")), '\n'), nil
}

// save adds a file to what is emitted.
func (e *emitter) save(path string, f *source) error {
	text, err := f.text()
	if err != nil {
		// The error carries all of the text.
		return errors.New("the code for " + path + " does not parse")
	}
	e.saving.Lock()
	defer e.saving.Unlock()
	if _, twice := e.files[path]; twice {
		return errors.New("two things would be written to " + path)
	}
	e.files[path] = text
	return nil
}

// grouped puts the imports of the standard library before the others.
func grouped(source []byte) []byte {
	const start, end = "\nimport (\n", "\n)\n"
	before, rest, found := bytes.Cut(source, []byte(start))
	imports, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return source
	}
	var first, others [][]byte
	for line := range bytes.SplitSeq(imports, []byte("\n")) {
		if _, standard := standardPackages()[strings.Trim(string(bytes.TrimSpace(line)), `"`)]; standard {
			first = append(first, line)
		} else {
			others = append(others, line)
		}
	}
	if len(first) > 0 && len(others) > 0 {
		first = append(first, nil)
	}
	lines := bytes.Join(append(first, others...), []byte("\n"))
	return slices.Concat(before, []byte(start), lines, []byte(end), after)
}

// standardPackages are those that emitted code may import.
func standardPackages() map[string]string {
	return map[string]string{"context": "context", "encoding/json": "json", "errors": "errors", "os": "os", "slices": "slices", "testing": "testing", "time": "time"}
}
