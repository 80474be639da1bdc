package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/schema"
)

// generateProtocol emits what handlers of every tool import.
func (e *emitter) generateProtocol() error {
	n := e.names
	doc := "Package " + n.id + " is what handlers of the protocol " + n.id + " import: a constraint and the types of each tool,\nand the way from a permit to the running call and to guarded clients."
	if text := e.protocol.Description.Value; text != "" {
		doc += "\n" + text
	}
	f := e.file(n.root, n.id, doc)
	permit, gate := n.permitPath(), n.runtimePath("gate")

	f.Add(comment("If this does not compile, generator and runtime are of different versions: run gatewright generate\nwith the version of gatewright that go.mod names."))
	f.Const().Id("_").Add(assign()).Qual(gate, "Generated1")

	f.Add(comment("CanRead is satisfied by the permit of every tool of this protocol, and by nothing else. Only the gate\nholds one, so only the gate can call what asks for it."))
	f.Type().Id("CanRead").Interface(jen.Qual(permit, "Reads"))
	f.Line()
	f.Add(comment("CanWrite is satisfied by the permits of tools whose effect is write, and by nothing else."))
	f.Type().Id("CanWrite").Interface(jen.Qual(permit, "Writes"))
	f.Line()
	f.Add(comment("Open returns the call that a permit was given for. It fails once that call is over."))
	f.Func().Id("Open").Types(jen.Id("P").Id("CanRead")).Params(jen.Id("permitted").Id("P")).
		Params(star().Qual(gate, "Call"), jen.Error()).Block(jen.Return(jen.Qual(permit, "Open").Call(jen.Id("permitted"))))
	f.Line()
	f.Add(comment("Use opens a guarded client for the running call. It fails once that call is over, and nothing but a write\npermit of this protocol is taken."))
	f.Func().Id("Use").Types(jen.Id("P").Id("CanWrite"), jen.Id("C").Any()).
		Params(jen.Id("permitted").Id("P"), jen.Id("client").Qual(gate, "Guarded").Types(jen.Id("C"))).
		Params(jen.Id("C"), jen.Error()).Block(jen.Return(jen.Qual(permit, "Use").Call(jen.Id("permitted"), jen.Id("client"))))
	f.Line()
	f.Add(comment("Guard puts a client out of reach of all but a write permit of this protocol. open runs at each Use, for\nthe call that uses it; what it opens is released when the context of that call is done."))
	f.Func().Id("Guard").Types(jen.Id("C").Any()).
		Params(jen.Id("open").Func().Params(star().Qual(gate, "Call")).Params(jen.Id("C"), jen.Error())).
		Qual(gate, "Guarded").Types(jen.Id("C")).Block(jen.Return(jen.Qual(permit, "Guard").Call(jen.Id("open"))))
	return e.save(n.protocolFile(), f)
}

// generateContracts emits the constraint and the types of each tool, in source
// order.
func (e *emitter) generateContracts() error {
	n := e.names
	f := e.file(n.root, n.id, "")
	for _, source := range e.protocol.Tools {
		t := e.tools[source.Name.Value]
		for i, o := range t.operations {
			if i > 0 {
				f.Line()
			}
			f.Add(comment(o.names.permit + " is satisfied by the permit of the tool " + o.name + " alone. Only the gate calls what asks for it."))
			f.Type().Id(o.names.permit).Add(oneLine("interface", jen.Qual(n.permitPath(), o.names.only)))
		}
		e.generateTypes(f, t.inputs, "the input", t)
		e.generateTypes(f, t.plans, "the plan", t)
		e.generateTypes(f, t.outputs, "the output", t)
		f.cut()
	}
	if e.usesNullable() {
		e.generateNullable(f)
	}
	return e.save(contractsFile, f)
}

// generateTypes emits the declarations of one schema.
func (e *emitter) generateTypes(f *source, decls []*schema.Decl, what string, t *tool) {
	for i, decl := range decls {
		f.Line()
		lead := decl.Name + " is part of " + what + " of the tool " + t.Name.Value + "."
		if i == 0 {
			lead = decl.Name + " is " + what + " of the tool " + t.Name.Value + "."
		}
		if decl.Doc != "" {
			lead += "\n" + decl.Doc
		}
		f.Add(comment(lead))
		switch decl.Kind {
		case schema.Struct:
			f.Type().Id(decl.Name).StructFunc(func(g *jen.Group) { e.generateFields(g, decl) })
		case schema.Defined:
			f.Type().Id(decl.Name).Add(goType(decl.Of))
		case schema.Enum:
			f.Type().Id(decl.Name).String()
			f.Line()
			f.Add(comment("The values of " + decl.Name + "."))
			f.Const().DefsFunc(func(g *jen.Group) {
				for _, c := range decl.Values {
					g.Id(c.Name).Id(decl.Name).Add(assign()).Lit(c.Value)
				}
			})
		}
	}
}

func (e *emitter) generateFields(g *jen.Group, decl *schema.Decl) {
	for _, field := range decl.Fields {
		if field.Doc != "" {
			g.Add(comment(field.Doc))
		}
		tag := field.JSON
		if field.Optional {
			tag += ",omitzero"
		}
		g.Id(field.Name).Add(goType(field.Type)).Tag(map[string]string{"json": tag})
	}
}

func goType(t *schema.Type) *jen.Statement {
	s := jen.Null()
	if t.Pointer {
		s = star()
	}
	switch t.Kind {
	case schema.Bool:
		s.Bool()
	case schema.Text:
		s.String()
	case schema.Int:
		s.Int64()
	case schema.Float:
		s.Float64()
	case schema.List:
		s.Index().Add(goType(t.Elem))
	case schema.Map:
		s.Map(jen.String()).Add(goType(t.Elem))
	case schema.Named:
		s.Id(t.Decl.Name)
	default:
		s.Qual("encoding/json", "RawMessage")
	}
	if t.Maybe {
		return jen.Id("Nullable").Types(s)
	}
	return s
}

// generateNullable emits the type Nullable.
func (e *emitter) generateNullable(f *source) {
	f.Add(comment("Nullable is a property that may be absent, null, or a value. Its zero value is absent."))
	f.Type().Id("Nullable").Types(jen.Id("T").Any()).Struct(
		jen.Add(comment("Present tells null from absent.")),
		jen.Id("Present").Bool(),
		jen.Add(comment("Value is nil where the property is null or absent.")),
		jen.Id("Value").Add(star()).Id("T"),
	)
	f.Line()
	f.Add(comment("UnmarshalJSON reads null or a value."))
	f.Func().Params(jen.Id("n").Add(star()).Id("Nullable").Types(jen.Id("T"))).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(
		jen.Id("n").Dot("Present").Add(assign()).True(),
		jen.Return(jen.Qual("encoding/json", "Unmarshal").Call(jen.Id("data"), amp().Id("n").Dot("Value"))),
	)
	f.Line()
	f.Add(comment("MarshalJSON writes the value, or null."))
	f.Func().Params(jen.Id("n").Id("Nullable").Types(jen.Id("T"))).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(jen.Qual("encoding/json", "Marshal").Call(jen.Id("n").Dot("Value"))),
	)
}

func (e *emitter) usesNullable() bool {
	for _, source := range e.protocol.Tools {
		t := e.tools[source.Name.Value]
		for _, decls := range [][]*schema.Decl{t.inputs, t.plans, t.outputs} {
			for _, decl := range decls {
				for _, field := range decl.Fields {
					if field.Type.Maybe {
						return true
					}
				}
			}
		}
	}
	return false
}
