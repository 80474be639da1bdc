package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// generateTools emits what all modes share of each tool: everything but the
// handler. Each is a function, so that a server contains those of its mode.
func (e *emitter) generateTools() error {
	f := e.file(e.names.toolsPath(), "tools", "Package tools holds what the protocol "+e.names.id+" says of its tools. A mode adds the handler, sealed.")
	for _, o := range e.every() {
		e.generateTool(f, o)
		f.cut()
	}
	return e.save("internal/tools/tools.go", f)
}

func (e *emitter) generateTool(f *source, o *operation) {
	server := e.names.runtimePath("server")
	fields := []jen.Code{field("Name", jen.Lit(o.name))}
	if o.phase != whole {
		fields = append(fields, field("Base", jen.Lit(o.tool.Name.Value)), field("Phase", jen.Qual(server, phaseName(o.phase))))
	}
	if text := o.description(); text != "" {
		fields = append(fields, field("Description", jen.Lit(text)))
	}
	fields = append(fields, field("Effect", jen.Qual(e.names.runtimePath("gate"), effectName(o.effect()))))
	if o.exclusive() {
		fields = append(fields, field("Exclusive", jen.True()))
	}
	fields = append(fields, field("Input", jen.Lit(o.takes.Text())))
	if o.gives != nil {
		fields = append(fields, field("Output", jen.Lit(o.gives.Text())))
	}
	if len(o.tool.Record) > 0 && o.phase != commit {
		fields = append(fields, field("Record", literals(o.tool.Record)))
	}
	if o.tool.Approval != nil && o.phase != preview {
		fields = append(fields, field("Approval", e.policy(o.tool.Approval)))
	}
	if o.phase != whole {
		fields = append(fields, field("TTL", duration(o.tool.Phases.TTL)))
	}
	fields = append(fields, field("Handler", jen.Id("handler")))
	f.Add(comment(o.names.method + " is the tool " + o.name + "."))
	f.Func().Id(o.names.method).Params(jen.Id("handler").Qual(server, "Handler")).Qual(server, "Tool").
		Block(jen.Return(jen.Qual(server, "Tool").Add(rows(fields...))))
}

func effectName(effect protocol.Effect) string {
	if effect == protocol.Read {
		return "Read"
	}
	return "Write"
}

func phaseName(p phase) string {
	if p == preview {
		return "PreviewPhase"
	}
	return "CommitPhase"
}
