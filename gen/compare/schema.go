package compare

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

// A difference says how the values that one schema takes differ from those of
// another. Its bits are claims about what may be so; without looser, the new
// schema surely takes nothing that the old one refused.
type difference uint8

const (
	same    difference = 0
	looser  difference = 1 << 0 // it may take more
	tighter difference = 1 << 1 // it may take less
	unclear difference = 1 << 2 // it may do both
	worded  difference = 1 << 3 // texts for readers differ
)

// semantic leaves what is about values.
func (d difference) semantic() difference { return d &^ worded }

// turned is the difference as seen through a negation.
func (d difference) turned() difference {
	out := d &^ (looser | tighter)
	if d&looser != 0 {
		out |= tighter
	}
	if d&tighter != 0 {
		out |= looser
	}
	return out
}

// strict makes any difference in values one that cannot be told.
func (d difference) strict() difference {
	if d.semantic() != same {
		d |= unclear
	}
	return d
}

// schemaOf is a schema as it is advertised and held against values, with
// objects closed, as decoded JSON. One that is wrong is taken as it is written.
func schemaOf(value *protocol.Value) any {
	text := schema.Empty().Text()
	if value != nil {
		text = string(value.JSON())
		if read, _ := schema.Read(value); read != nil {
			text = read.Text()
		}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil // equal to no other schema but another such
	}
	return decoded
}

// relate compares two schemas as wholes. References are not followed: where a
// schema refers to parts of itself, a difference that one may lead to is unclear.
func relate(before, after any) difference {
	d := related(before, after)
	if elsewhere(before) || elsewhere(after) {
		d = d.strict()
	}
	if d == same && !reflect.DeepEqual(before, after) {
		d = worded
	}
	return d
}

// definitions compares the schemas that others refer to, from wherever. One
// that only one side has is referred to by nothing that the other side has.
func definitions(a, b map[string]any) difference {
	d := same
	for _, key := range []string{"$defs", "definitions"} {
		x, y := membersOf(a, key), membersOf(b, key)
		for name := range x {
			if _, both := y[name]; both {
				d |= related(x[name], y[name]).strict()
			}
		}
	}
	return d
}

// elsewhere says whether a schema refers to a part of itself that is not a
// definition, the whole included.
func elsewhere(value any) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, elsewhere)
	case map[string]any:
		for key, each := range value {
			if text, isText := each.(string); key == "$ref" && isText {
				rest, inDefs := strings.CutPrefix(text, "#/$defs/")
				if !inDefs {
					rest, inDefs = strings.CutPrefix(text, "#/definitions/")
				}
				if !inDefs || strings.Contains(rest, "/") {
					return true
				}
			}
			if elsewhere(each) {
				return true
			}
		}
	}
	return false
}

// related compares two schemas keyword by keyword. A schema takes what all its
// keywords take, so the difference is that of the keywords together.
func related(before, after any) difference {
	a, b := keywordsOf(before), keywordsOf(after)
	if a == nil || b == nil {
		return alwaysOrNever(before, after)
	}
	d := definitions(a, b)
	done := map[string]bool{"$defs": true, "definitions": true}
	for _, group := range groups() {
		present := false
		for _, key := range group.keys {
			_, had := a[key]
			_, has := b[key]
			present = present || had || has
			done[key] = true
		}
		if present {
			d |= group.compare(a, b)
		}
	}
	for key := range union(a, b) {
		if !done[key] && !reflect.DeepEqual(a[key], b[key]) {
			d |= unclear // a keyword that is not known here
		}
	}
	// What unevaluated… takes depends on everything beside it.
	for _, key := range []string{"unevaluatedProperties", "unevaluatedItems"} {
		_, had := a[key]
		_, has := b[key]
		if had || has {
			d = d.strict()
		}
	}
	return d
}

// keywordsOf is a schema's keywords; nil for one that takes nothing, or is no
// schema.
func keywordsOf(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case bool:
		if value {
			return map[string]any{}
		}
	}
	return nil
}

func alwaysOrNever(before, after any) difference {
	_, schemaBefore := before.(map[string]any)
	_, schemaAfter := after.(map[string]any)
	switch {
	case reflect.DeepEqual(before, after):
		return same
	case before == false && (schemaAfter || after == true):
		return looser
	case after == false && (schemaBefore || before == true):
		return tighter
	}
	return unclear
}

func union(a, b map[string]any) map[string]bool {
	keys := make(map[string]bool, len(a)+len(b))
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return keys
}

func membersOf(of map[string]any, key string) map[string]any {
	members, _ := of[key].(map[string]any)
	return members
}

// number is the exact value of a number; ok is false for anything else.
func number(value any) (*big.Rat, bool) {
	text, ok := value.(json.Number)
	if !ok || len(text) > 400 {
		return nil, false
	}
	if at := strings.IndexAny(string(text), "eE"); at >= 0 && len(text)-at > 5 {
		return nil, false // an exponent that would cost much memory
	}
	return new(big.Rat).SetString(string(text))
}
