package protocol

import (
	"fmt"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/gatewright/gatewright/gen/diag"
)

type nodeKind uint8

const (
	broken nodeKind = iota // reported already; whoever meets it says no more
	scalar
	list
	mapping
)

// A node is a part of the document, with its span.
type node struct {
	kind  nodeKind
	tag   string // of a scalar: !!str, !!int, !!float, !!bool, !!null, …
	plain bool   // a scalar without quotes
	text  string
	span  diag.Span
	items []*node
	pairs []pair
}

type pair struct{ key, value *node }

// written says whether there is anything in the file: the value of `key:` is
// not.
func (n *node) written() bool {
	return n.kind != scalar || n.tag != "!!null" || n.text != ""
}

// convert turns a node of the library into one of ours and reports what no
// protocol may hold, wherever it stands.
func (r *reader) convert(from *yaml.Node, depth int) *node {
	to := &node{span: r.begin(from)}
	if depth > maxDepth {
		r.report(diag.Diagnostic{
			Rule: ruleSize, Message: fmt.Sprintf("values are nested more than %d deep", maxDepth), Span: r.token(from.Line, from.Column),
		})
		return r.end(to, from)
	}
	r.anchor(from)
	r.tag(from)
	switch from.Kind {
	case yaml.DocumentNode: // a document cannot stand inside one
	case yaml.AliasNode:
		r.alias(from)
	case yaml.ScalarNode:
		to.kind, to.tag, to.text = scalar, from.Tag, from.Value
		to.plain = from.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		if from.Style&yaml.TaggedStyle != 0 {
			to.kind = broken
		}
	case yaml.SequenceNode:
		to.kind = list
		for _, item := range from.Content {
			to.items = append(to.items, r.convert(item, depth+1))
		}
	case yaml.MappingNode:
		to.kind = mapping
		r.pairs(to, from, depth)
	}
	return r.end(to, from)
}

// pairs converts a mapping's entries; of a key that is there twice the first
// stays.
func (r *reader) pairs(to *node, from *yaml.Node, depth int) {
	seen := make(map[string]*node, len(from.Content)/2)
	for i := 0; i+1 < len(from.Content); i += 2 {
		key := r.convert(from.Content[i], depth+1)
		value := r.convert(from.Content[i+1], depth+1)
		last := pair{key, value}
		switch {
		case key.kind == broken:
		case key.kind != scalar || !key.written() || key.tag == "!!null":
			span := key.span
			if key.kind == scalar && !key.written() {
				span = r.token(from.Content[i+1].Line, from.Content[i+1].Column)
			}
			r.report(diag.Diagnostic{Rule: ruleKind, Message: "a key has to be text", Span: span})
			key.kind = broken
		case key.tag == "!!merge":
			r.report(diag.Diagnostic{
				Rule: ruleAlias, Message: "merge keys are not part of the protocol format", Span: key.span,
				Notes: []string{"what a mode may do has to stand where the mode is declared"},
				Help:  "write the merged entries out",
			})
			key.kind = broken
		case seen[key.text] != nil:
			r.report(diag.Diagnostic{
				Rule: ruleDuplicate, Message: fmt.Sprintf("the key %s is there twice", diag.Quote(key.text)), Span: key.span,
				Label:   "again here",
				Related: []diag.Related{{Span: seen[key.text].span, Message: "first here"}},
				Notes:   []string{"readers of YAML disagree on which of the two counts"},
				Help:    "remove one of them",
			})
			key.kind = broken
		default:
			seen[key.text] = key
		}
		to.pairs = append(to.pairs, last)
	}
}

func (r *reader) anchor(from *yaml.Node) {
	if from.Anchor == "" || from.Kind == yaml.AliasNode {
		return
	}
	at := r.source.Offset(from.Line, from.Column)
	for at < len(r.text) && r.text[at] != '&' {
		at++
	}
	span := r.span(at, min(at+1+len(from.Anchor), len(r.text)), from.Line)
	r.report(diag.Diagnostic{
		Rule: ruleAlias, Message: fmt.Sprintf("the anchor %s is not part of the protocol format", diag.Quote("&"+from.Anchor)), Span: span,
		Notes: []string{"what a mode may do has to stand where the mode is declared"},
		Help:  "remove it, and write the value out wherever it was repeated",
	})
}

func (r *reader) alias(from *yaml.Node) {
	at := r.source.Offset(from.Line, from.Column)
	r.report(diag.Diagnostic{
		Rule: ruleAlias, Message: fmt.Sprintf("the alias %s is not part of the protocol format", diag.Quote("*"+from.Value)),
		Span:  r.span(at, min(at+1+len(from.Value), len(r.text)), from.Line),
		Notes: []string{"what a mode may do has to stand where the mode is declared"},
		Help:  "write the value out",
	})
}

func (r *reader) tag(from *yaml.Node) {
	if from.Style&yaml.TaggedStyle == 0 {
		return
	}
	at := r.source.Offset(from.Line, from.Column)
	for at < len(r.text) && r.text[at] != '!' {
		at++
	}
	r.report(diag.Diagnostic{
		Rule: ruleTag, Message: fmt.Sprintf("the tag %s is not part of the protocol format", diag.Quote(from.Tag)),
		Span: r.span(at, r.wordEnd(at), from.Line),
		Help: "remove it; put quotes around what has to be text",
	})
}

func runes(text []byte) int { return utf8.RuneCount(text) }
