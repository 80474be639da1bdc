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

// formatHelp offers a pattern for the formats that people use.
func formatHelp(name string) string {
	known := map[string]string{
		"date-time": `'^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$'`,
		"date":      `'^\d{4}-\d{2}-\d{2}$'`,
		"time":      `'^\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$'`,
		"uuid":      `'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'`,
		"email":     `'^[^@ ]+@[^@ ]+$'`,
		"uri":       `'^[a-z][a-z0-9+.-]*:[^ ]+$'`,
		"url":       `'^https?://[^ ]+$'`,
		"hostname":  `'^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$'`,
		"ipv4":      `'^\d{1,3}(\.\d{1,3}){3}$'`,
	}
	switch pattern := known[name]; {
	case pattern != "":
		return "write a pattern in its place, such as:\npattern: " + pattern
	case name == "int32":
		return "remove it, and write minimum: -2147483648 and maximum: 2147483647"
	case name == "int64", name == "float", name == "double":
		return "remove it; int64 belongs to type: integer, double to type: number"
	}
	return "write a pattern, or say it in the description and check it in the handler"
}

func patternHelp(text string) string {
	around := regexp.MustCompile(`\(\?<?[=!]`)
	switch {
	case around.MatchString(text):
		return "the validator has no lookahead or lookbehind; write it without, use several patterns in allOf, or check it in the handler"
	case strings.Contains(text, "(?>"), regexp.MustCompile(`[*+?}]\+`).MatchString(text):
		return "the validator has no atomic groups and no possessive repetition, and needs none: leave the sign out"
	case regexp.MustCompile(`\\[1-9]|\\k<`).MatchString(text):
		return "the validator has no backreferences; check it in the handler"
	case regexp.MustCompile(`\\u[0-9a-fA-F]{4}`).MatchString(text):
		return "write the character itself in place of \\u and its number"
	case regexp.MustCompile(`\\c[A-Za-z]`).MatchString(text):
		return "write \\x and two digits for a control character"
	}
	if _, err := regexp.Compile(text); err != nil {
		switch said := err.Error(); {
		case strings.Contains(said, "missing closing ]"):
			return `close the class with ], or write \[ for the bracket itself`
		case strings.Contains(said, "missing closing )"):
			return `close the group with ), or write \( for the parenthesis itself`
		case strings.Contains(said, "unexpected )"):
			return `open the group with (, or write \) for the parenthesis itself`
		case strings.Contains(said, "missing argument to repetition"):
			return `put something in front of what repeats, or write a backslash in front of the sign itself; .* stands for any text`
		case strings.Contains(said, "invalid repeat count"):
			return "repeat 1000 times at most; minLength and maxLength count further"
		case strings.Contains(said, "trailing backslash"):
			return `write \\ for the backslash itself`
		case strings.Contains(said, "invalid escape sequence"):
			return "leave the backslash out"
		case strings.Contains(said, "invalid character class range"):
			return "write the smaller end first, or - last"
		}
	}
	return "write it in the syntax that RE2 and ECMA-262 share"
}

// syntaxHelp is about what only Go's regular expressions know.
func syntaxHelp(found string) string {
	switch {
	case strings.HasPrefix(found, "(?i"):
		return "write both cases, such as [Aa]; clients know no (?i)"
	case strings.HasPrefix(found, "(?P<"):
		return "write ( in place of " + found + " and the name"
	case strings.HasPrefix(found, "[[:"):
		return "write the characters out, such as [0-9A-Za-z]"
	case strings.HasSuffix(found, `\A`):
		return `write ^ in place of \A`
	case strings.HasSuffix(found, `\z`):
		return `write $ in place of \z`
	}
	return "write it in the syntax of ECMA-262, which clients use"
}

func noEffectHelp(key string, n *node) string {
	instead := map[string]string{
		"minLength number": "minimum", "maxLength number": "maximum", "minimum string": "minLength", "maximum string": "maxLength",
		"minLength array": "minItems", "maxLength array": "maxItems", "minimum array": "minItems", "maximum array": "maxItems",
		"minItems string": "minLength", "maxItems string": "maxLength", "minLength object": "minProperties", "maxLength object": "maxProperties",
	}
	if len(n.types) == 1 {
		kind := n.types[0]
		if kind == "integer" {
			kind = "number"
		}
		if other := instead[key+" "+kind]; other != "" && !n.has(other) {
			return "write " + other + ", or remove it, or correct type"
		}
		if key == "properties" && kind == "array" || key == "required" && kind == "array" {
			return "put it under items, where the schema of an item stands: items: {type: object, …}"
		}
	}
	return "remove it, or correct type"
}

func orderedHelp(pair [2]string, low, high *member, a, b float64) string {
	if a > b {
		return fmt.Sprintf("swap them: %s: %s, %s: %s; or correct one", pair[0], high.value.Literal, pair[1], low.value.Literal)
	}
	return "correct one of them; an exclusive bound leaves its own value out"
}

func valueHelp(n *node, key string, v *protocol.Value) string {
	scalar := v.Kind == protocol.Bool || v.Kind == protocol.Null || v.Kind == protocol.Number
	switch {
	case n.typed("string") && scalar:
		return "put it in quotes: " + yamlText(literal(v))
	case v.Kind == protocol.Null && len(n.types) == 1:
		return fmt.Sprintf("write type: [%s, \"null\"], or remove it", n.types[0])
	case v.Kind == protocol.String && (n.typed("integer") || n.typed("number")):
		if _, err := strconv.ParseFloat(v.Literal, 64); err == nil {
			return "write " + v.Literal + ", without quotes"
		}
	}
	return "correct it, or type, or remove it from " + key
}

func requiredHelp(name string, known map[string]bool) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("write %s; or declare %s under properties", yamlKey(near), yamlKey(name))
	}
	return "declare it under properties, or remove it"
}

func recordHelp(pointer, segment string, names map[string]bool) string {
	if near := nearest(unescape(segment), names); near != "" {
		return "write " + diag.Visible(strings.Replace(pointer, "/"+segment, "/"+escape(near), 1))
	}
	var all []string
	for name := range names {
		all = append(all, "/"+escape(name))
	}
	if slices.Sort(all); len(all) > 0 && len(all) <= 8 && strings.Count(pointer, "/") == 1 {
		return "record what the input has: " + diag.Visible(strings.Join(all, ", "))
	}
	return "declare it in the input, or remove it here"
}
