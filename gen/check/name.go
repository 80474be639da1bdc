package check

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// names holds that declared names stay apart in clients and in Go.
func (c *checker) names() {
	c.protocolName()
	tools, modes := make([]protocol.Text, 0, len(c.p.Tools)), make([]protocol.Text, 0, len(c.p.Modes))
	for _, tool := range c.p.Tools {
		tools = append(tools, tool.Name)
		c.toolName(tool)
		c.handlerName(tool)
	}
	for _, mode := range c.p.Modes {
		modes = append(modes, mode.Name)
	}
	c.apart("tools", tools)
	c.phaseNames()
	c.apart("modes", modes)
	c.permits()
	if deps := c.p.Go.Deps; !deps.IsZero() && !exported(deps.Value) {
		c.goName(deps, "`deps`", "Deps")
	}
}

func (c *checker) reserved(name protocol.Text, what, why string) {
	c.report(diag.Diagnostic{
		Rule: "name-reserved", Span: name.Span,
		Message: fmt.Sprintf("%s cannot be the name of %s", diag.Quote(name.Value), what),
		Notes:   []string{why},
		Help:    fmt.Sprintf("choose another name, such as `%s_it` or `my_%s`", diag.Visible(name.Value), diag.Visible(name.Value)),
	})
}

// folders that the go command, or a generated tree, has another use for.
func folders() []string { return []string{"internal", "main", "vendor", "testdata", "test", "cmd"} }

func (c *checker) protocolName() {
	name := c.p.ID
	switch {
	case token.IsKeyword(name.Value), slices.Contains(predeclared(), name.Value):
		c.reserved(name, "a protocol", "it names a Go package, and Go itself has this word")
	case slices.Contains(folders(), name.Value), strings.HasSuffix(name.Value, "_test"):
		c.reserved(name, "a protocol", "it names a Go package, and the go command has another use for this name")
	case slices.Contains(standard(), name.Value):
		c.reserved(name, "a protocol", "it names a Go package, and handlers need the one of this name too")
	}
}

func (c *checker) toolName(tool *protocol.Tool) {
	if name := tool.Name; name.Value == "dispatch" {
		c.reserved(name, "a tool", "servers have a tool of that name, which changes the mode")
	}
}

// apart holds that names differ after clients have mangled them, and after
// they have become Go identifiers.
func (c *checker) apart(what string, names []protocol.Text) {
	folded, camel := make(map[string]protocol.Text, len(names)), make(map[string]protocol.Text, len(names))
	for _, name := range names {
		fold, identifier := protocol.Fold(name.Value), protocol.GoName(name.Value)
		if other, ok := folded[fold]; ok {
			c.collide(name, other, what, "some clients turn capitals and everything but letters and digits into something else")
		} else if other, ok := camel[identifier]; ok {
			c.collide(name, other, what, fmt.Sprintf("both become %s in Go", diag.Quote(identifier)))
		}
		if _, ok := folded[fold]; !ok {
			folded[fold] = name
		}
		if _, ok := camel[identifier]; !ok {
			camel[identifier] = name
		}
	}
}

func (c *checker) collide(name, other protocol.Text, what, why string) {
	c.report(diag.Diagnostic{
		Rule: "name-collision", Span: name.Span,
		Message: fmt.Sprintf("the %s %s and %s cannot be told apart", what, diag.Quote(other.Value), diag.Quote(name.Value)),
		Related: []diag.Related{{Span: other.Span, Message: "the other one"}},
		Notes:   []string{why},
		Help:    "choose another name for one of them",
	})
}

// permits holds that the permits of tools can be named. Those of edit are Edit,
// ForEdit and NewEdit; where one of them is taken, EditTool, ForEditTool and
// NewEditTool.
func (c *checker) permits() {
	owners := map[string]*protocol.Tool{"Admitted": nil, "Reads": nil, "Writes": nil, "Key": nil, "Open": nil, "Use": nil, "Guard": nil, "Protocol": nil, "Foreign": nil}
	owner := func(name string) (*protocol.Tool, bool) {
		for _, made := range []string{name, "For" + name, "New" + name} {
			if tool, taken := owners[made]; taken {
				return tool, true
			}
		}
		return nil, false
	}
	for _, tool := range c.p.Tools {
		for _, served := range tool.Served() {
			name := protocol.GoName(served)
			if _, taken := owner(name); taken {
				name += "Tool"
			}
			if other, taken := owner(name); taken {
				if other != nil && other != tool && !c.alike(tool, other) {
					c.collide(tool.Name, other.Name, "tools", fmt.Sprintf("both want permits called %s", diag.Quote(name)))
				}
				continue
			}
			for _, made := range []string{name, "For" + name, "New" + name} {
				owners[made] = tool
			}
		}
	}
}

func (c *checker) handlerName(tool *protocol.Tool) {
	name := protocol.GoName(protocol.Fold(tool.Name.Value))
	if tool.Phases == nil {
		c.function(tool.Run, "`run`", name)
		return
	}
	c.function(tool.Phases.Preview, "`preview`", name+"Preview")
	c.function(tool.Run, "`commit`", name+"Commit")
}

// function holds that a handler has a name that generated code can refer to.
func (c *checker) function(run protocol.Text, key, better string) {
	deps := c.p.Go.Deps.Value
	switch {
	case run.Span.IsZero():
	case !exported(run.Value):
		c.goName(run, key, better)
	case deps != "" && (run.Value == deps || run.Value == "OpenDeps"):
		c.report(diag.Diagnostic{
			Rule: "name-go", Span: run.Span,
			Message: fmt.Sprintf("%s cannot be a handler: `deps` has that name", diag.Quote(run.Value)),
			Related: []diag.Related{{Span: c.p.Go.Deps.Span, Message: "taken here"}},
			Help:    "choose another name for the function",
		})
	}
}

func (c *checker) goName(name protocol.Text, key, better string) {
	d := diag.Diagnostic{
		Rule: "name-go", Span: name.Span,
		Message: fmt.Sprintf("%s is no exported Go name", diag.Quote(name.Value)),
		Notes:   []string{fmt.Sprintf("%s names a declaration in the package of the handlers: a capital letter, then letters, digits and underscores", key)},
		Help:    fmt.Sprintf("write something like `%s`, without a package and without parentheses", better),
	}
	if before, _, comment := strings.Cut(name.Value, "#"); comment && exported(before) {
		d.Help = fmt.Sprintf("write `%s #…`: a comment begins with a blank and `#`", before)
	} else if meant := meantGo(name.Value); meant != "" {
		d.Help = fmt.Sprintf("write `%s`", meant)
	}
	c.report(d)
}

// meantGo is the exported name that a text most likely stands for, or "".
func meantGo(text string) string {
	text = strings.TrimSuffix(text, "()")
	if before, after, qualified := strings.Cut(text, "."); qualified && exported(after) && before != "" {
		return after
	}
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !exported(text) {
		return ""
	}
	return text
}

func exported(name string) bool {
	return len(name) <= 100 && regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`).MatchString(name)
}

// predeclared are the identifiers of Go's universe.
func predeclared() []string {
	return []string{
		"any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64", "complex128", "copy", "delete",
		"error", "false", "float32", "float64", "imag", "init", "int", "int8", "int16", "int32", "int64", "iota", "len", "make", "max", "min",
		"new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true", "uint", "uint8", "uint16", "uint32",
		"uint64", "uintptr",
	}
}

// standard are the packages of the standard library with a name of one part,
// and those of gatewright that handlers and generated code import.
func standard() []string {
	return []string{
		"bufio", "bytes", "cmp", "context", "crypto", "embed", "encoding", "errors", "expvar", "flag", "fmt", "hash", "html", "image", "io",
		"iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv",
		"strings", "structs", "sync", "syscall", "testing", "time", "unicode", "unique", "unsafe", "weak",
		"gate", "server", "permit", "handlers",
	}
}
