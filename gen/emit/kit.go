package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

func (e *emitter) kitPath() string { return e.names.root + "/" + e.kitName() }
func (e *emitter) kitName() string { return e.names.id + "test" }

// generateKit emits what all clients of the test kit share.
func (e *emitter) generateKit() error {
	f := e.file(e.kitPath(), e.kitName(), "Package "+e.kitName()+" is the test kit of the protocol "+e.names.id+": a typed client for each mode, over the real gate,\ncodec and ledger. It is of no use outside tests.")
	options := jen.Qual(e.names.runtimePath("servertest"), "Options")
	kit := star().Id("Kit")
	f.Add(comment("A Kit starts servers that share one workspace and one state folder."))
	f.Type().Id("Kit").Struct(jen.Id("options").Add(options))
	f.Line()
	f.Add(comment("New returns a kit for a workspace. State goes to a temporary folder of the test."))
	f.Func().Id("New").Params(jen.Id("t").Qual("testing", "TB"), jen.Id("workspace").String()).Add(kit).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Return(amp().Id("Kit").Add(row(field("options", options.Clone().Add(row(
			field("Workspace", jen.Id("workspace")), field("StateDir", jen.Id("t").Dot("TempDir").Call()),
		)))))),
	)
	f.Line()
	f.Add(comment("WithActor returns a kit whose servers were started by another actor, on the same workspace and state."))
	f.Func().Params(jen.Id("k").Add(kit)).Id("WithActor").Params(jen.Id("actor").String()).Add(kit).Block(
		jen.Id("other").Add(define()).Add(star()).Id("k"),
		jen.Id("other").Dot("options").Dot("Actor").Add(assign()).Id("actor"),
		jen.Return(amp().Id("other")),
	)
	if slices.ContainsFunc(e.protocol.Modes, e.asks) {
		f.cut()
		f.Add(comment("WithPerson returns a kit whose requests for approval person decides, as somebody at the queue would."))
		f.Func().Params(jen.Id("k").Add(kit)).Id("WithPerson").
			Params(jen.Id("person").Func().Params(jen.Qual(e.names.runtimePath("approval"), "Request")).Bool()).Add(kit).Block(
			jen.Id("other").Add(define()).Add(star()).Id("k"),
			jen.Id("other").Dot("options").Dot("Person").Add(assign()).Id("person"),
			jen.Return(amp().Id("other")),
		)
	}
	return e.save(e.kitName()+"/kit.go", f)
}

// generateClient emits the client of one mode.
func (e *emitter) generateClient(m *protocol.Mode) error {
	n, names := e.names, e.names.modes[m.Name.Value]
	kit := n.runtimePath("servertest")
	f := e.file(e.kitPath(), e.kitName(), "")
	f.Add(comment(names.client + " calls the tools of the mode " + m.Name.Value + " through the gate. A refusal is a *gate.Refusal."))
	f.Type().Id(names.client).Struct(jen.Id("client").Add(star()).Qual(kit, "Client"))
	f.Line()
	f.Add(comment(names.method + " starts the server of the mode " + m.Name.Value + ". It stops when the test ends."))
	f.Func().Params(jen.Id("k").Add(star()).Id("Kit")).Id(names.method).Params(jen.Id("t").Qual("testing", "TB")).Add(star()).Id(names.client).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Return(amp().Id(names.client).Values(jen.Dict{
			jen.Id("client"): jen.Qual(kit, "Start").Call(jen.Id("t"), jen.Qual(n.modePath(names), "Mode").Call(), jen.Id("k").Dot("options")),
		})),
	)
	for _, o := range e.of(m) {
		f.cut()
		e.generateMethod(f, names.client, o)
	}
	return e.save(e.kitName()+"/"+names.file, f)
}

// generateMethod emits what calls one tool for a test. Of a commit it takes
// what a client sends, which is no plan.
func (e *emitter) generateMethod(f *source, client string, o *operation) {
	kit := e.names.runtimePath("servertest")
	input, output := e.types(o)
	taken := jen.Id("in").Add(input)
	returned, call, types := output, "Call", []jen.Code{input, output}
	switch {
	case o.phase == commit:
		taken = jen.Id("commit").Qual(kit, "Commit")
		call, types = "Committed", []jen.Code{output}
		if o.output == "" {
			call, types = "CommittedNothing", nil
		}
	case o.phase == preview:
		call, returned = "Preview", jen.Qual(kit, "Previewed").Types(output)
	case o.output == "":
		call, types = "Do", []jen.Code{input}
	}
	f.Add(comment(o.names.method + " calls the tool " + o.name + "."))
	method := f.Func().Params(jen.Id("c").Add(star()).Id(client)).Id(o.names.method).
		Params(jen.Id("ctx").Qual("context", "Context"), taken)
	argument := "in"
	if o.phase == commit {
		argument = "commit"
	}
	function := jen.Qual(kit, call)
	if len(types) > 0 {
		function = function.Types(types...)
	}
	body := jen.Return(function.Call(jen.Id("ctx"), jen.Id("c").Dot("client"), jen.Lit(o.name), jen.Id(argument)))
	if o.output == "" {
		method.Error().Block(body)
		return
	}
	method.Params(returned, jen.Error()).Block(body)
}
