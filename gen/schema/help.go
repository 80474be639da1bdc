package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

// This file holds what to do about a finding, in a form to paste where there
// is one.

// relate adds a place to the finding reported last.
func (d *document) relate(at diag.Span, message string) {
	last := &d.diags[len(d.diags)-1]
	last.Related = append(last.Related, diag.Related{Span: at, Message: message})
}

// otherTypes are the names that other languages have for a type.
func otherTypes() map[string]string {
	types := map[string]string{}
	for _, row := range []string{
		"string: str text char varchar uuid date datetime date-time timestamp time uri url email bytes binary",
		"integer: int int32 int64 uint uint32 uint64 long short byte bigint", "number: float float32 float64 double decimal real numeric",
		"boolean: bool bit flag", "array: list slice tuple set sequence", "object: dict map mapping struct hash record", "null: nil none void undefined",
	} {
		name, others, _ := strings.Cut(row, ": ")
		for other := range strings.FieldsSeq(others) {
			types[other] = name
		}
	}
	return types
}

// meantType is the type that a word most likely stands for, or "".
func meantType(word string) string {
	lower := strings.ToLower(word)
	if meant := otherTypes()[lower]; meant != "" {
		return meant
	}
	known := map[string]bool{}
	for _, name := range typeNames() {
		known[name] = true
	}
	return nearest(lower, known)
}

func typeHelp(word string) string {
	switch meant := meantType(word); {
	case meant != "":
		return fmt.Sprintf("write type: %s; the types are %s", meant, strings.Join(typeNames(), ", "))
	case strings.EqualFold(word, "any"):
		return "leave type out: {} takes any value"
	case strings.EqualFold(word, "enum"):
		return "write type: string, and the values under enum"
	case strings.EqualFold(word, "file"):
		return "take a path, with type: string"
	}
	return "the types are " + strings.Join(typeNames(), ", ")
}

// schemaHelp is about a value that stands where a schema belongs.
func schemaHelp(v *protocol.Value) string {
	switch {
	case v.Kind == protocol.String && (v.Literal == "true" || v.Literal == "false"):
		return "write " + v.Literal + ", without quotes"
	case v.Kind == protocol.String && typeName(v.Literal):
		return "write {type: " + v.Literal + "}"
	case v.Kind == protocol.String && meantType(v.Literal) != "":
		return "write {type: " + meantType(v.Literal) + "}"
	case v.Kind == protocol.Null:
		return "write {} for any value"
	}
	return "write {type: string}, or another type"
}

// formHelp is about the value of a keyword that is of the wrong kind.
func formHelp(key string, want form, v *protocol.Value) string {
	write := func(value string) string { return "write " + key + ": " + value }
	switch {
	case want == formNumber || want == formCount:
		if _, err := strconv.ParseFloat(v.Literal, 64); v.Kind == protocol.String && err == nil {
			return write(v.Literal) + ", without quotes"
		}
		return "write a number without quotes"
	case want == formBool && v.Kind == protocol.String && (v.Literal == "true" || v.Literal == "false"):
		return write(v.Literal) + ", without quotes"
	case want == formBool:
		return write("true") + " or leave it out"
	case want == formText && (v.Kind == protocol.Number || v.Kind == protocol.Bool):
		return write(yamlText(v.Literal))
	case want == formNames && v.Kind == protocol.String && len(strings.FieldsFunc(v.Literal, comma)) > 0:
		return write("[" + diag.Visible(strings.Join(strings.FieldsFunc(v.Literal, comma), ", ")) + "]")
	case want == formNames:
		return write("[name]")
	case want == formValues && (v.Kind == protocol.String || v.Kind == protocol.Number || v.Kind == protocol.Bool):
		return write("[" + yamlValue(v) + "]")
	case want == formValues:
		return "write a list: [one, two]"
	case want == formSchemas && v.Kind == protocol.Object:
		return "write a list: put - in front of the schema"
	case want == formSchemaMap && v.Kind == protocol.Array:
		return schemaMapHelp(key, v)
	case want == formSchemaMap:
		return write("{name: {type: string}}")
	}
	return ""
}

// schemaMapHelp is about a list of properties in place of a mapping.
func schemaMapHelp(key string, v *protocol.Value) string {
	for _, item := range v.Items {
		switch {
		case item.Kind == protocol.Object && item.Member("name") != nil:
			name := yamlKey(item.Member("name").Literal)
			return fmt.Sprintf("write each name as a key: %s: in place of - name: %s", name, name)
		case item.Kind == protocol.Object && len(item.Members) == 1:
			name := yamlKey(item.Members[0].Key.Value)
			return fmt.Sprintf("leave the dashes out: %s: in place of - %s:", name, name)
		case item.Kind == protocol.String:
			return fmt.Sprintf("write a mapping: %s: {%s: {type: string}}", key, yamlKey(item.Literal))
		}
	}
	return fmt.Sprintf("write a mapping: %s: {name: {type: string}}", key)
}

func comma(char rune) bool { return char == ',' || char == ' ' }

func countHelp(m *member, negative bool) string {
	if negative && strings.HasPrefix(m.key.Value, "min") {
		return "write " + m.key.Value + ": 0, or remove it"
	}
	return "write a whole number from 0 on, such as " + m.key.Value + ": 10"
}

func nameHelp(item *protocol.Value) string {
	if item.Kind == protocol.Number || item.Kind == protocol.Bool {
		return "write " + yamlText(item.Literal)
	}
	return "write the name of a property"
}

// literal is a scalar as it is written in a file.
func literal(v *protocol.Value) string {
	if v.Kind == protocol.Null {
		return "null"
	}
	return v.Literal
}

// yamlValue is a scalar in a form to paste.
func yamlValue(v *protocol.Value) string {
	if v.Kind == protocol.String {
		return yamlKey(v.Literal)
	}
	return literal(v)
}

// yamlKey is a text, in quotes where it needs them.
func yamlKey(text string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]{0,60}$`).MatchString(text) &&
		!slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) {
		return text
	}
	return yamlText(text)
}

// yamlText is a text in quotes.
func yamlText(text string) string { return strconv.Quote(text) }
