package emit

import (
	"fmt"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// names derives every identifier, file name and import path of what is
// emitted. It refuses what would collide, so that nothing else has to.
type names struct {
	id       string
	root     string // import path of generated/<id>
	handlers string // import path of the handlers
	runtime  string // import path of the runtime
	tools    map[string]toolNames
	modes    map[string]modeNames
	contract *scope // of the contracts package
}

// toolNames are the identifiers of one tool.
type toolNames struct {
	input, plan, output string           // in the contracts; plan is empty of a tool in one phase
	operations          []operationNames // one, or those of the preview and of the commit
}

// operationNames are the identifiers of one tool as clients see it.
type operationNames struct {
	permit             string // in the contracts
	sealed, only, make string // in internal/permit: the type, the constraint, the constructor
	mark               string // in internal/permit: the method that tells this permit from all others
	run                string // in internal/<mode>
	method             string // in the test kit, and in internal/tools
	handler            string // in the handlers
}

// modeNames are the identifiers of one mode.
type modeNames struct {
	pack    string // package and folder under internal
	command string
	client  string // type in the test kit
	method  string // in the test kit
	file    string // in the test kit
}

func newNames(p *protocol.Protocol, opt Options) (*names, error) {
	n := &names{
		id: p.ID.Value, root: opt.ImportPath, handlers: opt.Handlers, runtime: opt.Runtime,
		tools: map[string]toolNames{}, modes: map[string]modeNames{},
		contract: newScope("CanRead", "CanWrite", "Open", "Use", "Guard", "Nullable"),
	}
	if !declared(n.id) || reservedPackage(n.id) {
		return nil, fmt.Errorf("the protocol's id %q cannot be the name of a Go package", n.id)
	}
	permits := newScope("Admitted", "Reads", "Writes", "Key", "Open", "Use", "Guard", "Protocol", "Foreign")
	camels := newScope()
	for _, t := range p.Tools {
		if err := n.addTool(t, permits, camels); err != nil {
			return nil, err
		}
	}
	packages, methods := newScope("permit", "tools"), newScope("WithActor")
	for _, m := range p.Modes {
		if err := n.addMode(m, packages, methods); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *names) addTool(t *protocol.Tool, permits, camels *scope) error {
	name := t.Name.Value
	camel := schema.Exported(name)
	if !declared(name) || !camels.free(camel) {
		return fmt.Errorf("the tool name %q gives the Go identifier %q, which is none or is taken by another tool", name, camel)
	}
	camels.Take(camel)
	var named toolNames
	for _, phase := range phasesOf(t) {
		operation, err := n.addOperation(t, phase, permits, camels)
		if err != nil {
			return err
		}
		named.operations = append(named.operations, operation)
	}
	named.input = n.contract.Take(camel + "Input")
	if t.Phases != nil {
		named.plan = n.contract.Take(camel + "Plan")
	}
	named.output = n.contract.Take(camel + "Output")
	n.tools[name] = named
	return nil
}

func (n *names) addOperation(t *protocol.Tool, phase phase, permits, camels *scope) (operationNames, error) {
	name := t.Name.Value + phase.suffix()
	camel := schema.Exported(name)
	if phase != whole {
		if !camels.free(camel) {
			return operationNames{}, fmt.Errorf("the tool name %q, in two phases, gives the Go identifier %q, which is taken by another tool", t.Name.Value, camel)
		}
		camels.Take(camel)
	}
	handler, err := handlerOf(t, phase, camel)
	if err != nil {
		return operationNames{}, err
	}
	sealed := camel
	if !permits.free(sealed) || !permits.free("For"+sealed) || !permits.free("New"+sealed) {
		sealed += "Tool"
	}
	if !permits.free(sealed) || !permits.free("For"+sealed) || !permits.free("New"+sealed) {
		return operationNames{}, fmt.Errorf("the tool name %q cannot be told from the names of other tools in Go", name)
	}
	return operationNames{
		permit: n.contract.Take(camel + "Permit"),
		sealed: permits.Take(sealed), only: permits.Take("For" + sealed), make: permits.Take("New" + sealed), mark: "is" + sealed,
		run: "run" + camel, method: camel, handler: handler,
	}, nil
}

// handlerOf is the name of the function that a phase of a tool runs.
func handlerOf(t *protocol.Tool, phase phase, camel string) (string, error) {
	handler := t.Run.Value
	if phase == preview {
		handler = t.Phases.Preview.Value
	}
	if handler == "" {
		handler = camel
	}
	if !token.IsIdentifier(handler) || !token.IsExported(handler) {
		return "", fmt.Errorf("the handler %q of tool %q is not an exported Go identifier", handler, t.Name.Value+phase.suffix())
	}
	return handler, nil
}

func (n *names) addMode(m *protocol.Mode, packages, methods *scope) error {
	name := m.Name.Value
	camel := schema.Exported(name)
	if _, twice := n.modes[name]; twice || !declared(name) {
		return fmt.Errorf("the mode name %q is no name or is declared twice", name)
	}
	pack := name
	if reservedPackage(pack) || !packages.free(pack) {
		pack += "_mode"
	}
	method := camel
	if !methods.free(method) {
		method += "Mode"
	}
	if !packages.free(pack) || !methods.free(method) {
		return fmt.Errorf("the mode name %q cannot be told from the names of other modes in Go", name)
	}
	n.modes[name] = modeNames{
		pack: packages.Take(pack), command: n.id + "-" + name, client: camel + "Client", method: methods.Take(method),
		file: name + "_client.go",
	}
	return nil
}

func (n *names) permitPath() string              { return path.Join(n.root, "internal", "permit") }
func (n *names) toolsPath() string               { return path.Join(n.root, "internal", "tools") }
func (n *names) modePath(m modeNames) string     { return path.Join(n.root, "internal", m.pack) }
func (n *names) runtimePath(below string) string { return path.Join(n.runtime, below) }

// contractsFile is the name of the file that holds the constraints and types
// of tools. It is none that [names.protocolFile] gives.
const contractsFile = "tool_contracts.go"

// protocolFile is the name of the file that holds what all tools share. A name
// whose last parts are a system, a processor or "test" means something to Go,
// so one with an underscore gets one part more.
func (n *names) protocolFile() string {
	if strings.Contains(n.id, "_") {
		return n.id + "_protocol.go"
	}
	return n.id + ".go"
}

// declared reports whether a name is one that a protocol may declare.
func declared(name string) bool {
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z':
		case i > 0 && (r == '_' || r >= '0' && r <= '9'):
		default:
			return false
		}
	}
	return name != "" && len(name) <= 40
}

// reservedPackage reports whether a name cannot be that of a package, or of its
// folder, that others import.
func reservedPackage(name string) bool {
	switch name {
	case "main", "internal", "vendor", "testdata", "init":
		return true
	}
	return token.IsKeyword(name)
}

// A scope hands out each identifier once.
type scope struct{ taken map[string]bool }

func newScope(taken ...string) *scope {
	s := &scope{taken: map[string]bool{}}
	for _, name := range taken {
		s.taken[name] = true
	}
	return s
}

func (s *scope) free(name string) bool { return !s.taken[name] }

// Take returns want, or want with the first number that makes it free.
func (s *scope) Take(want string) string {
	name := want
	for number := 2; s.taken[name]; number++ {
		name = want + strconv.Itoa(number)
	}
	s.taken[name] = true
	return name
}
