package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// shape is the one type that permits are made of. Its field is unexported, so
// no other package can name an identical type.
func (e *emitter) shape() *jen.Statement {
	return jen.Struct(jen.Id("grant").Add(star()).Qual(e.names.runtimePath("gate"), "Grant"))
}

// grantOf converts a permit to its shape. The compiler refuses that for a type
// parameter whose type set is empty, which would satisfy any constraint.
func (e *emitter) grantOf() *jen.Statement {
	return jen.Parens(e.shape()).Call(jen.Id("permit")).Dot("grant")
}

// generatePermits emits what all permits of the protocol share.
func (e *emitter) generatePermits() error {
	n := e.names
	gate := n.runtimePath("gate")
	f := e.file(n.permitPath(), "permit", "Package permit holds the permits of the protocol "+n.id+". Nothing outside generated/"+n.id+" can import it,\nso nobody else can name a permit, and no exported API mentions one.")

	f.Add(comment("Admitted is the shape of a permit. The ~ keeps type inference from finding a permit by it; the\nunexported field keeps others from writing an identical type."))
	f.Type().Id("Admitted").Interface(tilde().Add(e.shape()))
	f.Line()
	f.Add(comment("Reads is held by every permit."))
	f.Type().Id("Reads").Interface(jen.Id("Admitted"), jen.Id("reads").Params())
	f.Line()
	f.Add(comment("Writes is held by the permits of tools whose effect is write."))
	f.Type().Id("Writes").Interface(jen.Id("Reads"), jen.Id("writes").Params())
	f.Line()
	f.Var().Id("key").Add(assign()).Qual(gate, "NewKey").Call(jen.Lit(n.id))
	f.Line()
	f.Add(comment("Key stands for this protocol. Grants and guarded clients of other keys are refused."))
	f.Func().Id("Key").Params().Add(star()).Qual(gate, "Key").Block(jen.Return(jen.Id("key")))
	f.Line()
	f.Add(comment("Open returns the running call behind a permit."))
	f.Func().Id("Open").Types(jen.Id("P").Id("Admitted")).Params(jen.Id("permit").Id("P")).
		Params(star().Qual(gate, "Call"), jen.Error()).
		Block(jen.Return(jen.Qual(gate, "Open").Call(jen.Id("key"), e.grantOf())))
	f.Line()
	f.Add(comment("Use opens a guarded client for the running call behind a permit."))
	f.Func().Id("Use").Types(jen.Id("P").Id("Admitted"), jen.Id("C").Any()).
		Params(jen.Id("permit").Id("P"), jen.Id("client").Qual(gate, "Guarded").Types(jen.Id("C"))).
		Params(jen.Id("C"), jen.Error()).
		Block(jen.Return(jen.Qual(gate, "Use").Call(jen.Id("key"), e.grantOf(), jen.Id("client"))))
	f.Line()
	f.Add(comment("Guard puts a client behind this protocol."))
	f.Func().Id("Guard").Types(jen.Id("C").Any()).
		Params(jen.Id("open").Func().Params(star().Qual(gate, "Call")).Params(jen.Id("C"), jen.Error())).
		Qual(gate, "Guarded").Types(jen.Id("C")).
		Block(jen.Return(jen.Qual(gate, "Guard").Call(jen.Id("key"), jen.Id("open"))))
	for _, o := range e.every() {
		f.cut()
		e.generatePermit(f, o)
	}
	return e.save("internal/permit/permit.go", f)
}

// generateText emits the protocol itself, and where its tools are, once for all
// modes.
func (e *emitter) generateText() error {
	f := e.file(e.names.permitPath(), "permit", "")
	f.Add(comment("Protocol is the protocol " + e.names.id + " in canonical form. Its SHA-256 is the digest of the protocol; a server keeps it\nin the state folder, so that a person can be shown what another protocol changes."))
	f.Func().Id("Protocol").Params().String().Block(jen.Return(jen.Lit(string(e.canonical))))
	f.cut()
	e.generateForeign(f)
	return e.save("internal/permit/protocol.go", f)
}

// generateForeign emits which modes hold each tool, in the order of the
// protocol, so that a server can say where a tool is that it does not have.
func (e *emitter) generateForeign(f *source) {
	holders := map[string][]jen.Code{}
	for _, m := range e.protocol.Modes {
		for _, name := range m.Tools {
			holders[name.Value] = append(holders[name.Value], jen.Lit(m.Name.Value))
		}
	}
	var all []jen.Code
	for _, source := range e.protocol.Tools {
		name := source.Name.Value
		if len(holders[name]) == 0 {
			continue
		}
		for _, o := range e.tools[name].operations {
			fields := []jen.Code{field("Name", jen.Lit(o.name))}
			if o.tool.exclusive {
				fields = append(fields, field("Exclusive", jen.True()))
			}
			all = append(all, row(append(fields, field("Modes", jen.Index().String().Add(row(holders[name]...))))...))
		}
	}
	foreign := jen.Qual(e.names.runtimePath("gate"), "Foreign")
	f.Add(comment("Foreign returns the tools that a mode does not hold and others do."))
	f.Func().Id("Foreign").Params(jen.Id("mode").String()).Index().Add(foreign).Block(
		jen.Return(jen.Qual("slices", "DeleteFunc").Call(jen.Index().Add(foreign).Add(rows(all...)), jen.Func().Params(jen.Id("tool").Add(foreign)).Bool().Block(
			jen.Return(jen.Qual("slices", "Contains").Call(jen.Id("tool").Dot("Modes"), jen.Id("mode"))),
		))),
	)
}

// generatePermit emits the permit of one operation: its constraint, its type,
// its marks and what makes it.
func (e *emitter) generatePermit(f *source, o *operation) {
	base := "Reads"
	if o.effect() != protocol.Read {
		base = "Writes"
	}
	grant := jen.Id("grant").Add(star()).Qual(e.names.runtimePath("gate"), "Grant")
	sealed := jen.Id(o.names.sealed)
	f.Add(comment(o.names.sealed + " is the permit of the tool " + o.name + ". It alone satisfies " + o.names.only + "."))
	f.Type().Add(sealed).Add(oneLine("struct", grant))
	f.Type().Id(o.names.only).Interface(jen.Id(base), jen.Id(o.names.mark).Params())
	f.Line()
	f.Func().Params(sealed).Id("reads").Params().Block()
	if base == "Writes" {
		f.Func().Params(sealed).Id("writes").Params().Block()
	}
	f.Func().Params(sealed).Id(o.names.mark).Params().Block()
	f.Line()
	f.Func().Id(o.names.make).Params(grant).Add(sealed).
		Add(sole(jen.Return(jen.Add(sealed).Values(jen.Dict{jen.Id("grant"): jen.Id("grant")}))))
}
