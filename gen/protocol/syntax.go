package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/gatewright/gatewright/gen/diag"
)

// searchBytes is how large a file may be for the line of a mistake to be
// searched; the YAML library names the place where it began to be confused,
// which can be far above.
const searchBytes = 512 << 10

// parse reads the one document of the file into nodes with spans.
func (r *reader) parse() *node {
	decoder := yaml.NewDecoder(bytes.NewReader(r.text))
	document, err := decode(decoder)
	switch {
	case errors.Is(err, io.EOF) || err == nil && empty(document):
		r.report(diag.Diagnostic{
			Rule: ruleSyntax, Message: "the file holds no protocol",
			Span: diag.Span{File: r.file, Line: 1, Column: 1, EndLine: 1, EndColumn: 1},
			Help: "a protocol starts like this:\nprotocol_id: my_protocol\ninitial_mode: plan\ntools: {list: {effect: read}}\nmodes: {plan: {tools: [list]}}",
		})
		return nil
	case err != nil:
		r.syntax(err)
		return nil
	}
	second, err := decode(decoder)
	switch {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.syntax(err)
	default:
		span := r.token(second.Line, second.Column)
		r.report(diag.Diagnostic{
			Rule: ruleDocuments, Message: "a second document starts here", Span: span,
			Notes: []string{"a protocol is one document; YAML readers would ignore the others in silence"},
			Help:  "remove the line, or put the second protocol into a file of its own",
		})
	}
	return r.convert(document.Content[0], 0)
}

func empty(document *yaml.Node) bool {
	return len(document.Content) == 0 ||
		document.Content[0].Kind == yaml.ScalarNode && document.Content[0].Tag == "!!null" && document.Content[0].Value == ""
}

// decode reads the next document. The library panics on some input; that is an
// error like any other.
func decode(decoder *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("yaml: %v", trouble)
		}
	}()
	document = new(yaml.Node)
	return document, decoder.Decode(document)
}

// A mistake is one way not to be YAML, in better words than the library's.
type mistake struct {
	says    string // part of what the library says
	message string
	help    string
	find    func(line []byte) int // the byte in the line that is to blame, or -1
}

func mistakes() []mistake {
	return []mistake{
		{"found character that cannot start any token", "text cannot start with this character", "put quotes around the text", func(line []byte) int { return bytes.IndexAny(line, "@`%") }},
		{"found a tab character", "a tab cannot indent", "indent with blanks (spaces) alone, as many as its neighbours have", func(line []byte) int { return bytes.IndexByte(line, '\t') }},
		{"mapping values are not allowed in this context", "a `:` where no key can stand", "start a new line for the key and indent it as its neighbours; put quotes around text that holds a colon and a blank", secondColon},
		{"did not find expected key", "this line is no part of the mapping above it", "give it the same indentation as its neighbours, or close the quote or bracket above it", nil},
		{"did not find expected '-' indicator", "this line is no part of the list above it", "start it with `- `, or indent it as the key that the list belongs to", nil},
		{"did not find expected ',' or ']'", "a list opened with `[` is not closed", "put a comma between its items and `]` at its end", lastOf("[")},
		{"did not find expected ',' or '}'", "a mapping opened with `{` is not closed", "put a comma between its entries and `}` at its end", lastOf("{")},
		{"could not find expected ':'", "a key without a `:`", "write `key: value`, with a blank behind the colon", nil},
		{"found unexpected end of stream", "a quote is opened and never closed", "put the same quote behind the text", lastOf(`"'`)},
		{"block sequence entries are not allowed in this context", "a list item where none can stand", "start the list on a line of its own", nil},
		{"found unknown escape character", "an escape that YAML does not know", "write \\\\ for a backslash, or use single quotes", lastOf(`\`)},
		{"exceeded max depth", "the file nests too deeply", "", nil},
		{"unknown anchor", "an alias of an anchor that is not there", "write the value out, since protocols have no aliases; put quotes around it if it is text", lastOf("*")},
		{"did not find expected alphabetic or numeric character", "text cannot start with `*` or `&`", "put quotes around the text", func(line []byte) int { return bytes.IndexAny(line, "*&") }},
		{"did not find expected node content", "a value is missing here", "", nil},
	}
}

// syntax reports the first place where the file stops being YAML. Where a bad
// character has been reported, that is the cause.
func (r *reader) syntax(err error) {
	if len(r.bad) > 0 {
		return
	}
	said, number := split(err)
	number = r.search(err, number)
	d := diag.Diagnostic{Rule: ruleSyntax, Message: "this is not YAML: " + diag.Visible(said)}
	line := r.source.Line(number)
	if before := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.ContainsRune(before, '\t') {
		said = "found a tab character"
	}
	find := func([]byte) int { return -1 }
	for _, known := range mistakes() {
		if strings.Contains(said, known.says) {
			d.Message, d.Help = known.message, known.help
			if known.find != nil {
				find = known.find
			}
			break
		}
	}
	if strings.Contains(said, "unknown anchor") {
		d.Rule = ruleAlias
	} else if strings.Contains(said, "exceeded max depth") {
		d.Rule = ruleSize
	}
	d.Span = r.lineSpan(number, find(line))
	if d.Rule == ruleAlias {
		d.Span = r.token(d.Span.Line, d.Span.Column)
	}
	if d.Rule == ruleSyntax && !r.foreign(&d, number) {
		r.explain(&d, said, number)
		r.sharpen(&d, number)
	}
	r.report(d)
}

// split takes the line out of what the library says.
func split(err error) (said string, line int) {
	said = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, scanErr := fmt.Sscanf(said, "line %d:", &line); scanErr == nil && n == 1 {
		_, said, _ = strings.Cut(said, ": ")
	}
	return said, max(line, 1)
}

// search finds the first line whose presence brings the error about.
func (r *reader) search(err error, reported int) int {
	if len(r.text) > searchBytes {
		return min(reported, r.source.Lines())
	}
	want := err.Error()
	lines := sort.Search(r.source.Lines(), func(n int) bool {
		decoder := yaml.NewDecoder(bytes.NewReader(r.text[:r.source.Offset(n+1, 1<<30)]))
		for {
			if _, err := decode(decoder); err != nil {
				return err.Error() == want
			}
		}
	})
	return min(lines+1, r.source.Lines())
}

// lineSpan covers a line from the byte given, or its text, to its end.
func (r *reader) lineSpan(number, at int) diag.Span {
	line := r.source.Line(number)
	end := len(bytes.TrimRight(line, " \t"))
	stop := end
	if at < 0 || at >= len(line) {
		at = len(line) - len(bytes.TrimLeft(line, " \t"))
		at = min(at, end)
	} else {
		stop = at + 1
	}
	return diag.Span{
		File: r.file, Line: number, Column: runes(line[:at]) + 1, EndLine: number, EndColumn: runes(line[:stop]) + 1,
	}
}

func secondColon(line []byte) int {
	first := bytes.Index(line, []byte(": "))
	if first < 0 {
		return bytes.LastIndexByte(line, ':')
	}
	if next := bytes.IndexByte(line[first+1:], ':'); next >= 0 {
		return first + 1 + next
	}
	return first
}

func lastOf(chars string) func(line []byte) int {
	return func(line []byte) int { return bytes.LastIndexAny(line, chars) }
}
