package compare

import (
	"encoding/json"
	"reflect"
	"slices"
)

// A group is keywords that only mean something together, and how they compare.
type group struct {
	keys    []string
	compare func(a, b map[string]any) difference
}

func groups() []group {
	all := []group{
		{[]string{"type"}, types},
		{[]string{"enum", "const"}, enums},
		{[]string{"properties", "patternProperties", "additionalProperties"}, properties},
		{[]string{"required"}, required},
		{[]string{"dependentRequired"}, dependentRequired},
		{[]string{"dependentSchemas"}, dependentSchemas},
		{[]string{"prefixItems", "items"}, items},
		{[]string{"contains", "minContains", "maxContains"}, unlessEqual("contains", "minContains", "maxContains")},
		{[]string{"allOf"}, allOf},
		{[]string{"anyOf"}, anyOf},
		{[]string{"oneOf"}, oneOf},
		{[]string{"not"}, negation},
		{[]string{"if", "then", "else"}, conditional},
		{[]string{"multipleOf"}, multiple},
		{[]string{"uniqueItems"}, unique},
		{[]string{"$ref"}, unlessEqual("$ref")},
	}
	for _, key := range []string{"propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		all = append(all, group{[]string{key}, sub(key)})
	}
	for _, key := range []string{"minProperties", "minItems", "minLength", "minimum", "exclusiveMinimum"} {
		all = append(all, group{[]string{key}, bound(key, 1)})
	}
	for _, key := range []string{"maxProperties", "maxItems", "maxLength", "maximum", "exclusiveMaximum"} {
		all = append(all, group{[]string{key}, bound(key, -1)})
	}
	for _, key := range []string{"pattern", "format"} {
		all = append(all, group{[]string{key}, present(key)})
	}
	for _, key := range []string{"$schema", "$comment", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"} {
		all = append(all, group{[]string{key}, func(a, b map[string]any) difference {
			if reflect.DeepEqual(a[key], b[key]) {
				return same
			}
			return worded
		}})
	}
	return all
}

// addedOrGone is the difference that the presence of a keyword makes; decided
// is false where both have it.
func addedOrGone(key string, a, b map[string]any) (d difference, decided bool) {
	_, had := a[key]
	_, has := b[key]
	switch {
	case had && has:
		return same, false
	case had:
		return looser, true
	case has:
		return tighter, true
	}
	return same, true
}

// present compares a keyword of which nothing is known but that it refuses.
func present(key string) func(a, b map[string]any) difference {
	return func(a, b map[string]any) difference {
		d, decided := addedOrGone(key, a, b)
		if !decided && !reflect.DeepEqual(a[key], b[key]) {
			return unclear
		}
		return d
	}
}

func unlessEqual(keys ...string) func(a, b map[string]any) difference {
	return func(a, b map[string]any) difference {
		for _, key := range keys {
			if !reflect.DeepEqual(a[key], b[key]) {
				return unclear
			}
		}
		return same
	}
}

// sub compares a keyword whose value is a schema; absent is one that takes
// everything.
func sub(key string) func(a, b map[string]any) difference {
	return func(a, b map[string]any) difference { return related(orTrue(a, key), orTrue(b, key)) }
}

func orTrue(of map[string]any, key string) any {
	if value, has := of[key]; has {
		return value
	}
	return true
}

// bound compares a limit that gets tighter in the direction given.
func bound(key string, direction int) func(a, b map[string]any) difference {
	return func(a, b map[string]any) difference {
		if d, decided := addedOrGone(key, a, b); decided {
			return d
		}
		x, known := number(a[key])
		y, too := number(b[key])
		if !known || !too {
			return unlessEqual(key)(a, b)
		}
		switch y.Cmp(x) * direction {
		case 1:
			return tighter
		case -1:
			return looser
		}
		return same
	}
}

func types(a, b map[string]any) difference {
	if d, decided := addedOrGone("type", a, b); decided {
		return d
	}
	return sets(kindsOf(a["type"]), kindsOf(b["type"]))
}

// kindsOf lists the types that a keyword allows. Every integer is a number.
func kindsOf(value any) map[string]bool {
	kinds := map[string]bool{}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, each := range list {
		if kind, isText := each.(string); isText {
			kinds[kind] = true
		}
	}
	if kinds["number"] {
		kinds["integer"] = true
	}
	return kinds
}

// sets compares sets of what is allowed.
func sets(a, b map[string]bool) difference {
	d := same
	for each := range b {
		if !a[each] {
			d |= looser
		}
	}
	for each := range a {
		if !b[each] {
			d |= tighter
		}
	}
	return d
}

func enums(a, b map[string]any) difference {
	x, had := values(a)
	y, has := values(b)
	switch {
	case had && has:
		return sets(x, y)
	case had:
		return looser
	case has:
		return tighter
	}
	return same
}

// values lists what enum and const leave, by their JSON text.
func values(of map[string]any) (set map[string]bool, limited bool) {
	text := func(value any) string {
		encoded, _ := json.Marshal(exact(value)) // what was decoded can be encoded
		return string(encoded)
	}
	constant, fixed := of["const"]
	listed, limited := of["enum"].([]any)
	set = map[string]bool{}
	for _, each := range listed {
		if !fixed || text(each) == text(constant) {
			set[text(each)] = true
		}
	}
	if fixed && !limited {
		set[text(constant)] = true
	}
	return set, limited || fixed
}

// exact writes numbers in one form each, since 1 and 1.0 are one value.
func exact(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, known := number(value); known {
			return map[string]string{"number": n.RatString()}
		}
	case []any:
		out := make([]any, 0, len(value))
		for _, each := range value {
			out = append(out, exact(each))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, each := range value {
			out["."+key] = exact(each)
		}
		return out
	}
	return value
}

// properties compares what an object may hold. A key that is not declared is
// held against additionalProperties.
func properties(a, b map[string]any) difference {
	patterns := !reflect.DeepEqual(a["patternProperties"], b["patternProperties"])
	some := len(membersOf(a, "patternProperties"))+len(membersOf(b, "patternProperties")) > 0
	restA, restB := orTrue(a, "additionalProperties"), orTrue(b, "additionalProperties")
	d := related(restA, restB)
	declaredA, declaredB := membersOf(a, "properties"), membersOf(b, "properties")
	for name := range union(declaredA, declaredB) {
		x, had := declaredA[name]
		y, has := declaredB[name]
		if !had {
			x = restA
		}
		if !has {
			y = restB
		}
		d |= related(x, y)
		if some && had != has {
			d |= unclear // a pattern may say something of it
		}
	}
	if patterns {
		d |= unclear
	}
	return d
}

func names(value any) map[string]bool {
	set := map[string]bool{}
	list, _ := value.([]any)
	for _, each := range list {
		if name, isText := each.(string); isText {
			set[name] = true
		}
	}
	return set
}

// required names what has to be there, so more of it takes less.
func required(a, b map[string]any) difference {
	return sets(names(a["required"]), names(b["required"])).turned()
}

func dependentRequired(a, b map[string]any) difference {
	x, y := membersOf(a, "dependentRequired"), membersOf(b, "dependentRequired")
	d := same
	for key := range union(x, y) {
		d |= sets(names(x[key]), names(y[key])).turned()
	}
	return d
}

func dependentSchemas(a, b map[string]any) difference {
	x, y := membersOf(a, "dependentSchemas"), membersOf(b, "dependentSchemas")
	d := same
	for key := range union(x, y) {
		d |= related(orTrue(x, key), orTrue(y, key))
	}
	return d
}

func list(of map[string]any, key string) []any {
	items, _ := of[key].([]any)
	return items
}

func items(a, b map[string]any) difference {
	restA, restB := orTrue(a, "items"), orTrue(b, "items")
	first, second := list(a, "prefixItems"), list(b, "prefixItems")
	d := related(restA, restB)
	for i := range max(len(first), len(second)) {
		x, y := restA, restB
		if i < len(first) {
			x = first[i]
		}
		if i < len(second) {
			y = second[i]
		}
		d |= related(x, y)
	}
	return d
}

// parts compares two lists of schemas one by one, or, where one has all of the
// other and more, returns what more of them means.
func parts(key string, a, b map[string]any, more difference) difference {
	x, y := list(a, key), list(b, key)
	if len(x) == len(y) {
		d := same
		for i := range x {
			d |= related(x[i], y[i])
		}
		return d
	}
	switch {
	case holdsAll(y, x):
		return more
	case holdsAll(x, y):
		return more.turned()
	}
	return unclear
}

func holdsAll(all, some []any) bool {
	for _, each := range some {
		if !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(each, other) }) {
			return false
		}
	}
	return true
}

func allOf(a, b map[string]any) difference { return parts("allOf", a, b, tighter) }

// anyOf that is not there takes everything, and one more part takes more.
func anyOf(a, b map[string]any) difference {
	if d, decided := addedOrGone("anyOf", a, b); decided {
		return d
	}
	return parts("anyOf", a, b, looser)
}

// oneOf refuses what two of its parts take, so any change of one may do both.
func oneOf(a, b map[string]any) difference {
	if d, decided := addedOrGone("oneOf", a, b); decided {
		return d
	}
	return parts("oneOf", a, b, unclear).strict()
}

func negation(a, b map[string]any) difference {
	if d, decided := addedOrGone("not", a, b); decided {
		return d
	}
	return related(a["not"], b["not"]).turned()
}

func conditional(a, b map[string]any) difference {
	_, had := a["if"]
	_, has := b["if"]
	switch {
	case !had && !has:
		return same // then and else mean nothing
	case had != has:
		return unclear
	}
	d := related(a["if"], b["if"]).strict()
	return d | related(orTrue(a, "then"), orTrue(b, "then")) | related(orTrue(a, "else"), orTrue(b, "else"))
}

func multiple(a, b map[string]any) difference {
	if d, decided := addedOrGone("multipleOf", a, b); decided {
		return d
	}
	x, known := number(a["multipleOf"])
	y, too := number(b["multipleOf"])
	if !known || !too || x.Sign() <= 0 || y.Sign() <= 0 {
		return unlessEqual("multipleOf")(a, b)
	}
	x.Quo(y, x)
	switch {
	case x.IsInt() && x.Num().IsInt64() && x.Num().Int64() == 1:
		return same
	case x.IsInt():
		return tighter
	case x.Inv(x).IsInt():
		return looser
	}
	return unclear
}

func unique(a, b map[string]any) difference {
	was, is := a["uniqueItems"] == true, b["uniqueItems"] == true
	switch {
	case was && !is:
		return looser
	case is && !was:
		return tighter
	}
	return same
}
