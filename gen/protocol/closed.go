package protocol

import "slices"

// withoutDefaults is a schema without additionalProperties: false where that
// is what holds anyway: at objects that stand alone. Where schemas refer to
// each other or several look at one object, what is closed by default depends
// on more, and the schema counts as it is written.
func withoutDefaults(schema *Value) *Value {
	if schema == nil || schema.has("$ref") {
		return schema
	}
	return schema.opened()
}

// has says whether a key stands anywhere in the value.
func (v *Value) has(key string) bool {
	for _, member := range v.Members {
		if member.Key.Value == key || member.Value.has(key) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items, func(item *Value) bool { return item.has(key) })
}

func (v *Value) opened() *Value {
	if v.Kind != Object || v.composed() {
		return v
	}
	to := &Value{Kind: Object, Span: v.Span}
	for _, member := range v.Members {
		switch value := member.Value; {
		case member.Key.Value == "additionalProperties" && value.Kind == Bool && value.Literal == "false" && v.isObject():
			continue
		case member.Key.Value == "properties":
			properties := &Value{Kind: value.Kind, Literal: value.Literal, Items: value.Items}
			for _, property := range value.Members {
				properties.Members = append(properties.Members, Member{property.Key, property.Value.opened()})
			}
			member.Value = properties
		case member.Key.Value == "items":
			member.Value = value.opened()
		}
		to.Members = append(to.Members, member)
	}
	return to
}

// composed says whether other schemas look at the same object.
func (v *Value) composed() bool {
	return slices.ContainsFunc(v.Members, func(member Member) bool {
		return slices.Contains([]string{
			"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "unevaluatedProperties",
		}, member.Key.Value)
	})
}

func (v *Value) isObject() bool {
	kind := v.Member("type")
	if kind == nil {
		return false
	}
	return kind.Literal == "object" || slices.ContainsFunc(kind.Items, func(item *Value) bool { return item.Literal == "object" })
}
