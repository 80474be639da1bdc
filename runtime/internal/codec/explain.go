package codec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// A complaint is one thing wrong with a value, said to a model.
type complaint struct {
	where   jsontext.Pointer
	words   string
	unknown bool // a key nobody declared
}

// check holds a tree against the schema. The library decides; what is said of
// a refusal is found by [schema.explain], which knows where in the value the
// fault is, or else is what the library said.
func (s *schema) check(tree any) error {
	if s.plain != nil && s.plain.accepts(tree) {
		return nil
	}
	err := s.resolved.Validate(tree)
	if err == nil {
		return nil
	}
	found := s.explain(tree, s.root, "", 0)
	switch {
	case found == nil:
		return invalid("the schema refuses the value: %s", clip(err.Error()))
	case found.unknown:
		return malformed("%s %s", place(found.where), found.words)
	}
	return invalid("%s %s", place(found.where), found.words)
}

// explain finds the first thing wrong with a value, for the keywords whose
// fault has one place. It decides nothing.
func (s *schema) explain(value any, at *jsonschema.Schema, where jsontext.Pointer, depth int) *complaint {
	if at == nil || depth > 2*maxDepth {
		return nil
	}
	if target := s.lookup(at.Ref); target != nil {
		if found := s.explain(value, target, where, depth+1); found != nil {
			return found
		}
	}
	for _, each := range at.AllOf {
		if found := s.explain(value, each, where, depth+1); found != nil {
			return found
		}
	}
	if words := cmp.Or(wrongType(value, at), wrongChoice(value, at)); words != "" {
		return &complaint{where: where, words: words}
	}
	switch value := value.(type) {
	case string:
		return said(where, wrongString(value, at))
	case int64:
		return said(where, wrongNumber(float64(value), at))
	case float64:
		return said(where, wrongNumber(value, at))
	case []any:
		return s.explainArray(value, at, where, depth)
	case map[string]any:
		return s.explainObject(value, at, where, depth)
	}
	return nil
}

func (s *schema) explainObject(value map[string]any, at *jsonschema.Schema, where jsontext.Pointer, depth int) *complaint {
	closed := at.AdditionalProperties != nil && at.AdditionalProperties.Not != nil && len(at.PatternProperties) == 0
	for _, key := range slices.Sorted(maps.Keys(value)) {
		pointer := where.AppendToken(key)
		property, declared := at.Properties[key]
		if !declared && closed {
			known := names([]*jsonschema.Schema{at})
			words := "is not a known key; there are no keys here"
			if meant := resembling(known, key); meant != "" {
				words = fmt.Sprintf("is not a known key; did you mean %q?", meant)
			} else if len(known) > 0 {
				words = "is not a known key; the known keys are " + clip(strings.Join(known, ", "))
			}
			return &complaint{where: pointer, words: words, unknown: true}
		}
		if !declared && len(at.PatternProperties) == 0 {
			property = at.AdditionalProperties
		}
		if found := s.explain(value[key], property, pointer, depth+1); found != nil {
			return found
		}
	}
	for _, key := range at.Required {
		if _, present := value[key]; !present {
			return &complaint{where: where.AppendToken(key), words: "is required and missing"}
		}
	}
	return nil
}

func (s *schema) explainArray(value []any, at *jsonschema.Schema, where jsontext.Pointer, depth int) *complaint {
	if at.MinItems != nil && len(value) < *at.MinItems {
		return said(where, fmt.Sprintf("has %d items and needs at least %d", len(value), *at.MinItems))
	}
	if at.MaxItems != nil && len(value) > *at.MaxItems {
		return said(where, fmt.Sprintf("has %d items and may have at most %d", len(value), *at.MaxItems))
	}
	for index, item := range value {
		described := at.Items
		if index < len(at.PrefixItems) {
			described = at.PrefixItems[index]
		}
		if found := s.explain(item, described, where.AppendToken(strconv.Itoa(index)), depth+1); found != nil {
			return found
		}
	}
	return nil
}

func said(where jsontext.Pointer, words string) *complaint {
	if words == "" {
		return nil
	}
	return &complaint{where: where, words: words}
}

func wrongType(value any, at *jsonschema.Schema) string {
	wanted := at.Types
	if at.Type != "" {
		wanted = []string{at.Type}
	}
	got := kind(value)
	if len(wanted) == 0 || slices.Contains(wanted, got) || (got == "integer" && slices.Contains(wanted, "number")) {
		return ""
	}
	if f, isFloat := value.(float64); isFloat && f == math.Trunc(f) && slices.Contains(wanted, "integer") {
		return "" // an integer beyond 64 bits, which the schema takes and the Go type does not
	}
	return fmt.Sprintf("has to be of type %s and is %s", strings.Join(wanted, " or "), quote(value))
}

func wrongChoice(value any, at *jsonschema.Schema) string {
	if at.Enum != nil && !slices.ContainsFunc(at.Enum, func(each any) bool { return jsonschema.Equal(each, value) }) {
		var choices []string
		for _, each := range at.Enum {
			choices = append(choices, quote(each))
		}
		return fmt.Sprintf("has to be one of %s and is %s", cut(strings.Join(choices, ", "), maxWords), quote(value))
	}
	if at.Const != nil && !jsonschema.Equal(*at.Const, value) {
		return fmt.Sprintf("has to be %s and is %s", quote(*at.Const), quote(value))
	}
	return ""
}

func wrongString(value string, at *jsonschema.Schema) string {
	length := utf8.RuneCountInString(value)
	switch {
	case at.MinLength != nil && length < *at.MinLength:
		return fmt.Sprintf("has %d characters and needs at least %d", length, *at.MinLength)
	case at.MaxLength != nil && length > *at.MaxLength:
		return fmt.Sprintf("has %d characters and may have at most %d", length, *at.MaxLength)
	case at.Pattern != "" && !matches(at.Pattern, value):
		return fmt.Sprintf("has to match the pattern %s and is %s", cut(at.Pattern, maxEcho), quote(value))
	}
	return ""
}

func wrongNumber(value float64, at *jsonschema.Schema) string {
	switch {
	case at.Minimum != nil && value < *at.Minimum:
		return fmt.Sprintf("has to be at least %v", *at.Minimum)
	case at.Maximum != nil && value > *at.Maximum:
		return fmt.Sprintf("has to be at most %v", *at.Maximum)
	case at.ExclusiveMinimum != nil && value <= *at.ExclusiveMinimum:
		return fmt.Sprintf("has to be more than %v", *at.ExclusiveMinimum)
	case at.ExclusiveMaximum != nil && value >= *at.ExclusiveMaximum:
		return fmt.Sprintf("has to be less than %v", *at.ExclusiveMaximum)
	}
	return ""
}
