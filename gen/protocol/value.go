package protocol

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// schema reads a JSON Schema, whose root is an object unless it says otherwise.
func (r *reader) schema(to **Value) func(Text, *node) {
	return func(key Text, value *node) {
		if value.kind != mapping {
			r.wrong(key, value, "a JSON Schema, which is a mapping", fmt.Sprintf("write `%s: {properties: {path: {type: string}}, required: [path]}`", key.Value))
			return
		}
		schema := r.value(key, value)
		if schema.Member("type") == nil {
			kind := &Value{Kind: String, Literal: "object"}
			schema.Members = slices.Insert(schema.Members, 0, Member{Key: Text{Value: "type"}, Value: kind})
		}
		*to = schema
	}
}

// value reads a node as JSON.
func (r *reader) value(key Text, from *node) *Value {
	to := &Value{Span: from.span}
	switch from.kind {
	case list:
		to.Kind = Array
		item := Text{Value: key.Value}
		for _, entry := range from.items {
			item.Span = entry.span
			to.Items = append(to.Items, r.value(item, entry))
		}
	case mapping:
		to.Kind = Object
		for _, entry := range from.pairs {
			if entry.key.kind == broken {
				continue
			}
			key := Text{Value: entry.key.text, Span: entry.key.span}
			to.Members = append(to.Members, Member{Key: key, Value: r.value(key, entry.value)})
		}
	case scalar:
		r.scalarValue(to, key, from)
	case broken:
	}
	return to
}

func (r *reader) scalarValue(to *Value, key Text, from *node) {
	switch from.tag {
	case "!!null":
		if from.written() && from.text != "null" {
			r.ambiguous(from, "null", "null")
		} else if !from.written() {
			r.report(diag.Diagnostic{
				Rule: ruleKind, Message: fmt.Sprintf("%s has no value", diag.Quote(key.Value)), Span: key.Span,
				Help: "write `{}` for a schema that allows anything, or `null` where null is meant",
			})
		}
	case "!!bool":
		to.Kind, to.Literal = Bool, strings.ToLower(from.text)
		if from.text != "true" && from.text != "false" {
			r.ambiguous(from, "a boolean", to.Literal)
		}
	case "!!int", "!!float":
		if !from.plain {
			to.Kind, to.Literal = String, from.text
			return
		}
		to.Kind, to.Literal = Number, from.text
		switch {
		case isNumber(from.text):
		case looksLikeNumber(from.text):
			to.Literal = "0"
			r.uncountable(from)
		default:
			to.Literal = "0"
			r.ambiguous(from, "a number", decimal(from.text))
		}
	default:
		to.Kind, to.Literal = String, from.text
		if from.plain && looksLikeNumber(from.text) {
			r.uncountable(from)
			to.Kind, to.Literal = Number, "0"
		}
		if from.plain && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(from.text)) {
			boolean := strconv.FormatBool(strings.EqualFold(from.text, "yes") || strings.EqualFold(from.text, "on"))
			r.ambiguous(from, "a boolean", boolean)
		}
	}
}

// ambiguous refuses what some versions of YAML take for something else than
// text, and JSON knows in another form or not at all.
func (r *reader) ambiguous(from *node, what, better string) {
	d := diag.Diagnostic{
		Rule: ruleAmbiguous, Message: fmt.Sprintf("%s is %s to some readers of YAML and text to others", diag.Quote(from.text), what), Span: from.span,
		Help: fmt.Sprintf("put quotes around it if text is meant: %q", from.text),
	}
	if better != "" {
		d.Help = fmt.Sprintf("write `%s` if %s is meant, or %q if text is", better, what, from.text)
	}
	r.report(d)
}

// maxNumber is how long a number may be; it keeps exact arithmetic on it cheap.
const maxNumber = 400

// isNumber says whether a text is a number in JSON that does not overflow.
func isNumber(text string) bool {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-")) > 3 || len(text) > maxNumber {
		return false
	}
	if !looksLikeNumber(text) {
		return false
	}
	number, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(number, 0)
}

// looksLikeNumber says whether a text is a number by JSON's grammar.
func looksLikeNumber(text string) bool {
	rest := strings.TrimPrefix(text, "-")
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return false
	}
	rest = rest[whole:]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		if digits(fraction) == 0 {
			return false
		}
		rest = fraction[digits(fraction):]
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	exponent := rest[1:]
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return exponent != "" && digits(exponent) == len(exponent)
}

// digits counts those at the start of a text.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// uncountable refuses a number that programs do not agree on.
func (r *reader) uncountable(from *node) {
	r.report(diag.Diagnostic{
		Rule: ruleValue, Message: fmt.Sprintf("the number %s is too large, too small or too long to be computed with", diag.Quote(from.text)), Span: from.span,
		Help: fmt.Sprintf("write a number that 64-bit floating point holds, with at most %d characters; put quotes around it if text is meant", maxNumber),
	})
}

// decimal is a number of YAML as JSON writes it, or "" where there is no such
// thing.
func decimal(text string) string {
	if number, err := strconv.ParseInt(text, 0, 64); err == nil {
		return strconv.FormatInt(number, 10)
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return ""
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}
