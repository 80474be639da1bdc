package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// generateTools emits what all modes share of each tool: everything but the
// handler. Each is a function, so that a server contains those of its mode.
func (e *emitter) generateTools() error {
	f := e.file(e.names.toolsPath(), "tools", "Package tools holds what the protocol "+e.names.id+" says of its tools. A mode adds the handler, sealed.")
	for _, source := range e.protocol.Tools {
		e.generateTool(f, e.tools[source.Name.Value])
		f.cut()
	}
	return e.save("internal/tools/tools.go", f)
}

func (e *emitter) generateTool(f *source, t *tool) {
	server, gate := e.names.runtimePath("server"), e.names.runtimePath("gate")
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
	fields = append(fields, field("Handler", jen.Id("handler")))
	f.Add(comment(t.names.method + " is the tool " + t.Name.Value + "."))
	f.Func().Id(t.names.method).Params(jen.Id("handler").Qual(server, "Handler")).Qual(server, "Tool").
		Block(jen.Return(jen.Qual(server, "Tool").Add(rows(fields...))))
}

func effect(t *tool) string {
	if t.Effect == protocol.Read {
		return "Read"
	}
	return "Write"
}
