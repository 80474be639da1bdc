package emit

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/gatewright/gatewright/gen/protocol"
)

// policy is who has to consent to calls of a tool, as the runtime takes it.
func (e *emitter) policy(a *protocol.Approval) jen.Code {
	approval := e.names.runtimePath("approval")
	sources := make([]jen.Code, 0, len(a.By))
	for _, source := range a.By {
		sources = append(sources, e.source(source))
	}
	hold := jen.Lit(-1) // to the runtime, 0 is its default
	if a.Hold > 0 {
		hold = duration(a.Hold)
	}
	fields := []jen.Code{
		field("By", jen.Index().Qual(approval, "Source").Add(rows(sources...))),
		field("TTL", duration(a.TTL)),
		field("Hold", hold),
	}
	if text := a.Reason.Value; text != "" {
		fields = append(fields, field("Reason", jen.Lit(text)))
	}
	if text := a.Show.Value; text != "" {
		fields = append(fields, field("Show", jen.Lit(text)))
	}
	return amp().Qual(approval, "Policy").Add(rows(fields...))
}

func (e *emitter) source(s protocol.Source) jen.Code {
	approval := e.names.runtimePath("approval")
	switch s.Provider {
	case protocol.Queue:
		return row(field("Provider", jen.Qual(approval, "QueueProvider")))
	case protocol.Elicit:
		return row(field("Provider", jen.Qual(approval, "ElicitProvider")))
	}
	fields := []jen.Code{
		field("Provider", jen.Qual(approval, "CommandProvider")),
		field("Command", literals(s.Command)),
	}
	if len(s.Env) > 0 {
		fields = append(fields, field("Env", literals(s.Env)))
	}
	return row(append(fields, field("Timeout", duration(s.Timeout)))...)
}

// literals is a list of texts.
func literals(texts []protocol.Text) *jen.Statement {
	items := make([]jen.Code, 0, len(texts))
	for _, text := range texts {
		items = append(items, jen.Lit(text.Value))
	}
	return jen.Index().String().Add(row(items...))
}

// duration is a duration of whole milliseconds in the largest unit that divides
// it.
func duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}} {
		switch {
		case d == unit.length:
			return jen.Qual("time", unit.name)
		case d%unit.length == 0:
			return jen.Lit(int(d/unit.length)).Add(star()).Qual("time", unit.name)
		}
	}
	return jen.Lit(int(d.Milliseconds())).Add(star()).Qual("time", "Millisecond")
}

// asks reports whether a mode holds a tool that somebody has to consent to.
func (e *emitter) asks(m *protocol.Mode) bool {
	for _, name := range m.Tools {
		if e.tools[name.Value].Approval != nil {
			return true
		}
	}
	return false
}
