package emit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// DefaultRuntime is the import path of the runtime that generated code uses.
const DefaultRuntime = "github.com/gatewright/gatewright/runtime"

// Options say where the emitted code will stand.
type Options struct {
	ImportPath string // of generated/<id>
	Handlers   string // import path of the package that holds the handlers
	Runtime    string // import path of the runtime; empty for DefaultRuntime
	Source     string // the protocol file, for the manifest: slashes, relative to the module
}

// Emit renders a protocol that has passed every check. The keys of the result
// are paths with slashes, relative to generated/<id>. It returns an error, and
// no files, for a protocol that no valid code could be made of.
func Emit(p *protocol.Protocol, opt Options) (map[string][]byte, error) {
	if opt.Runtime == "" {
		opt.Runtime = DefaultRuntime
	}
	names, err := newNames(p, opt)
	if err != nil {
		return nil, fmt.Errorf("emit protocol %q: %w", p.ID.Value, err)
	}
	e := &emitter{protocol: p, names: names, digest: p.Digest(), tools: map[string]*tool{}, files: map[string][]byte{}}
	if err := e.all(); err != nil {
		return nil, fmt.Errorf("emit protocol %q: %w", p.ID.Value, err)
	}
	if err := e.manifest(opt.Source); err != nil {
		return nil, fmt.Errorf("emit protocol %q: %w", p.ID.Value, err)
	}
	return e.files, nil
}

// An emitter renders one protocol.
type emitter struct {
	protocol *protocol.Protocol
	names    *names
	digest   string
	tools    map[string]*tool
	files    map[string][]byte
}

// A tool is what is known of one tool when code is made of it.
type tool struct {
	*protocol.Tool

	names     toolNames
	exclusive bool
	input     *schema.Schema
	output    *schema.Schema // nil where the protocol declares none
	inputs    []*schema.Decl
	outputs   []*schema.Decl
}

func (e *emitter) all() error {
	if err := e.read(); err != nil {
		return err
	}
	steps := []func() error{e.generateProtocol, e.generatePermits, e.generateText, e.generateKit}
	for _, t := range e.protocol.Tools {
		t := e.tools[t.Name.Value]
		steps = append(steps, func() error { return e.generateContract(t) }, func() error { return e.generatePermit(t) })
	}
	for _, m := range e.protocol.Modes {
		steps = append(steps, func() error { return e.generateMode(m) }, func() error { return e.generateCommand(m) }, func() error { return e.generateClient(m) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// read reads the schemas of every tool, and names their types in source order.
func (e *emitter) read() error {
	for _, source := range e.protocol.Tools {
		t := &tool{Tool: source, names: e.names.tools[source.Name.Value], exclusive: e.protocol.IsExclusive(source.Name.Value), input: schema.Empty()}
		if source.Input != nil {
			read, diags := schema.Read(source.Input)
			if read == nil {
				return fmt.Errorf("the input of tool %q: %s", source.Name.Value, diags[0].Message)
			}
			t.input = read
		}
		t.inputs = t.input.Types(t.names.input, e.names.contract)
		if source.Output != nil {
			read, diags := schema.Read(source.Output)
			if read == nil {
				return fmt.Errorf("the output of tool %q: %s", source.Name.Value, diags[0].Message)
			}
			t.output = read
			t.outputs = read.Types(t.names.output, e.names.contract)
		}
		e.tools[source.Name.Value] = t
	}
	for _, m := range e.protocol.Modes {
		for _, name := range m.Tools {
			if e.tools[name.Value] == nil {
				return fmt.Errorf("mode %q holds an unknown tool %q", m.Name.Value, name.Value)
			}
		}
	}
	return nil
}

// file starts a file of a package.
func (e *emitter) file(importPath, name, doc string) *jen.File {
	f := jen.NewFilePathName(importPath, name)
	header(f, doc)
	n := e.names
	f.ImportNames(map[string]string{
		"context": "context", "encoding/json": "json", "errors": "errors", "os": "os", "testing": "testing",
		n.root: n.id, n.permitPath(): "permit",
		n.runtimePath("gate"): "gate", n.runtimePath("server"): "server", n.runtimePath("servertest"): "servertest",
	})
	f.ImportAlias(n.handlers, "handlers")
	for _, m := range n.modes {
		f.ImportName(n.modePath(m), m.pack)
	}
	return f
}

// save renders a file.
func (e *emitter) save(path string, f *jen.File) error {
	if _, twice := e.files[path]; twice {
		return fmt.Errorf("two things would be written to %s", path)
	}
	var out bytes.Buffer
	if err := f.Render(&out); err != nil {
		// The library's error carries the whole file.
		return errors.New("the code for " + path + " does not parse")
	}
	e.files[path] = out.Bytes()
	return nil
}
