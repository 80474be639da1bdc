package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// generateMode emits the package of one mode: what its server is made of, and
// a file for each of its tools.
func (e *emitter) generateMode(m *protocol.Mode) error {
	n, names := e.names, e.names.modes[m.Name.Value]
	server := n.runtimePath("server")
	doc := "Package " + names.pack + " is the mode " + m.Name.Value + " of the protocol " + n.id + ": its tools, sealed. Only the server of this mode and\nthe test kit import it, so the handlers of other modes are not linked into that server."
	f := e.file(n.modePath(names), names.pack, doc)
	fields := []jen.Code{
		field("Key", jen.Qual(n.permitPath(), "Key").Call()),
		field("Protocol", jen.Lit(n.id)),
		field("Version", jen.Lit(e.protocol.Version.Value)),
		field("Digest", jen.Lit(e.digest)),
		field("Text", jen.Qual(n.permitPath(), "Protocol").Call()),
		field("Mode", jen.Lit(m.Name.Value)),
	}
	if text := m.Description.Value; text != "" {
		fields = append(fields, field("Description", jen.Lit(text)))
	}
	fields = append(fields, field("Tools", jen.Index().Qual(server, "Tool").Add(row(e.held(m)...))))
	if foreign := e.foreign(m); len(foreign) > 0 {
		fields = append(fields, field("Foreign", jen.Index().Qual(n.runtimePath("gate"), "Foreign").Add(rows(foreign...))))
	}
	if e.deps() != "" {
		fields = append(fields, field("OpenDeps", jen.Id("openDeps")))
	}
	f.Add(comment("Mode returns what the server of this mode is made of."))
	f.Func().Id("Mode").Params().Qual(server, "Mode").Block(jen.Return(jen.Qual(server, "Mode").Add(rows(fields...))))
	if e.deps() != "" {
		e.generateDeps(f)
	}
	if err := e.save("internal/"+names.pack+"/mode.go", f); err != nil {
		return err
	}
	for _, name := range m.Tools {
		if err := e.generateSealed(names, e.tools[name.Value]); err != nil {
			return err
		}
	}
	return nil
}

func (e *emitter) deps() string { return e.protocol.Go.Deps.Value }

func (e *emitter) held(m *protocol.Mode) []jen.Code {
	tools := make([]jen.Code, 0, len(m.Tools))
	for _, name := range m.Tools {
		tools = append(tools, jen.Id(e.tools[name.Value].names.tool).Call())
	}
	return tools
}

// foreign returns a row for each tool that other modes hold and m does not, in
// the order of the protocol.
func (e *emitter) foreign(m *protocol.Mode) []jen.Code {
	var all []jen.Code
	for _, source := range e.protocol.Tools {
		var holders []jen.Code
		held := false
		for _, other := range e.protocol.Modes {
			for _, name := range other.Tools {
				if name.Value == source.Name.Value {
					held = held || other == m
					holders = append(holders, jen.Lit(other.Name.Value))
				}
			}
		}
		if held || len(holders) == 0 {
			continue
		}
		fields := []jen.Code{field("Name", jen.Lit(source.Name.Value))}
		if e.tools[source.Name.Value].exclusive {
			fields = append(fields, field("Exclusive", jen.True()))
		}
		all = append(all, row(append(fields, field("Modes", jen.Index().String().Add(row(holders...))))...))
	}
	return all
}

// generateDeps emits the opening of what handlers share, and the way back to
// its type. What is missing or nil is refused.
func (e *emitter) generateDeps(f *jen.File) {
	deps := star().Qual(e.names.handlers, e.deps())
	f.Line()
	f.Func().Id("openDeps").Params(jen.Id("ctx").Qual("context", "Context")).Params(jen.Any(), jen.Error()).
		Block(jen.Return(jen.Qual(e.names.handlers, "OpenDeps").Call(jen.Id("ctx"))))
	f.Line()
	f.Func().Id("depsOf").Params(jen.Id("opened").Any()).Params(deps, jen.Error()).Block(
		jen.List(jen.Id("deps"), jen.Id("ok")).Add(define()).Id("opened").Assert(deps),
		jen.If(not().Id("ok").Add(or()).Id("deps").Add(equal()).Nil()).Block(
			jen.Return(jen.Nil(), jen.Qual("errors", "New").Call(jen.Lit("what the handlers share was not opened"))),
		),
		jen.Return(jen.Id("deps"), jen.Nil()),
	)
}

// generateSealed emits one tool of one mode: the function that turns a grant
// into a permit and calls the handler with it, and the row of the server. Both
// are plain, so that the linker keeps the handlers of no other mode.
func (e *emitter) generateSealed(mode modeNames, t *tool) error {
	n := e.names
	server, gate := n.runtimePath("server"), n.runtimePath("gate")
	f := e.file(n.modePath(mode), mode.pack, "")
	input, output := jen.Qual(n.root, t.names.input), jen.Struct()
	if t.output != nil {
		output = jen.Qual(n.root, t.names.output)
	}
	given := "_"
	if e.deps() != "" {
		given = "opened"
	}
	f.Func().Id(t.names.run).Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("grant").Add(star()).Qual(gate, "Grant"), jen.Id(given).Any(), jen.Id("in").Add(input),
	).Params(output, jen.Error()).BlockFunc(func(g *jen.Group) { e.generateCall(g, t, output) })
	f.Line()

	fields := []jen.Code{field("Name", jen.Lit(t.Name.Value))}
	if text := t.Description.Value; text != "" {
		fields = append(fields, field("Description", jen.Lit(text)))
	}
	fields = append(fields, field("Effect", jen.Qual(gate, effect(t))))
	if t.exclusive {
		fields = append(fields, field("Exclusive", jen.True()))
	}
	fields = append(fields, field("Input", jen.Lit(t.input.Text())))
	if t.output != nil {
		fields = append(fields, field("Output", jen.Lit(t.output.Text())))
	}
	if len(t.Record) > 0 {
		pointers := make([]jen.Code, 0, len(t.Record))
		for _, pointer := range t.Record {
			pointers = append(pointers, jen.Lit(pointer.Value))
		}
		fields = append(fields, field("Record", jen.Index().String().Add(row(pointers...))))
	}
	fields = append(fields, field("Handler", jen.Qual(server, "Func").Types(input, output).Add(row(field("Run", jen.Id(t.names.run))))))
	f.Func().Id(t.names.tool).Params().Qual(server, "Tool").Block(jen.Return(jen.Qual(server, "Tool").Add(rows(fields...))))
	return e.save("internal/"+mode.pack+"/"+t.names.file, f)
}

func effect(t *tool) string {
	if t.Effect == protocol.Read {
		return "Read"
	}
	return "Write"
}

func (e *emitter) generateCall(g *jen.Group, t *tool, output *jen.Statement) {
	arguments := []jen.Code{jen.Id("ctx"), jen.Qual(e.names.permitPath(), t.names.make).Call(jen.Id("grant"))}
	if e.deps() != "" {
		g.List(jen.Id("deps"), jen.Id("err")).Add(define()).Id("depsOf").Call(jen.Id("opened"))
		g.If(jen.Id("err").Add(differ()).Nil()).BlockFunc(func(g *jen.Group) {
			g.Var().Id("none").Add(output)
			g.Return(jen.Id("none"), jen.Id("err"))
		})
		arguments = append(arguments, jen.Id("deps"))
	}
	call := jen.Qual(e.names.handlers, t.names.handler).Call(append(arguments, jen.Id("in"))...)
	if t.output == nil {
		g.Return(jen.Struct().Values(), call)
		return
	}
	g.Return(call)
}

// generateCommand emits the program that serves a mode.
func (e *emitter) generateCommand(m *protocol.Mode) error {
	n, names := e.names, e.names.modes[m.Name.Value]
	path := "cmd/" + names.command
	f := e.file(n.root+"/"+path, "main", "Command "+names.command+" serves the mode "+m.Name.Value+" of the protocol "+n.id+".")
	f.Func().Id("main").Params().Block(jen.Qual("os", "Exit").Call(jen.Qual(n.runtimePath("server"), "Main").Call(jen.Qual(n.modePath(names), "Mode").Call())))
	return e.save(path+"/main.go", f)
}
