package schema

import "github.com/gatewright/gatewright/gen/protocol"

// plain reports whether n and all that is in it are made of a few keywords
// that the validator of run time takes whatever their values, as long as these
// have the form that reading holds them to. For such schemas, which are most,
// the validator need not be asked. A fuzz test asks it all the same.
func (n *node) plain() bool {
	for _, m := range n.members {
		if !m.plain() {
			return false
		}
	}
	return true
}

func (m *member) plain() bool {
	switch m.key.Value {
	case "type", "title", "description", "required",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return true
	case "enum":
		for _, item := range m.value.Items {
			if item.Kind != protocol.String {
				return false
			}
		}
		return true
	case "properties", "additionalProperties", "items":
		for _, s := range m.subs {
			if !s.node.plain() {
				return false
			}
		}
		return true
	}
	return false
}
