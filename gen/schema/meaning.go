package schema

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// exact is the largest whole number up to which 64-bit floating point is exact.
const exact = 1 << 53

// meaning refuses what a single schema says without effect, inexactly, or
// against itself. Where a keyword of it was refused already, what is missing
// may be just that.
func (d *document) meaning(n *node) {
	d.dialect(n)
	d.formats(n)
	d.patterns(n)
	d.numbers(n)
	d.ordered(n)
	if !n.broken {
		d.applies(n)
		d.partners(n)
		d.values(n)
	}
}

func (d *document) dialect(n *node) {
	if m := n.member("$schema"); m != nil && n.parent != nil {
		d.reportf(Unsupported, m.key.Span, "remove it", "$schema stands at the root only")
	}
	if m := n.member("definitions"); m != nil && n.has("$defs") {
		d.reportf(Unsupported, m.key.Span, "move them under $defs", "definitions and $defs do not go together")
	}
}

// applies holds that a keyword's type is one the schema allows, and that the
// schema names a type wherever it describes a value of its own.
func (d *document) applies(n *node) {
	var first *member
	for _, m := range n.members {
		if m.word.applies == "" {
			continue
		}
		if first == nil {
			first = m
		}
		if len(n.types) > 0 && !n.allows(m.word.applies) {
			d.reportf(NoEffect, m.key.Span, noEffectHelp(m.key.Value, n), "%s has no effect on %s", m.key.Value, strings.Join(n.types, " or "))
		}
	}
	if first != nil && len(n.types) == 0 && n.describes() && !n.has("enum", "const", "$ref", "allOf") {
		kind := first.word.applies
		d.reportf(TypeMissing, first.key.Span, "add type: "+kind, "%s says nothing about values that are not of type %s, and the type is not given", first.key.Value, kind)
	}
}

func (n *node) allows(kind string) bool {
	return n.typed(kind) || (kind == "number" && n.typed("integer"))
}

// describes reports whether n stands where a value is described, and not where
// one is narrowed or asked about.
func (n *node) describes() bool {
	for at := n; at.parent != nil; at = at.parent {
		for _, m := range at.parent.members {
			for _, s := range m.subs {
				if s.node == at && (m.word.inPlace || m.key.Value == "contains" || m.key.Value == "propertyNames") {
					return false
				}
			}
		}
	}
	return true
}

// partners holds that a keyword that works with another has it.
func (d *document) partners(n *node) {
	for _, pair := range [][2]string{{"then", "if"}, {"else", "if"}, {"minContains", "contains"}, {"maxContains", "contains"}} {
		if m := n.member(pair[0]); m != nil && !n.has(pair[1]) {
			d.reportf(NoEffect, m.key.Span, "add "+pair[1]+", or remove it", "%s has no effect without %s", pair[0], pair[1])
		}
	}
	if m := n.member("if"); m != nil && !n.has("then", "else") {
		d.reportf(NoEffect, m.key.Span, "add then or else, or remove it", "if has no effect without then or else")
	}
}

// formats takes the two formats that the Go type enforces, and no other.
func (d *document) formats(n *node) {
	m := n.member("format")
	if m == nil {
		return
	}
	name := m.value.Literal
	if (name == "int64" && len(n.types) == 1 && n.typed("integer")) || (name == "double" && len(n.types) == 1 && n.typed("number")) {
		return
	}
	d.reportf(Format, m.value.Span, formatHelp(name),
		"format %q would be advertised and enforced by nothing", name)
}

func (d *document) patterns(n *node) {
	if m := n.member("pattern"); m != nil {
		d.pattern(m.value.Literal, m.value.Span)
	}
	for _, s := range n.subs("patternProperties") {
		d.pattern(s.name.Value, s.name.Span)
	}
}

// pattern takes what RE2 and ECMA-262 both read, and read alike.
func (d *document) pattern(text string, at diag.Span) {
	if _, err := regexp.Compile(text); err != nil {
		d.reportf(Pattern, at, patternHelp(text), "the pattern does not compile: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return
	}
	if found := regexp.MustCompile(`\(\?[a-zA-Z-]+[:)]|\(\?P<|\[\[:|^\\[AzQECa]|[^\\](?:\\\\)*\\[AzQECa]`).FindString(text); found != "" {
		d.reportf(Pattern, at, syntaxHelp(found), "%q means something else, or nothing, to clients", found)
	}
}

// numbers holds that every number of the schema is the one that is compared.
func (d *document) numbers(n *node) {
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if m := n.member(key); m != nil {
			if d.number(m.value) && n.typed("integer") {
				d.whole(m)
			}
		}
	}
	for _, key := range []string{"enum", "const"} {
		if m := n.member(key); m != nil {
			d.numbersIn(m.value)
		}
	}
	if m := n.member("multipleOf"); m != nil && d.number(m.value) {
		d.divisor(n, m)
	}
}

func (d *document) numbersIn(v *protocol.Value) {
	if v.Kind == protocol.Number {
		d.number(v)
	}
	for _, item := range v.Items {
		d.numbersIn(item)
	}
	for _, m := range v.Members {
		d.numbersIn(m.Value)
	}
}

// number holds that a number survives 64-bit floating point: a whole one
// exactly, a fraction with the digits it was written with.
func (d *document) number(v *protocol.Value) bool {
	f, err := strconv.ParseFloat(v.Literal, 64)
	if err != nil || math.IsInf(f, 0) {
		d.reportf(Number, v.Span, "write a smaller number, or take it as a string with a pattern", "%s is out of the range of 64-bit floating point", v.Literal)
		return false
	}
	written, ok := new(big.Rat).SetString(v.Literal)
	if !ok {
		d.reportf(Number, v.Span, "", "%s is not a number that can be compared", v.Literal)
		return false
	}
	if limit := new(big.Rat).SetInt64(exact); written.IsInt() && written.Abs(written).Cmp(limit) > 0 {
		d.reportf(Number, v.Span, "stay within ±9007199254740992, or take the number as a string with a pattern",
			"%s is beyond 2^53, where the validator rounds", v.Literal)
		return false
	}
	if digits := significant(v.Literal); digits > 15 {
		d.reportf(Number, v.Span, "write at most 15 digits", "%s has %d digits, more than 64-bit floating point keeps", v.Literal, digits)
		return false
	}
	return true
}

// significant counts the digits of a fraction; whole numbers are judged by
// their size.
func significant(literal string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "-"), ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return 0
	}
	return len(strings.TrimLeft(whole+fraction, "0"))
}

func (d *document) whole(m *member) {
	if f, _ := strconv.ParseFloat(m.value.Literal, 64); f != math.Trunc(f) {
		d.reportf(Number, m.value.Span, "write a whole number", "%s of an integer is a whole number", m.key.Value)
	}
}

func (d *document) divisor(n *node, m *member) {
	f, _ := strconv.ParseFloat(m.value.Literal, 64)
	switch {
	case f <= 0:
		d.reportf(Form, m.value.Span, "write a number above 0, or remove multipleOf", "multipleOf takes a number above 0")
	case f != math.Trunc(f):
		d.reportf(Number, m.value.Span, "take a whole number of smaller units (cents, not euros), or check it in the handler",
			"a fraction as divisor is computed inexactly: multipleOf: 0.01 refuses 19.99")
	case n.typed("integer") && f != 1 && (!n.has("minimum", "exclusiveMinimum") || !n.has("maximum", "exclusiveMaximum")):
		d.reportf(Number, m.value.Span, "add minimum and maximum within ±9007199254740992",
			"multipleOf is exact up to 2^53 only, and nothing keeps the integer within that")
	}
}

// ordered holds that lower bounds are not above upper ones.
func (d *document) ordered(n *node) {
	pairs := [][2]string{
		{"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}, {"minContains", "maxContains"},
		{"minimum", "maximum"}, {"exclusiveMinimum", "maximum"}, {"minimum", "exclusiveMaximum"}, {"exclusiveMinimum", "exclusiveMaximum"},
	}
	for _, pair := range pairs {
		low, high := n.member(pair[0]), n.member(pair[1])
		if low == nil || high == nil {
			continue
		}
		a, _ := strconv.ParseFloat(low.value.Literal, 64)
		b, _ := strconv.ParseFloat(high.value.Literal, 64)
		if a > b || (a == b && strings.HasPrefix(pair[0]+pair[1], "exclusive") || a == b && strings.HasPrefix(pair[1], "exclusive")) {
			d.reportf(Contradiction, high.value.Span, orderedHelp(pair, low, high, a, b), "no value satisfies %s: %s together with %s: %s", pair[0], low.value.Literal, pair[1], high.value.Literal)
			d.relate(low.value.Span, "the lower bound")
		}
	}
}

// values holds that each value of enum and const is of the schema's type, and
// listed once.
func (d *document) values(n *node) {
	seen := map[string]bool{}
	if m := n.member("enum"); m != nil {
		for _, v := range m.value.Items {
			d.value(n, "enum", v)
			if key := canonical(v); seen[key] {
				d.reportf(Contradiction, v.Span, "remove one", "enum lists this value twice")
			} else {
				seen[key] = true
			}
		}
	}
	if m := n.member("const"); m != nil {
		d.value(n, "const", m.value)
		if n.has("enum") && !seen[canonical(m.value)] {
			d.reportf(Contradiction, m.value.Span, "add it to enum, or remove enum: const says it all", "const is not one of enum")
		}
	}
}

func (d *document) value(n *node, key string, v *protocol.Value) {
	if len(n.types) == 0 || slices.ContainsFunc(n.types, func(name string) bool { return isA(v, name) }) {
		return
	}
	d.reportf(Contradiction, v.Span, valueHelp(n, key, v), "a value of %s is %s, which type does not allow", key, describe(v.Kind))
}

func isA(v *protocol.Value, name string) bool {
	switch v.Kind {
	case protocol.Null:
		return name == "null"
	case protocol.Bool:
		return name == "boolean"
	case protocol.Number:
		f, err := strconv.ParseFloat(v.Literal, 64)
		return name == "number" || (name == "integer" && err == nil && f == math.Trunc(f))
	case protocol.String:
		return name == "string"
	case protocol.Array:
		return name == "array"
	default:
		return name == "object"
	}
}

// canonical is equal for equal values, and for no others: strings are quoted.
func canonical(v *protocol.Value) string {
	switch v.Kind {
	case protocol.Number:
		if r, ok := new(big.Rat).SetString(v.Literal); ok {
			return r.RatString()
		}
		return v.Literal
	case protocol.Array:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			parts[i] = canonical(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case protocol.Object:
		parts := make([]string, len(v.Members))
		for i, m := range v.Members {
			parts[i] = strconv.Quote(m.Key.Value) + ":" + canonical(m.Value)
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case protocol.String:
		return strconv.Quote(v.Literal)
	case protocol.Null:
		return "null"
	default:
		return v.Literal
	}
}

// required holds that a closed object declares what it requires.
func (d *document) required(n *node) {
	closed := n.close == additional
	if extra := n.sub("additionalProperties"); extra != nil && extra.boolean != nil && !*extra.boolean {
		closed = true
	}
	if !closed || n.has("patternProperties") {
		return
	}
	known := map[string]bool{}
	for _, s := range n.subs("properties") {
		known[s.name.Value] = true
	}
	for _, name := range n.strings("required") {
		if !known[name.Value] {
			d.reportf(Contradiction, name.Span, requiredHelp(name.Value, known), "%q is required, but is no property of this closed object, so nothing satisfies it", name.Value)
		}
	}
	if m := n.member("minProperties"); m != nil {
		if least, _ := strconv.Atoi(m.value.Literal); least > len(known) {
			d.reportf(Contradiction, m.value.Span, "write a smaller number, or list what is needed under required", "minProperties asks for %d properties of a closed object that declares %d", least, len(known))
		}
	}
}
