package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// generateMode emits the package of one mode: what its server is made of, and
// its tools, sealed.
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
	fields = append(fields,
		field("Tools", jen.Index().Qual(server, "Tool").Add(rows(e.held(m)...))),
		field("Foreign", jen.Qual(n.permitPath(), "Foreign").Call(jen.Lit(m.Name.Value))),
	)
	if e.deps() != "" {
		fields = append(fields, field("OpenDeps", jen.Id("openDeps")))
	}
	if e.asks(m) {
		fields = append(fields, field("OpenBook", jen.Qual(n.runtimePath("store"), "OpenBook")))
	}
	if e.inPhases(m) {
		fields = append(fields, field("OpenPlans", jen.Qual(n.runtimePath("store"), "OpenPlans")))
	}
	f.Add(comment("Mode returns what the server of this mode is made of."))
	f.Func().Id("Mode").Params().Qual(server, "Mode").Block(jen.Return(jen.Qual(server, "Mode").Add(rows(fields...))))
	if e.deps() != "" {
		e.generateDeps(f)
	}
	for _, o := range e.of(m) {
		f.cut()
		e.generateSealed(f, o)
	}
	return e.save("internal/"+names.pack+"/mode.go", f)
}

func (e *emitter) deps() string { return e.protocol.Go.Deps.Value }

// held returns a row for each tool of a mode: what all modes share of it, with
// the function that this mode seals it by.
func (e *emitter) held(m *protocol.Mode) []jen.Code {
	held := make([]jen.Code, 0, len(m.Tools))
	for _, o := range e.of(m) {
		input, output := e.types(o)
		sealed := jen.Qual(e.names.runtimePath("server"), "Func").Types(input, output).Add(row(field("Run", jen.Id(o.names.run))))
		held = append(held, jen.Qual(e.names.toolsPath(), o.names.method).Call(sealed))
	}
	return held
}

// generateDeps emits the opening of what handlers share, and the way back to
// its type. What is missing or nil is refused.
func (e *emitter) generateDeps(f *source) {
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
// into a permit and calls the handler with it. It is plain, so that the linker
// keeps the handlers of no other mode.
func (e *emitter) generateSealed(f *source, o *operation) {
	input, output := e.types(o)
	given := "_"
	if e.deps() != "" {
		given = "opened"
	}
	f.Func().Id(o.names.run).Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("grant").Add(star()).Qual(e.names.runtimePath("gate"), "Grant"),
		jen.Id(given).Any(), jen.Id(o.phase.argument()).Add(input),
	).Params(output, jen.Error()).BlockFunc(func(g *jen.Group) { e.generateCall(g, o, output) })
}

// types are the types of a handler's input and output.
func (e *emitter) types(o *operation) (input, output *jen.Statement) {
	input, output = jen.Qual(e.names.root, o.input), jen.Struct()
	if o.output != "" {
		output = jen.Qual(e.names.root, o.output)
	}
	return input, output
}

func (e *emitter) generateCall(g *jen.Group, o *operation, output *jen.Statement) {
	arguments := []jen.Code{jen.Id("ctx"), jen.Qual(e.names.permitPath(), o.names.make).Call(jen.Id("grant"))}
	if e.deps() != "" {
		g.List(jen.Id("deps"), jen.Id("err")).Add(define()).Id("depsOf").Call(jen.Id("opened"))
		g.If(jen.Id("err").Add(differ()).Nil()).BlockFunc(func(g *jen.Group) {
			g.Var().Id("none").Add(output)
			g.Return(jen.Id("none"), jen.Id("err"))
		})
		arguments = append(arguments, jen.Id("deps"))
	}
	call := jen.Qual(e.names.handlers, o.names.handler).Call(append(arguments, jen.Id(o.phase.argument()))...)
	if o.output == "" {
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
