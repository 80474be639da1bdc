package protocol

import (
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// misplaced takes modes that stand among the tools, being indented as they are,
// to the place where they were meant to be.
func (r *reader) misplaced(root *node) {
	var tools *node
	for _, entry := range root.pairs {
		switch {
		case entry.key.text == "modes":
			return
		case entry.key.text == "tools" && entry.value.kind == mapping:
			tools = entry.value
		}
	}
	if tools == nil {
		return
	}
	at := slices.IndexFunc(tools.pairs, func(entry pair) bool { return entry.key.text == "modes" && entry.value.kind == mapping })
	if at < 0 || stray(tools.pairs[at].value, []string{"description", "effect", "input", "plan", "output", "record", "approval", "run", "waive"}) {
		return
	}
	modes := tools.pairs[at]
	r.report(diag.Diagnostic{
		Rule: ruleUnknown, Message: "`modes` stands among the tools", Span: modes.key.span,
		Help: "indent it, and what is under it, as `tools` is: the key starts its line",
	})
	tools.pairs = slices.Delete(slices.Clone(tools.pairs), at, at+1)
	root.pairs = append(slices.Clip(root.pairs), modes)
}

// meantEffect is the effect that a word most likely stands for, or "".
func (r *reader) meantEffect(word string) Effect {
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word)) {
	case "read", "reads", "readonly", "ro", "r", "get", "query", "safe":
		return Read
	case "write", "writes", "writing", "readwrite", "rw", "w", "mutate", "destructive":
		return Write
	}
	meant, _ := r.suggester.Closest(strings.ToLower(word), []string{string(Read), string(Write)})
	return Effect(meant)
}
