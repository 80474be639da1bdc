package emit

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// DefaultRuntime is the import path of the runtime that generated code uses.
const DefaultRuntime = "github.com/gatewright/gatewright/runtime"

// Options say where the emitted code will stand.
type Options struct {
	ImportPath string         // of generated/<id>
	Handlers   string         // import path of the package that holds the handlers
	Runtime    string         // import path of the runtime; empty for DefaultRuntime
	Schemas    *schema.Reader // what has read the protocol's schemas; nil for one of its own
	Source     string         // the protocol file, for the manifest: slashes, relative to the module
}

// Emit renders a protocol that has passed every check. The keys of the result
// are paths with slashes, relative to generated/<id>. It returns an error, and
// no files, for a protocol that no valid code could be made of.
func Emit(p *protocol.Protocol, opt Options) (map[string][]byte, error) {
	if opt.Runtime == "" {
		opt.Runtime = DefaultRuntime
	}
	if opt.Schemas == nil {
		opt.Schemas = schema.NewReader()
	}
	names, err := newNames(p, opt)
	if err != nil {
		return nil, fmt.Errorf("emit protocol %q: %w", p.ID.Value, err)
	}
	e := &emitter{protocol: p, names: names, schemas: opt.Schemas, canonical: p.Canonical(), tools: map[string]*tool{}, files: map[string][]byte{}}
	e.digest = protocol.DigestOf(e.canonical)
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
	protocol  *protocol.Protocol
	names     *names
	schemas   *schema.Reader
	canonical []byte
	digest    string
	tools     map[string]*tool
	saving    sync.Mutex
	files     map[string][]byte
}

// A tool is what is known of one tool when code is made of it.
type tool struct {
	*protocol.Tool

	names      toolNames
	operations []*operation
	exclusive  bool
	input      *schema.Schema
	plan       *schema.Schema // nil of a tool in one phase
	output     *schema.Schema // nil where the protocol declares none
	inputs     []*schema.Decl
	plans      []*schema.Decl
	outputs    []*schema.Decl
}

func (e *emitter) all() error {
	if err := e.read(); err != nil {
		return err
	}
	steps := []func() error{e.generateProtocol, e.generateContracts, e.generatePermits, e.generateText, e.generateTools, e.generateKit}
	for _, m := range e.protocol.Modes {
		steps = append(steps, func() error { return e.generateMode(m) }, func() error { return e.generateCommand(m) }, func() error { return e.generateClient(m) })
	}
	return together(steps)
}

// together runs steps that share nothing but [emitter.save], as many at a time
// as there are processors. Of several errors it returns the first in order.
func together(steps []func() error) error {
	var running sync.WaitGroup
	failed, next := make([]error, len(steps)), atomic.Int64{}
	for range min(runtime.GOMAXPROCS(0), len(steps)) {
		running.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(steps); i = next.Add(1) - 1 {
				failed[i] = steps[i]()
			}
		})
	}
	running.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads the schemas of every tool, and names their types in source order.
func (e *emitter) read() error {
	for _, source := range e.protocol.Tools {
		if err := e.readTool(source); err != nil {
			return err
		}
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

func (e *emitter) readTool(source *protocol.Tool) error {
	t := &tool{Tool: source, names: e.names.tools[source.Name.Value], exclusive: e.protocol.IsExclusive(source.Name.Value), input: e.schemas.Empty()}
	if (source.Phases == nil) != (source.Plan == nil) {
		return fmt.Errorf("the tool %q has a plan and no phases, or phases and no plan", source.Name.Value)
	}
	if source.Phases != nil && source.Effect != protocol.Write {
		return fmt.Errorf("the tool %q has two phases and does not write", source.Name.Value)
	}
	for _, each := range []struct {
		what  string
		from  *protocol.Value
		to    **schema.Schema
		decls *[]*schema.Decl
		name  string
	}{
		{"input", source.Input, &t.input, &t.inputs, t.names.input},
		{"plan", source.Plan, &t.plan, &t.plans, t.names.plan},
		{"output", source.Output, &t.output, &t.outputs, t.names.output},
	} {
		if each.from != nil {
			read, diags := e.schemas.Read(each.from)
			if read == nil {
				return fmt.Errorf("the %s of tool %q: %s", each.what, source.Name.Value, diags[0].Message)
			}
			*each.to = read
		}
		if *each.to != nil {
			*each.decls = (*each.to).Types(each.name, e.names.contract)
		}
	}
	t.operations = e.operations(t)
	e.tools[source.Name.Value] = t
	return nil
}
