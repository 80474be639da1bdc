package codec

import (
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// A plain schema is made of common keywords alone, and says yes on its own.
// Whatever it does not say yes to is the library's to decide: holding a value
// against it costs a third of a call, most of that for reflection and for the
// stack. A fuzz test holds that the library says yes to all that this does.
type plain struct {
	types      map[string]bool // nil for any
	properties map[string]*plain
	required   []string
	extra      *plain // of other keys; nil where there may be none
	items      *plain // nil for any
	choices    map[string]bool
	pattern    *regexp.Regexp
	limits     *jsonschema.Schema // where there are any
}

// plainFields are the fields of a schema that plain knows, or that decide
// nothing.
func plainFields() map[string]bool {
	return map[string]bool{
		"Type": true, "Types": true, "Enum": true, "Properties": true, "Required": true, "AdditionalProperties": true, "Items": true,
		"MinLength": true, "MaxLength": true, "Pattern": true, "Minimum": true, "Maximum": true, "ExclusiveMinimum": true, "ExclusiveMaximum": true,
		"MinItems": true, "MaxItems": true, "MinProperties": true, "MaxProperties": true,
		"Title": true, "Description": true, "Comment": true, "Examples": true, "Deprecated": true, "ReadOnly": true, "WriteOnly": true,
		"Defs": true, "Definitions": true, "PropertyOrder": true,
	}
}

// A simplifier makes plain schemas of a schema's parts, each once.
type simplifier struct {
	schema   *schema
	fields   map[string]bool
	made     map[*jsonschema.Schema]*plain
	followed map[*jsonschema.Schema]bool // references
}

// simplify returns the plain form of the schema, or nil where it has none.
func (s *schema) simplify() *plain {
	m := simplifier{schema: s, fields: plainFields(), made: map[*jsonschema.Schema]*plain{}, followed: map[*jsonschema.Schema]bool{}}
	made, ok := m.of(s.root)
	if !ok || s.root.Schema != "" {
		return nil
	}
	return made
}

func (m simplifier) of(at *jsonschema.Schema) (*plain, bool) {
	if made := m.made[at]; made != nil {
		return made, true
	}
	if !m.known(at) {
		return nil, false
	}
	if at.Ref != "" {
		if m.followed[at] || strings.ContainsAny(at.Ref, "~%") { // it leads back to itself, or has to be decoded
			return nil, false
		}
		m.followed[at] = true
		made, ok := m.of(m.schema.lookup(at.Ref))
		m.made[at] = made
		return made, ok
	}
	p := &plain{required: at.Required}
	m.made[at] = p // first, since it may refer to itself
	for _, name := range append(at.Types, at.Type) {
		if name != "" {
			p.allow(name)
		}
	}
	ok := m.choices(p, at) && m.object(p, at)
	if at.Items != nil && ok {
		p.items, ok = m.of(at.Items)
	}
	if at.Pattern != "" {
		expression, err := regexp.Compile(at.Pattern)
		p.pattern, ok = expression, ok && err == nil
	}
	if at.MinLength != nil || at.MaxLength != nil || at.MinItems != nil || at.MaxItems != nil || at.MinProperties != nil || at.MaxProperties != nil ||
		at.Minimum != nil || at.Maximum != nil || at.ExclusiveMinimum != nil || at.ExclusiveMaximum != nil {
		p.limits = at
	}
	return p, ok
}

// known reports whether nothing but plain fields is set, or a reference alone.
func (m simplifier) known(at *jsonschema.Schema) bool {
	if at == nil {
		return false
	}
	value, decides := reflect.ValueOf(at).Elem(), false
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		switch {
		case value.Field(i).IsZero(), name == "Title", name == "Description", name == "Ref":
		case at == m.schema.root && name == "Schema": // looked at in simplify
		case !m.fields[name]:
			return false
		default:
			decides = true
		}
	}
	return at.Ref == "" || !decides
}

func (p *plain) allow(name string) {
	if p.types == nil {
		p.types = map[string]bool{}
	}
	p.types[name] = true
	if name == "number" {
		p.types["integer"] = true
	}
}

func (m simplifier) choices(p *plain, at *jsonschema.Schema) bool {
	for _, choice := range at.Enum {
		text, isText := choice.(string)
		if !isText {
			return false
		}
		if p.choices == nil {
			p.choices = map[string]bool{}
		}
		p.choices[text] = true
	}
	return at.Enum == nil || p.choices != nil
}

func (m simplifier) object(p *plain, at *jsonschema.Schema) (ok bool) {
	p.properties = make(map[string]*plain, len(at.Properties))
	for name, property := range at.Properties {
		if p.properties[name], ok = m.of(property); !ok {
			return false
		}
	}
	switch extra := at.AdditionalProperties; {
	case extra == nil:
		p.extra = &plain{}
	case extra.Not != nil && reflect.DeepEqual(extra, &jsonschema.Schema{Not: &jsonschema.Schema{}}): // false
	default:
		if p.extra, ok = m.of(extra); !ok {
			return false
		}
	}
	return true
}

// accepts reports whether a value is certainly one of the schema's.
func (p *plain) accepts(value any) bool {
	if p.choices != nil {
		text, isText := value.(string)
		if !isText || !p.choices[text] {
			return false
		}
	}
	switch value := value.(type) {
	case nil:
		return p.takes("null")
	case bool:
		return p.takes("boolean")
	case string:
		return p.takes("string") && p.text(value)
	case int64:
		return p.takes("integer") && p.number(float64(value), value < 1<<53 && value > -1<<53)
	case float64: // may be whole, which the library calls an integer
		return p.takes("number") && p.takes("integer") && p.number(value, true)
	case []any:
		return p.takes("array") && p.list(value)
	case map[string]any:
		return p.takes("object") && p.members(value)
	}
	return false
}

func (p *plain) takes(name string) bool { return p.types == nil || p.types[name] }

func (p *plain) text(value string) bool {
	if p.limits != nil && !between(utf8.RuneCountInString(value), p.limits.MinLength, p.limits.MaxLength) {
		return false
	}
	return p.pattern == nil || p.pattern.MatchString(value)
}

// number compares a number that a float64 holds exactly.
func (p *plain) number(value float64, exact bool) bool {
	at := p.limits
	if at == nil {
		return true
	}
	return exact &&
		(at.Minimum == nil || value >= *at.Minimum) && (at.Maximum == nil || value <= *at.Maximum) &&
		(at.ExclusiveMinimum == nil || value > *at.ExclusiveMinimum) && (at.ExclusiveMaximum == nil || value < *at.ExclusiveMaximum)
}

func (p *plain) list(value []any) bool {
	if p.limits != nil && !between(len(value), p.limits.MinItems, p.limits.MaxItems) {
		return false
	}
	if p.items == nil {
		return true
	}
	for _, item := range value {
		if !p.items.accepts(item) {
			return false
		}
	}
	return true
}

func (p *plain) members(value map[string]any) bool {
	if p.limits != nil && !between(len(value), p.limits.MinProperties, p.limits.MaxProperties) {
		return false
	}
	for _, name := range p.required {
		if _, present := value[name]; !present {
			return false
		}
	}
	for name, member := range value {
		at, declared := p.properties[name]
		if !declared {
			at = p.extra
		}
		if at == nil || !at.accepts(member) {
			return false
		}
	}
	return true
}

func between(size int, least, most *int) bool {
	return (least == nil || size >= *least) && (most == nil || size <= *most)
}
